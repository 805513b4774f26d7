import { setTimeout as delay } from 'node:timers/promises';
import { generateCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { isoMs } from '../../memory/facts/remember.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { type Caller, callerName, fullCallerName, isSameCaller } from '../../memory/namespace.ts';
import { covers } from '../../memory/revocations.ts';
import { DEFAULT_SCOPES, type Identity, isAdmin, SCOPES } from '../http/auth.ts';
import { bearerToken, SESSION_COOKIE } from '../http/authenticate.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { clientAddress, isUntrustedProxy } from '../http/client-address.ts';
import { assertSameOrigin } from '../http/origin.ts';
import { namedCaller, recordAccess } from './access.ts';
import { integerQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import {
  loginInput,
  loginResponse,
  mintInput,
  mintResponse,
  revokeAllInput,
  revokeAllResponse,
  revokedResponse,
  revokeResponse,
  sessionResponse,
  tokensResponse,
} from './schemas/auth-schemas.ts';

const LOGIN_SECONDS = 43_200;
const DEFAULT_TTL_SECONDS = 7_776_000;
const MAX_TTL_SECONDS = 31_536_000;
const TOKEN_ID = /^[^\p{Cc}]{1,256}$/u;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Login, browser sessions and tokens. */
export const authRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/auth/login',
    tag: 'Identity',
    summary: 'Log in as the admin; answers with a token for 12 hours',
    scope: 'public',
    body: loginInput,
    response: loginResponse,
    handler: async (call) => logIn(call, await jsonBody(call.c), 'login'),
  },
  {
    method: 'POST',
    path: '/api/v1/auth/session',
    tag: 'Identity',
    summary: 'Open a browser session with the login or a bearer token; sets a cookie',
    scope: 'public',
    body: loginInput.optional(),
    response: sessionResponse,
    async handler(call) {
      if (call.header('origin') !== undefined || call.header('sec-fetch-site') !== undefined)
        assertSameOrigin(call.c, call.services);
      const token =
        bearerToken(call.c) ?? (await logIn(call, await optionalJsonBody(call.c), 'browser')).token;
      const identity = await call.services.auth.verify(token);
      call.headers['set-cookie'] = generateCookie(SESSION_COOKIE, token, {
        ...cookieOptions(call),
        maxAge: Math.min(34_560_000, Math.floor((identity.expiresMs - call.services.now()) / 1000)),
      });
      return sessionView(identity);
    },
  },
  {
    method: 'GET',
    path: '/api/v1/auth/session',
    tag: 'Identity',
    summary: 'Who you are, as the server sees it',
    scope: 'any',
    response: sessionResponse,
    handler: async (call) => sessionView(call.identity),
  },
  {
    method: 'DELETE',
    path: '/api/v1/auth/session',
    tag: 'Identity',
    summary: 'Sign out: the cookie goes, and the login behind it is revoked',
    scope: 'any',
    response: revokedResponse,
    async handler(call) {
      const tokens = call.services.memoryIfOn()?.tokens;
      const { jti } = call.identity;
      const record = jti === undefined ? undefined : await tokens?.find(jti);
      // A pasted token may be in use by another client; only a token that this login minted is revoked.
      const revoked = record?.client === 'browser' && (await tokens!.revoke(record.jti));
      call.headers['set-cookie'] = generateCookie(SESSION_COOKIE, '', {
        ...cookieOptions(call),
        maxAge: 0,
      });
      return { revoked: revoked === true };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/tokens',
    tag: 'Identity',
    summary: 'Tokens minted here: your own, or all of them for an admin',
    scope: 'any',
    query: z.object({
      limit: z.int().min(1).max(200).optional().describe('default 100'),
      cursor: z.string().optional(),
    }),
    response: tokensResponse,
    async handler(call) {
      const { issuer, subject, tenant } = call.identity.caller;
      // An admin sees all tokens of the tenant, as when listing callers and revoking.
      const owner = isAdmin(call.identity) ? { tenant } : { issuer, subject: subject ?? '', tenant };
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 100;
      const start = integerQuery(call, 'cursor', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
      const all = await call.services.memory().tokens.list(owner);
      const end = start + limit;
      return { tokens: all.slice(start, end), ...(all.length > end ? { next_cursor: String(end) } : {}) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/tokens',
    tag: 'Identity',
    summary: 'Mint a token for yourself with the same or fewer scopes; for anyone as an admin',
    scope: 'any',
    body: mintInput.optional(),
    response: mintResponse,
    handler: (call) => mint(call),
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/{jti}',
    tag: 'Identity',
    summary: 'Revoke a token and what was minted with it, at once',
    scope: 'any',
    response: revokeResponse,
    handler: (call) => revokeToken(call),
  },
  {
    method: 'POST',
    path: '/api/v1/tokens/revoke',
    tag: 'Identity',
    summary:
      'Revoke all tokens of a subject that were issued up to now or an earlier time, wherever they were minted',
    scope: 'any',
    body: revokeAllInput.optional(),
    response: revokeAllResponse,
    handler: (call) => revokeAll(call),
  },
];

async function logIn(call: Call, input: unknown, client: 'login' | 'browser') {
  const { services } = call;
  const body = asObject(input ?? {}, ['username', 'password']);
  const { username, password } = body;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new AppError('invalid_input', 'username and password are required, as strings.', {
      reason: 'bad_type',
    });
  }
  try {
    services.login.check(username, password, clientAddress(call.c, services.trustedProxies));
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'rate_limited') throw explainLockOut(call, thrown);
    // Attempts during a lock-out are not recorded: an attacker could fill the audit with them.
    if (thrown instanceof AppError && thrown.code === 'invalid_credentials') {
      await recordAccess(services, { subject: undefined }, { action: 'login.failed' });
    }
    throw thrown;
  }
  const caller = { subject: services.adminUsername };
  const { token, record } = await services.auth.mint({
    caller,
    scopes: ['admin'],
    ttlSeconds: LOGIN_SECONDS,
    client,
  });
  await services.memoryIfOn()?.tokens.add(record);
  await recordAccess(services, caller, { action: 'login', detail: `jti ${record.jti}` });
  return { token, subject: record.subject, expires_at: isoMs(record.expiresMs) };
}

/** All clients of a proxy that is not trusted count as one: the operator must know. */
function explainLockOut(call: Call, error: AppError): AppError {
  if (!isUntrustedProxy(call.c, call.services.trustedProxies)) return error;
  return new AppError(error.code, error.message, {
    reason: error.reason,
    retryAfterSeconds: error.retryAfterSeconds,
    hint: 'The server takes all clients of its proxy for one address: set HELMDECK_TRUSTED_PROXIES to the address of the proxy.',
  });
}

async function mint(call: Call) {
  const { services, identity } = call;
  const { tokens, parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  assertAuthOn(services);
  const body = asObject((await optionalJsonBody(call.c)) ?? {}, [
    'name',
    'client',
    'scopes',
    'ttl_seconds',
    'subject',
  ]);
  const caller = subjectOf(call, body);
  const isOwn = isSameCaller(caller, identity.caller);
  if (!isOwn && !isAdmin(identity)) {
    throw new AppError('insufficient_scope', 'Only an admin may mint a token for another subject.');
  }
  const { issuer, subject } = identity.caller;
  const { token, record } = await services.auth.mint({
    caller,
    minter: { issuer, subject: subject!, jti: identity.jti },
    // One's own scopes for oneself, the default ones for another subject.
    scopes: requestedScopes(body.scopes ?? (isOwn ? [...identity.scopes] : DEFAULT_SCOPES), identity),
    ttlSeconds: requestedTtl(body.ttl_seconds),
    // Otherwise a token could extend its own life for ever, and a short-lived one would be no safer than a long-lived one.
    notAfterMs: isAdmin(identity) ? undefined : identity.expiresMs,
    name: text(body, 'name', 128),
    client: text(body, 'client', 64),
  });
  await tokens.add(record);
  // The minting token may have been revoked on another node while this one was written, and this one overlooked.
  await tokens.refresh();
  if (tokens.isRevoked(identity)) {
    await tokens.revoke(record.jti);
    throw new AppError('token_revoked', 'The token was revoked.');
  }
  const target = fullCallerName(caller);
  const detail = `jti ${record.jti} scopes ${record.scopes.join(' ')}`;
  await recordAccess(services, identity.caller, { action: 'token.mint', target, detail });
  const { jti, name, client, scopes, createdMs, expiresMs } = record;
  return {
    jti,
    subject: target,
    name,
    client,
    scopes,
    created_at: isoMs(createdMs),
    expires_at: isoMs(expiresMs),
    last_used_at: null,
    revoked_at: null,
    token,
  };
}

/** Without auth anyone may call, and what is minted or refused would count on a server with auth and the same secret. */
function assertAuthOn({ authDisabled }: Call['services']): void {
  if (!authDisabled) return;
  throw new AppError('insufficient_scope', 'A server without auth mints and refuses no tokens.', {
    hint: 'Start it without HELMDECK_DISABLE_AUTH first.',
  });
}

/** The caller that a request names in `subject`: by default, and by its own subject, itself. */
function subjectOf(call: Call, body: Record<string, unknown>): Caller & { subject: string } {
  const { caller } = call.identity;
  const named = text(body, 'subject', 1024);
  const own = { ...caller, subject: caller.subject! }; // defined while auth is on
  return named === undefined || named === own.subject
    ? own
    : namedCaller(call.services, call.identity, named, 'subject');
}

/** Of a token that is unknown here, or another caller's, only those are refused that the caller may revoke: its own. */
async function revokeToken(call: Call) {
  const { services, identity } = call;
  const { tokens, parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  const jti = call.c.req.param('jti') ?? '';
  if (!TOKEN_ID.test(jti)) throw new AppError('not_found', 'There is no such token.');
  const { issuer, subject = '', tenant } = identity.caller;
  const record = await tokens.find(jti);
  const isManaged =
    record && (isAdmin(identity) ? record.tenant === tenant : isSameCaller(record, identity.caller));
  if (isManaged && !covers(identity.scopes, record.scopes)) {
    const missing = record.scopes.find((scope) => !identity.scopes.has(scope));
    throw new AppError(
      'insufficient_scope',
      `That token has the scope ${missing}, which yours does not have.`,
      {
        hint: 'Revoke it with a token that has all of its scopes, or as an admin.',
      },
    );
  }
  if (!isManaged) assertAuthOn(services);
  let count: number;
  if (isManaged) count = await tokens.revokeWithMinted(jti);
  else if (isAdmin(identity)) count = await tokens.refuse({ tenant, jti });
  else
    count = await tokens.refuse({ tenant, caller: { issuer, subject }, jti, scopes: [...identity.scopes] });
  const minted = isManaged ? count - 1 : count;
  await recordAccess(services, identity.caller, {
    action: 'token.revoke',
    target: isManaged ? fullCallerName(record) : undefined,
    detail: minted > 0 ? `jti ${jti} and ${minted} minted with it` : `jti ${jti}`,
  });
  return { revoked: true, known: isManaged === true, tokens: count };
}

async function revokeAll(call: Call) {
  const { services, identity } = call;
  const { tokens, parts } = services.memory();
  parts.limits.takeWrites(parts.directory.idOf(identity.caller), 1);
  assertAuthOn(services);
  const body = asObject((await optionalJsonBody(call.c)) ?? {}, ['subject', 'before']);
  const { issuer, tenant, subject } = subjectOf(call, body);
  const isOwn = isSameCaller({ issuer, tenant, subject }, identity.caller);
  if (!isOwn && !isAdmin(identity)) {
    throw new AppError('insufficient_scope', "Only an admin may revoke another subject's tokens.");
  }
  const issuedUntilMs = requestedTime(body.before, services.now());
  const scopes = isAdmin(identity) ? undefined : [...identity.scopes];
  const count = await tokens.refuse({ tenant, caller: { issuer, subject }, issuedUntilMs, scopes });
  const target = fullCallerName({ issuer, subject });
  const detail = `issued until ${isoMs(issuedUntilMs)} ${count} revoked`;
  await recordAccess(services, identity.caller, { action: 'token.revoke', target, detail });
  // Tokens tell their time of issue in whole seconds. After this one, a new token cannot be taken for a revoked one.
  const waitMs = Math.floor(issuedUntilMs / 1000) * 1000 + 1000 - services.now();
  if (waitMs > 0) await delay(waitMs);
  return { subject: target, before: isoMs(issuedUntilMs), tokens: count };
}

/** An RFC 3339 time that is not in the future; by default now. */
function requestedTime(input: unknown, nowMs: number): number {
  if (input === undefined) return nowMs;
  const timeMs = typeof input === 'string' && RFC_3339.test(input) ? Date.parse(input) : Number.NaN;
  if (timeMs <= nowMs) return timeMs;
  throw new AppError(
    'invalid_input',
    'before must be a time like 2026-05-01T12:00:00Z, and not in the future.',
    {
      reason: 'bad_type',
    },
  );
}

function requestedScopes(input: unknown, identity: Identity): string[] {
  const known: readonly string[] = SCOPES;
  if (!Array.isArray(input) || !input.every((scope) => known.includes(scope))) {
    throw new AppError('invalid_input', `scopes must be some of ${SCOPES.join(', ')}.`, {
      reason: 'bad_type',
    });
  }
  const missing = input.find((scope) => !identity.scopes.has(scope) && !isAdmin(identity));
  if (missing)
    throw new AppError(
      'insufficient_scope',
      `You cannot grant the scope ${missing}, because your token does not have it.`,
    );
  return [...new Set(input as string[])];
}

function requestedTtl(input: unknown): number {
  if (input === undefined) return DEFAULT_TTL_SECONDS;
  if (typeof input === 'number' && Number.isInteger(input) && input >= 60 && input <= MAX_TTL_SECONDS)
    return input;
  throw new AppError('invalid_input', `ttl_seconds must be a whole number from 60 to ${MAX_TTL_SECONDS}.`, {
    reason: 'bad_type',
  });
}

function text(body: Record<string, unknown>, field: string, maxChars: number): string | undefined {
  const value = body[field];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length > 0 && value.length <= maxChars && !/\p{Cc}/u.test(value))
    return value;
  throw new AppError('invalid_input', `${field} must be 1 to ${maxChars} characters of text.`, {
    reason: 'bad_type',
  });
}

function sessionView(identity: Identity) {
  return {
    subject: callerName(identity.caller),
    scopes: [...identity.scopes],
    client: identity.client,
    expires_at: Number.isFinite(identity.expiresMs) ? isoMs(identity.expiresMs) : null,
  };
}

function cookieOptions(call: Call) {
  const secure =
    call.services.publicUrl?.protocol === 'https:' ||
    // From any peer: to claim TLS only makes one's own cookie stricter.
    call.header('x-forwarded-proto') === 'https' ||
    call.c.req.url.startsWith('https:');
  return { path: '/api/v1', httpOnly: true, sameSite: 'Strict', secure } as const;
}
