import { setTimeout as sleep } from 'node:timers/promises';
import type { PackFetch, PackFetchAnswer } from '../../engine/pack/pack-services.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../memory/namespace.ts';
import { createEgressPolicy } from '../egress/egress-policy.ts';
import { createGuardedFetch } from '../egress/guarded-fetch.ts';
import type { VaultAccess } from '../vault/vault-access.ts';

/** Reads from the GitHub API, with the caller's token if the vault has one. */
export interface GithubApi {
  get(call: GithubCall, path: string, query?: Record<string, string | undefined>): Promise<GithubResponse>;
}

/** The caller of a request, and its cancellation. */
export interface GithubCall {
  caller: Caller;
  signal: AbortSignal;
}

export interface GithubResponse {
  json: unknown;
  /** There is another page. */
  more: boolean;
}

export interface GithubOptions {
  /** Configured by the operator; not guarded, so that a GitHub server on an internal network works. */
  baseUrl: string;
  userAgent: string;
  vault: VaultAccess;
  now: () => number;
  retryPauseMs?: number;
}

/** The name of the token in the vault. */
const GITHUB_TOKEN = 'github-token';
const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const RETRIES = 2;
const RETRY_PAUSE_MS = 300;

export function createGithubApi(options: GithubOptions): GithubApi {
  const { baseUrl, userAgent, vault, now, retryPauseMs = RETRY_PAUSE_MS } = options;
  const policy = createEgressPolicy({ networks: [], hosts: [] });
  const trustedOrigin = new URL(baseUrl).origin;

  /** Without a vault, or without a token in it, requests are anonymous. */
  async function tokenOf(caller: Caller) {
    try {
      return await vault.vaultOf(caller).get(GITHUB_TOKEN);
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code === 'vault_unavailable') return undefined;
      throw thrown;
    }
  }

  return {
    async get({ caller, signal }, path, query = {}) {
      const token = await tokenOf(caller);
      const fetch = createGuardedFetch({
        policy,
        trustedOrigin,
        userAgent,
        secret: async () => token,
        secretsBoundTo: async (host) => (vault.isOpen ? vault.vaultOf(caller).boundTo(host) : []),
      });
      const url = `${baseUrl}${path}${queryText(query)}`;
      const headers = {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        ...(token ? { authorization: `Bearer \${vault:${GITHUB_TOKEN}}` } : {}),
      };
      const response = await fetchWithRetries(fetch, url, headers, signal, retryPauseMs);
      if (response.status !== 200) throw errorForStatus(response, token !== undefined, now());
      return { json: parse(response), more: /rel="next"/.test(response.headers.link ?? '') };
    },
  };
}

/** Retries network errors and 5xx responses. */
async function fetchWithRetries(
  fetch: PackFetch,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  pauseMs: number,
): Promise<PackFetchAnswer> {
  for (let attempt = 0; ; attempt++) {
    const last = attempt === RETRIES;
    try {
      const response = await fetch(url, { headers, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
      if (response.status < 500 || last) return response;
    } catch (thrown) {
      if (last || !(thrown instanceof AppError && thrown.reason === 'network')) throw thrown;
    }
    await sleep(pauseMs * 2 ** attempt, undefined, { signal });
  }
}

function queryText(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function parse({ body, truncated }: PackFetchAnswer): unknown {
  if (truncated)
    throw new AppError('handler_failed', 'The response of GitHub is larger than 10 MiB.', {
      reason: 'too_large',
    });
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new AppError('handler_failed', 'The response of GitHub is not JSON.', {
      reason: 'bad_answer',
    });
  }
}

/** Maps an HTTP status of GitHub to an error. GitHub's own text is omitted: it may repeat the query. */
function errorForStatus({ status, headers }: PackFetchAnswer, withToken: boolean, nowMs: number): AppError {
  const waitSeconds = retryAfterOf(headers, nowMs);
  if (status === 429 || (status === 403 && waitSeconds !== undefined)) {
    return new AppError('rate_limited', 'GitHub has rate-limited these requests.', {
      reason: 'github_rate_limit',
      retryAfterSeconds: waitSeconds ?? 60,
      hint: withToken
        ? 'Wait as long as Retry-After says.'
        : `Wait, or store a token as "${GITHUB_TOKEN}" in the vault: GitHub then allows far more.`,
    });
  }
  if (status === 401) {
    return new AppError('credential_invalid', 'GitHub rejects the token, or requires one.', {
      reason: 'github_token',
      hint: `Write a valid token as "${GITHUB_TOKEN}" with the pack "vault.write".`,
    });
  }
  if (status === 404 || status === 410) {
    return new AppError('not_found', 'GitHub has no such resource, or the token may not see it.', {
      reason: 'github_not_found',
      hint: withToken
        ? 'Check the name, and what the token may see.'
        : `Check the name; for private repositories store a token as "${GITHUB_TOKEN}" in the vault.`,
    });
  }
  if (status === 422)
    return new AppError('invalid_input', 'GitHub does not accept this query.', { reason: 'github_refused' });
  return new AppError('handler_failed', `GitHub answered with status ${status}.`, {
    reason: status >= 500 ? 'github_down' : 'github_refused',
    hint: status >= 500 ? 'Try again later.' : 'Check what the token may do.',
  });
}

/** The seconds to wait before the next request; `undefined` if GitHub does not say. */
function retryAfterOf(headers: Record<string, string>, nowMs: number): number | undefined {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && after >= 0) return Math.max(1, Math.ceil(after));
  if (headers['x-ratelimit-remaining'] !== '0') return undefined;
  const resetMs = Number(headers['x-ratelimit-reset']) * 1000;
  return resetMs > nowMs ? Math.ceil((resetMs - nowMs) / 1000) : 60;
}
