import { generateCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { endSessions } from '../../identity/end-access.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { isPersonsClient } from '../../memory/gate/trust.ts';
import { callerName, fullCallerName } from '../../memory/namespace.ts';
import { covers } from '../../memory/revocations.ts';
import { isoMs } from '../../memory/times.ts';
import { type Identity, inBrowser } from '../http/auth.ts';
import { bearerToken, SESSION_COOKIE } from '../http/authenticate.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { clientAddress, isOverTls, isUntrustedProxy } from '../http/client-address.ts';
import { BROWSER_COOKIE, BROWSER_SECONDS } from '../http/known-browsers.ts';
import type { Person } from '../http/login-guard.ts';
import { assertSameOrigin } from '../http/origin.ts';
import { assertAudience } from '../http/protected-resource.ts';
import { recordAccess } from './access.ts';
import { choiceQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import { loginInput, loginResponse, revokedResponse, sessionResponse } from './schemas/auth-schemas.ts';

const LOGIN_ERRORS = ['invalid_credentials', 'rate_limited', 'login_disabled'] as const;
const LOGIN_SECONDS = 43_200;
const WHICH = ['this', 'others', 'all'] as const;

/** Login and browser sessions. */
export const authRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/auth/login',
    tag: 'Identity',
    operationId: 'logIn',
    summary: 'Log in as the admin or with an account; answers with a token for 12 hours',
    errors: LOGIN_ERRORS,
    scope: 'public',
    body: loginInput,
    response: loginResponse,
    async handler(call) {
      const { username: _, ...login } = await logIn(call, await jsonBody(call.c), 'login');
      return login;
    },
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
      const bearer = bearerToken(call.c);
      if (bearer !== undefined) return openBrowserSession(call, bearer);
      const { token, username } = await logIn(call, await optionalJsonBody(call.c), 'browser');
      return rememberBrowser(call, username, await openBrowserSession(call, token));
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
    handler: async (call) => sessionView(call, call.identity),
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
      which: z
        .enum(WHICH)
        .optional()
        .describe(
          'others: end your other browser sessions instead; all: every session and login, this one too',
        ),
    }),
    response: revokedResponse,
    async handler(call) {
      const which = choiceQuery(call, 'which', WHICH);
      if (which === 'others') return { revoked: await endOthers(call) };
      const tokens = call.services.memoryIfOn()?.tokens;
      const { jti } = call.identity;
      const record = jti === undefined ? undefined : await tokens?.find(jti);
      // A pasted token may be in use by another client; only a token that this login minted is revoked.
      const revoked =
        which === 'all'
          ? await endEverywhere(call)
          : record?.client === 'browser' && (await tokens!.revoke(record.jti));
      call.headers['set-cookie'] = generateCookie(SESSION_COOKIE, '', {
        ...cookieOptions(call),
        maxAge: 0,
      });
      return { revoked: revoked === true };
    },
  },
];

/**
 * Sets the session cookie. A cookie from before the sign-in is replaced, so none can be planted. The token of an
 * application opens no session: it is for MCP only.
 */
export async function openBrowserSession(call: Call, token: string) {
  const identity = await call.services.auth.verify(token);
  assertAudience(identity, undefined);
  call.headers['set-cookie'] = generateCookie(SESSION_COOKIE, token, {
    ...cookieOptions(call),
    maxAge: Math.min(34_560_000, Math.floor((identity.expiresMs - call.services.now()) / 1000)),
  });
  return sessionView(call, inBrowser(identity));
}

async function endEverywhere({ services, identity }: Call): Promise<boolean> {
  const tokens = services.memoryIfOn()?.tokens;
  if (!tokens || identity.caller.subject === undefined) return false;
  const ended = await endSessions(tokens, identity.caller);
  await recordAccess(services, identity.caller, {
    action: 'token.revoke',
    detail: `${ended} sessions, everywhere`,
  });
  return ended > 0;
}

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
  const body = asObject(input ?? {}, ['username', 'password']);
  const { username, password } = body;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new AppError('invalid_input', 'username and password are required, as strings.', {
      reason: 'bad_type',
    });
  }
  const person = await checkPassword(call, username, password);
  const { token, record } = await mintSession(call, person, client);
  return { token, subject: record.subject, expires_at: isoMs(record.expiresMs), username };
}

/** Answers with a second cookie, by which failed logins in this browser are counted apart from those of its address. */
function rememberBrowser(call: Call, username: string, view: object): Response {
  const headers = new Headers(call.headers);
  const value = call.services.login.browserCookie(username);
  const options = { ...cookieOptions(call), path: '/api/v1/auth', maxAge: BROWSER_SECONDS };
  if (value !== undefined) headers.append('set-cookie', generateCookie(BROWSER_COOKIE, value, options));
  return new Response(JSON.stringify(view), { headers });
}

/** Checks a password with lock-out, and audits failures. */
export async function checkPassword(call: Call, username: string, password: string): Promise<Person> {
  const { services } = call;
  try {
    const address = clientAddress(call.c, services.trustedProxies);
    return await services.login.check(username, password, address, call.header('cookie'));
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'rate_limited') throw explainLockOut(call, thrown);
    // Attempts during a lock-out are not recorded: an attacker could fill the audit with them.
    if (thrown instanceof AppError && thrown.code === 'invalid_credentials') {
      await recordAccess(services, { subject: undefined }, { action: 'login.failed' });
    }
    throw thrown;
  }
}

/** Mints the token of a person who proved who they are. */
export async function mintSession(
  { services }: Call,
  { caller, scopes, account }: Person,
  client: 'login' | 'browser',
) {
  const minted = await services.auth.mint({ caller, scopes, ttlSeconds: LOGIN_SECONDS, client });
  const { jti } = minted.record;
  const memory = services.memoryIfOn();
  await memory?.tokens.add(minted.record);
  if (memory && account) {
    // Another node may have disabled the account, or changed its role, while the password was checked.
    const { role, disabled } = await memory.accounts.signedIn(account.id);
    if (disabled || role !== account.role) {
      await memory.tokens.revoke(jti);
      throw new AppError('invalid_credentials', 'The account was changed just now: sign in again.');
    }
  }
  await recordAccess(services, caller, { action: 'login', detail: `jti ${jti}` });
  return minted;
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

function sessionView({ services }: Call, identity: Identity) {
  const isPersons = isPersonsClient(identity.client);
  const account = isPersons ? services.memoryIfOn()?.accounts.of(identity.caller) : undefined;
  return {
    subject: callerName(identity.caller),
    caller: fullCallerName(identity.caller),
    scopes: [...identity.scopes],
    client: identity.client,
    jti: identity.jti,
    account: account && {
      display_name: account.displayName ?? null,
      role: account.role,
      has_password: account.passwordHash !== undefined,
    },
    expires_at: Number.isFinite(identity.expiresMs) ? isoMs(identity.expiresMs) : null,
  };
}

export function cookieOptions(call: Call) {
  const { publicUrl, trustedProxies } = call.services;
  const secure = publicUrl?.protocol === 'https:' || isOverTls(call.c, trustedProxies);
  return { path: '/api/v1', httpOnly: true, sameSite: 'Strict', secure } as const;
}
