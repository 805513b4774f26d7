import { generateCookie } from 'hono/cookie';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { AppError } from '../../../errors.ts';
import { callerOfAccount, scopesOf } from '../../../identity/account.ts';
import { endAccess } from '../../../identity/end-access.ts';
import {
  type OidcSignIn,
  type SignInChecks,
  SignInError,
  type SignInProblem,
} from '../../../identity/oidc-client.ts';
import { fullCallerName } from '../../../memory/namespace.ts';
import { recordAccess } from '../access.ts';
import { cookieOptions, mintSession, openBrowserSession } from '../auth-routes.ts';
import type { Call, RestServices, UndocumentedRoute } from '../route.ts';

const PATH = '/api/v1/auth/oidc';
const COOKIE = 'helmdeck_sign_in';
const COOKIE_VALUE = new RegExp(`(?:^|; *)${COOKIE}=([^;]+)`);
const SIGN_IN_SECONDS = 600;
/** Browsers drop cookies of more than 4,096 bytes. Sealed, the path takes a third more, and the rest some 500. */
const MAX_PATH_CHARS = 2_400;

/** The two addresses of a sign-in that a browser visits. They answer with redirects, never with JSON. */
export const oidcRoutes: readonly UndocumentedRoute[] = [
  { method: 'GET', path: `${PATH}/start`, scope: 'public', handler: start },
  { method: 'GET', path: `${PATH}/callback`, scope: 'public', handler: finish },
];

async function start(call: Call): Promise<Response> {
  const { client, key } = signInOf(call.services);
  try {
    const { url, checks } = await client.start();
    const returnTo = ownPath(call.query('return_to'), call.services);
    return redirect(call, url.href, await sealed(call, key, { ...checks, returnTo }));
  } catch (thrown) {
    return explain(call, problemOf(call, thrown));
  }
}

/**
 * The provider's answer counts only in the browser that began the sign-in: the state, the nonce and the code verifier are
 * in a sealed cookie, which any node with the same secret can open, and which is gone afterwards.
 */
async function finish(call: Call): Promise<Response> {
  const { services } = call;
  const { client, key } = signInOf(services);
  try {
    const begun = await opened(call, key);
    if (!begun) throw new SignInError('expired');
    const person = await client.finish(new URL(call.c.req.url).searchParams, begun);
    const { accounts } = services.memory();
    const account = await accounts.signInExternal({ ...person, caller: callerOf(services, person) });
    if (account.disabled) throw new SignInError('account_disabled', { person });
    const caller = callerOfAccount(account);
    const { token } = await mintSession(call, { caller, scopes: scopesOf(account), account }, 'browser');
    await openBrowserSession(call, token);
    return redirect(
      call,
      services.publicUrl!.origin + begun.returnTo,
      call.headers['set-cookie']!,
      cleared(call),
    );
  } catch (thrown) {
    if (thrown instanceof SignInError) await refuse(call, thrown);
    return explain(call, problemOf(call, thrown));
  }
}

/**
 * The provider may have sent a person away from every group that is allowed: then nothing of theirs works any more. Only
 * what it says of a person is recorded: anyone can send answers that are not its own, and could fill the audit with them.
 */
async function refuse({ services }: Call, { problem, person }: SignInError): Promise<void> {
  if (!person) return;
  const actor = callerOf(services, person);
  const detail = `identity provider: ${problem}`;
  await recordAccess(services, actor, { action: 'login.failed', detail });
  const { accounts, tokens } = services.memory();
  if (problem !== 'not_allowed' || !accounts.of(actor)) return;
  const ended = await endAccess(tokens, actor, services.now);
  await recordAccess(services, actor, {
    action: 'token.revoke',
    target: fullCallerName(actor),
    detail: `${ended} revoked, ${detail}`,
  });
}

/** The caller that the provider's subject stands for: the memory that its issuer adopted, if there is one. */
function callerOf(services: RestServices, { issuer, subject }: { issuer: string; subject: string }) {
  const caller = services.callerNamed(fullCallerName({ issuer, subject }), undefined);
  return { ...caller, subject: caller.subject! };
}

function signInOf({ oidc }: RestServices): OidcSignIn {
  if (oidc) return oidc;
  throw new AppError('not_found', 'This server has no sign-in with an identity provider.');
}

function problemOf({ services }: Call, thrown: unknown): SignInProblem {
  if (!(thrown instanceof SignInError)) throw thrown;
  const { cause } = thrown;
  // The library's messages name what was wrong and quote neither tokens nor claims.
  const why = cause instanceof Error ? cause.message : undefined;
  if (thrown.problem === 'failed' || thrown.problem === 'provider_unreachable')
    services.log.warn({ problem: thrown.problem, why }, 'a sign-in with the identity provider failed');
  return thrown.problem;
}

/** Back to the sign-in page, which says in words what went wrong. */
const explain = (call: Call, problem: SignInProblem) =>
  redirect(call, `${call.services.publicUrl!.origin}/?sign_in=${problem}`, cleared(call));

function redirect(call: Call, location: string, ...cookies: string[]): Response {
  const headers = new Headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location });
  headers.set('x-request-id', call.requestId);
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

/** A path of this server's own pages; the front page for everything else, so that no link leads elsewhere. */
function ownPath(input: string | undefined, { publicUrl }: RestServices): string {
  if (input === undefined || input.length > MAX_PATH_CHARS) return '/';
  if (!input.startsWith('/') || !URL.canParse(input, publicUrl!.origin)) return '/';
  const { origin, pathname, search, hash } = new URL(input, publicUrl!.origin);
  const isOwn = origin === publicUrl!.origin && !pathname.startsWith('//') && !pathname.startsWith('/api/');
  return isOwn ? pathname + search + hash : '/';
}

type Begun = SignInChecks & { returnTo: string };

/** Lax, because the browser comes back from another site. */
const signInCookie = (call: Call, value: string, maxAge: number) =>
  generateCookie(COOKIE, value, { ...cookieOptions(call), path: PATH, sameSite: 'Lax', maxAge });
const cleared = (call: Call) => signInCookie(call, '', 0);

async function sealed(call: Call, key: Uint8Array, begun: Begun): Promise<string> {
  const value = await new EncryptJWT({ ...begun })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(Math.floor(call.services.now() / 1000) + SIGN_IN_SECONDS)
    .encrypt(key);
  return signInCookie(call, value, SIGN_IN_SECONDS);
}

async function opened(call: Call, key: Uint8Array): Promise<Begun | undefined> {
  const value = COOKIE_VALUE.exec(call.header('cookie') ?? '')?.[1];
  if (value === undefined) return undefined;
  try {
    const { payload } = await jwtDecrypt<Begun>(value, key, {
      currentDate: new Date(call.services.now()),
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return payload;
  } catch {
    return undefined;
  }
}
