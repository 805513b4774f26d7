import { generateCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { isoMs } from '../../memory/facts/remember.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { callerName, identityProblem } from '../../memory/namespace.ts';
import { DEFAULT_SCOPES, type Identity, isAdmin, SCOPES } from '../http/auth.ts';
import { bearerToken, SESSION_COOKIE } from '../http/authenticate.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { clientAddress, isUntrustedProxy } from '../http/client-address.ts';
import { assertSameOrigin } from '../http/origin.ts';
import { recordAccess } from './access.ts';
import { integerQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import {
  loginInput,
  loginResponse,
  mintInput,
  mintResponse,
  revokedResponse,
  sessionResponse,
  tokensResponse,
} from './schemas/auth-schemas.ts';

const LOGIN_ERRORS = ['invalid_credentials', 'rate_limited', 'login_disabled'] as const;
const LOGIN_SECONDS = 43_200;
const DEFAULT_TTL_SECONDS = 7_776_000;
const MAX_TTL_SECONDS = 31_536_000;

/** Login, browser sessions and tokens. */
export const authRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/auth/login',
    tag: 'Identity',
    operationId: 'logIn',
    summary: 'Log in as the admin; answers with a token for 12 hours',
    errors: LOGIN_ERRORS,
    scope: 'public',
    body: loginInput,
    response: loginResponse,
    handler: async (call) => logIn(call, await jsonBody(call.c), 'login'),
  },
  {
    method: 'POST',
    path: '/api/v1/auth/session',
    tag: 'Identity',
    operationId: 'signIn',
    summary: 'Open a browser session with the login or a bearer token; sets a cookie',
    responseHeaders: ['Set-Cookie'],
    errors: LOGIN_ERRORS,
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
    operationId: 'whoAmI',
    summary: 'Who you are, as the server sees it',
    worksWithoutMemory: true,
    scope: 'any',
    response: sessionResponse,
    handler: async (call) => sessionView(call.identity),
  },
  {
    method: 'DELETE',
    path: '/api/v1/auth/session',
    tag: 'Identity',
    operationId: 'signOut',
    summary: 'Sign out: the cookie goes, and the login behind it is revoked',
    responseHeaders: ['Set-Cookie'],
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
    operationId: 'listTokens',
    summary: 'Tokens minted here: your own, or all of them for an admin',
    scope: 'any',
    query: z.object({
      limit: z.int().min(1).max(200).optional().describe('default 100'),
      cursor: z.string().optional(),
    }),
    response: tokensResponse,
    async handler(call) {
      const { subject, tenant } = call.identity.caller;
      // An admin sees all tokens of the tenant, as when listing callers and revoking.
      const owner = isAdmin(call.identity) ? { tenant } : { subject: subject ?? '', tenant };
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
    operationId: 'mintToken',
    summary: 'Mint a token for yourself with the same or fewer scopes; for anyone as an admin',
    errors: ['rate_limited', 'login_disabled'],
    scope: 'any',
    body: mintInput.optional(),
    response: mintResponse,
    handler: (call) => mint(call),
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/{jti}',
    tag: 'Identity',
    operationId: 'revokeToken',
    summary: 'Revoke a token at once',
    errors: ['not_found'],
    scope: 'any',
    response: revokedResponse,
    async handler(call) {
      const { tokens } = call.services.memory();
      const jti = call.c.req.param('jti') ?? '';
      const record = await tokens.find(jti);
      const { subject, tenant } = call.identity.caller;
      const mine = record?.subject === subject && record?.tenant === tenant;
      if (!record || !(mine || (isAdmin(call.identity) && record.tenant === tenant))) {
        throw new AppError('not_found', 'There is no such token.');
      }
      const revoked = await tokens.revoke(jti);
      const event = { action: 'token.revoke', target: record.subject, detail: `jti ${jti}` };
      await recordAccess(call.services, call.identity.caller, event);
      return { revoked };
    },
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
  if (services.authDisabled) {
    // Anyone may call, and the token would be valid on a server with auth and the same secret.
    throw new AppError('insufficient_scope', 'A server without auth mints no tokens.', {
      hint: 'Start it without HELMDECK_DISABLE_AUTH, then mint.',
    });
  }
  const body = asObject((await optionalJsonBody(call.c)) ?? {}, [
    'name',
    'client',
    'scopes',
    'ttl_seconds',
    'subject',
  ]);
  const subject = text(body, 'subject', 256) ?? identity.caller.subject!; // defined while auth is on
  const problem = identityProblem('sub', subject);
  if (problem) throw new AppError('invalid_input', `The ${problem}.`, { reason: 'bad_type' });
  if (subject !== identity.caller.subject && !isAdmin(identity)) {
    throw new AppError('insufficient_scope', 'Only an admin may mint a token for another subject.');
  }
  const { token, record } = await services.auth.mint({
    caller: { ...identity.caller, subject },
    scopes: requestedScopes(body.scopes ?? defaultScopes(subject, identity), identity),
    ttlSeconds: requestedTtl(body.ttl_seconds),
    // Otherwise a token could extend its own life for ever, and a short-lived one would be no safer than a long-lived one.
    notAfterMs: isAdmin(identity) ? undefined : identity.expiresMs,
    name: text(body, 'name', 128),
    client: text(body, 'client', 64),
  });
  await tokens.add(record);
  const detail = `jti ${record.jti} scopes ${record.scopes.join(' ')}`;
  await recordAccess(services, identity.caller, { action: 'token.mint', target: subject, detail });
  const { createdMs, expiresMs, tenant: _, ...rest } = record;
  return {
    ...rest,
    created_at: isoMs(createdMs),
    expires_at: isoMs(expiresMs),
    last_used_at: null,
    revoked_at: null,
    token,
  };
}

/** The caller's own scopes for itself, the default ones for another subject. */
function defaultScopes(subject: string, identity: Identity): readonly string[] {
  return subject === identity.caller.subject ? [...identity.scopes] : DEFAULT_SCOPES;
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
