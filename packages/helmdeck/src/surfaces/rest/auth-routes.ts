import { generateCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { callerName } from '../../memory/namespace.ts';
import { covers } from '../../memory/revocations.ts';
import { isoMs } from '../../memory/times.ts';
import { type Identity, inBrowser } from '../http/auth.ts';
import { bearerToken, SESSION_COOKIE } from '../http/authenticate.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { clientAddress, isUntrustedProxy } from '../http/client-address.ts';
import { assertSameOrigin } from '../http/origin.ts';
import { recordAccess } from './access.ts';
import { choiceQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import { loginInput, loginResponse, revokedResponse, sessionResponse } from './schemas/auth-schemas.ts';

const LOGIN_ERRORS = ['invalid_credentials', 'rate_limited', 'login_disabled'] as const;
const LOGIN_SECONDS = 43_200;
const WHICH = ['this', 'others'] as const;

/** Login and browser sessions. */
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
      return sessionView(inBrowser(identity));
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
    query: z.object({
      which: z.enum(WHICH).optional().describe('others: end your other browser sessions instead of this one'),
    }),
    response: revokedResponse,
    async handler(call) {
      if (choiceQuery(call, 'which', WHICH) === 'others') return { revoked: await endOthers(call) };
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
];

/** Like sign-out, this revokes nothing that was minted in those sessions: the clients connected there stay connected. */
async function endOthers({ services, identity }: Call): Promise<boolean> {
  const { issuer, subject, tenant } = identity.caller;
  const tokens = services.memoryIfOn()?.tokens;
  if (!tokens || subject === undefined) return false;
  const others = (await tokens.list({ issuer, subject, tenant })).filter(
    ({ client, jti, revoked_at, scopes }) =>
      client === 'browser' && jti !== identity.jti && revoked_at === null && covers(identity.scopes, scopes),
  );
  for (const { jti } of others) await tokens.revoke(jti);
  if (others.length > 0)
    await recordAccess(services, identity.caller, {
      action: 'token.revoke',
      detail: `${others.length} other browser sessions`,
    });
  return others.length > 0;
}

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

function sessionView(identity: Identity) {
  return {
    subject: callerName(identity.caller),
    scopes: [...identity.scopes],
    client: identity.client,
    jti: identity.jti,
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
