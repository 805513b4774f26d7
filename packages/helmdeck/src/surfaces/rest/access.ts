import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { type Caller, callerName, identityProblem } from '../../memory/namespace.ts';
import { ANONYMOUS, type Identity, isAdmin } from '../http/auth.ts';
import { assertLocalPage, bearerOf, hostOf, requestHeader } from '../http/request.ts';
import type { RestServices, Route } from './route.ts';

export const SESSION_COOKIE = 'helmdeck_session';

/** Proves who calls: a bearer token, the browser's session cookie, or nobody where auth is off. */
export async function authenticate(c: Context, services: RestServices): Promise<Identity> {
  if (services.authDisabled) {
    assertLocalPage((name) => requestHeader(c, name), services.loopback);
    return ANONYMOUS;
  }
  const bearer = bearerToken(c);
  const cookie = bearer === undefined ? sessionCookie(c) : undefined;
  if (cookie !== undefined) assertSameOrigin(c);
  const token = bearer ?? cookie;
  if (token === undefined) throw new AppError('missing_bearer', 'There is no bearer token.');
  const identity = await services.auth.verify(token);
  if (identity.jti !== undefined) services.memoryIfOn()?.tokens.used(identity.jti);
  return identity;
}

export function bearerToken(c: Context): string | undefined {
  return bearerOf((name) => requestHeader(c, name));
}

/** The session cookie, valid under `/api/v1` only and never for MCP, whose clients are not browsers. */
function sessionCookie(c: Context): string | undefined {
  const path = c.req.path;
  if (!path.startsWith('/api/v1/') || path.startsWith('/api/v1/mcp')) return undefined;
  const match = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]+)`).exec(requestHeader(c, 'cookie') ?? '');
  return match?.[1];
}

/** Refuses what another site's page sent; without proof of the origin a cookie counts for nothing. */
export function assertSameOrigin(c: Context): void {
  const site = requestHeader(c, 'sec-fetch-site');
  const origin = requestHeader(c, 'origin');
  const sameOrigin = origin !== undefined && hostOf(origin) === requestHeader(c, 'host');
  if (site === undefined ? sameOrigin : site === 'same-origin' && (origin === undefined || sameOrigin))
    return;
  throw new AppError('forbidden_origin', 'The session cookie is accepted from the same origin only.');
}

/** `?caller=` is obeyed or refused, never overlooked: who names somebody must not get an answer about themselves. */
export function assertMayNameCaller(c: Context, route: Route, identity: Identity): void {
  if (!route.path.startsWith('/api/v1/') || c.req.query('caller') === undefined) return;
  if (route.scope !== 'public') assertNamesCallers(identity);
  if (!route.takesCaller) {
    throw new AppError('invalid_input', 'caller is not a parameter of this route.', {
      reason: 'unknown_field',
    });
  }
  if (c.req.queries('caller')!.length > 1)
    throw new AppError('invalid_input', 'caller is given more than once.', { reason: 'bad_type' });
}

/** Admins may; the anonymous caller of a server without auth is nobody, and stays with its own. */
function assertNamesCallers(identity: Identity): void {
  if (isAdmin(identity) && identity.caller.subject !== undefined) return;
  throw new AppError('insufficient_scope', 'Only an admin may name another caller.');
}

/** The memory a request is about. Naming another caller is for admins; whoever asks for it also notes it. */
export function memoryFor(services: RestServices, identity: Identity, subject: string | undefined): Memory {
  const { parts } = services.memory();
  if (subject === undefined) return createMemory(parts, identity.caller);
  assertNamesCallers(identity);
  const problem = identityProblem('sub', subject);
  if (problem) {
    throw new AppError('invalid_input', `caller cannot be this: ${problem}.`, { reason: 'bad_type' });
  }
  return createMemory(parts, { ...identity.caller, subject });
}

/** Leaves a trace in the access audit: who did what to whom, never a key or a value. */
export async function noteAccess(
  services: RestServices,
  actor: Caller,
  event: { action: string; target?: string; detail?: string },
): Promise<void> {
  await services.memoryIfOn()?.audit.record({ ...event, actor: callerName(actor), tenant: actor.tenant });
}
