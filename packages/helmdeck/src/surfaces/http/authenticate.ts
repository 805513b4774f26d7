import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { ANONYMOUS, type Identity, inBrowser } from './auth.ts';
import { assertLocalPage, assertSameOrigin, hasOwnHost, unknownHost } from './origin.ts';
import { type HttpServices, requestHeader } from './request-context.ts';

export const SESSION_COOKIE = 'helmdeck_session';
const SESSION_COOKIE_VALUES = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]+)`, 'g');

/** The identity behind a request on any surface: from a bearer token, the browser's session cookie, or auth being off. */
export async function authenticate(c: Context, services: HttpServices): Promise<Identity> {
  if (services.authDisabled) {
    assertLocalPage(c, services);
    return ANONYMOUS;
  }
  const bearer = bearerToken(c);
  const cookie = bearer === undefined ? sessionCookie(c) : undefined;
  if (cookie !== undefined) assertSameOrigin(c, services);
  const token = bearer ?? cookie;
  if (token === undefined) throw new AppError('missing_bearer', 'There is no bearer token.');
  const identity = await services.auth.verify(token);
  if (identity.jti !== undefined) services.memoryIfOn()?.tokens.used(identity.jti);
  return cookie === undefined ? identity : inBrowser(identity);
}

/**
 * Rejects requests without a valid token under a host name that a web page may have rebound to this server. With a token
 * the name does not matter: such a page has none.
 */
export async function assertOwnHost(c: Context, services: HttpServices): Promise<void> {
  if (hasOwnHost(c, services)) return;
  const bearer = bearerToken(c);
  if (bearer === undefined) throw unknownHost();
  await services.auth.verify(bearer);
}

/** The token of the Authorization header, if there is one. Programs made for another server send it in their own way. */
export function bearerToken(c: Context): string | undefined {
  const isCompat = c.req.path.startsWith('/compat/');
  const header = requestHeader(c, 'authorization');
  if (header === undefined) return isCompat ? requestHeader(c, 'x-api-key') : undefined;
  const match = (isCompat ? /^(?:Bearer|Token) +(\S+) *$/i : /^Bearer +(\S+) *$/i).exec(header);
  if (!match) throw new AppError('invalid_token', 'The Authorization header is not "Bearer <token>".');
  return match[1];
}

/** Whether a person asks from a page in the browser, with its session cookie or while auth is off, and not a program. */
export const isFromPage = (c: Context) =>
  bearerToken(c) === undefined &&
  (sessionCookie(c) !== undefined || requestHeader(c, 'sec-fetch-site') !== undefined);

/**
 * The session cookie, valid under `/api/v1` only and never for MCP, whose clients are not browsers. A site under the same
 * domain can add another of that name, for some paths only: then a person would read as themselves and consent as another.
 */
function sessionCookie(c: Context): string | undefined {
  const path = c.req.path;
  if (!path.startsWith('/api/v1/') || path.startsWith('/api/v1/mcp')) return undefined;
  const [first, ...others] = (requestHeader(c, 'cookie') ?? '').matchAll(SESSION_COOKIE_VALUES);
  if (others.length === 0) return first?.[1];
  throw new AppError('forbidden_origin', 'There are two session cookies, so one is of another site.', {
    hint: 'Delete the cookies of this site and of its domain in the browser, and sign in again.',
  });
}

/** Whether a token has expired or been revoked since it was verified; streams and sessions outlive that check. */
export function hasEnded(services: Pick<HttpServices, 'now' | 'memoryIfOn'>, identity: Identity): boolean {
  if (services.now() >= identity.expiresMs) return true;
  return services.memoryIfOn()?.tokens.isRevoked(identity) ?? false;
}
