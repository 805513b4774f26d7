import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { requestHeader } from './request-context.ts';

/** Checks of Host, Origin and Sec-Fetch-Site: which web pages may reach the server through a browser. */

/** Without auth, rejects requests that a browser sends for a page of another site. */
export function assertLocalPage(c: Context, loopback: boolean): void {
  const site = requestHeader(c, 'sec-fetch-site');
  // A browser sends no Origin with a form's GET, an image or a link, but always marks them as cross-site.
  const crossSite = site === 'cross-site' || site === 'same-site';
  const host = requestHeader(c, 'host') ?? '';
  const origin = requestHeader(c, 'origin');
  const foreign = !isLocalName(host) || (origin !== undefined && hostOf(origin) !== host);
  if (crossSite || (loopback && foreign)) {
    throw new AppError(
      'forbidden_origin',
      'Without auth, only local programs and pages of this server may call it.',
    );
  }
}

/** Only browsers send Origin. It must be this server's own, and on a loopback server a local name (DNS rebinding). */
export function assertOwnOrigin(c: Context, loopback: boolean): void {
  const origin = requestHeader(c, 'origin');
  if (origin === undefined) return;
  const host = requestHeader(c, 'host') ?? '';
  if (hostOf(origin) === host && (!loopback || isLocalName(host))) return;
  throw new AppError('forbidden_origin', 'Pages of other sites may not call this address.');
}

/** Rejects a session cookie unless the browser proves that a page of this server sent it. */
export function assertSameOrigin(c: Context): void {
  const site = requestHeader(c, 'sec-fetch-site');
  const origin = requestHeader(c, 'origin');
  const sameOrigin = origin !== undefined && hostOf(origin) === requestHeader(c, 'host');
  if (site === undefined ? sameOrigin : site === 'same-origin' && (origin === undefined || sameOrigin))
    return;
  throw new AppError('forbidden_origin', 'The session cookie is accepted from the same origin only.');
}

/** Whether a Host header names this machine; a web page may have rebound any other name to it. */
export function isLocalName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
