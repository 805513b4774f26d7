import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { parseIp } from '../../packs/egress/ip-address.ts';
import { requestedHost } from './client-address.ts';
import { type HttpServices, requestHeader } from './request-context.ts';

/**
 * Checks of Host, Origin and Sec-Fetch-Site: which web pages may reach the server through a browser. A page can bind its
 * own DNS name to the address of this server; the browser then takes both for one site, and only Host tells them apart.
 */

type OwnNames = Pick<HttpServices, 'loopback' | 'listenHost' | 'publicUrl' | 'trustedProxies'>;

/** Without auth, rejects requests that a browser sends for a page of another site. */
export function assertLocalPage(c: Context, names: OwnNames): void {
  const site = requestHeader(c, 'sec-fetch-site');
  // A browser sends no Origin with a form's GET, an image or a link, but always marks them as cross-site.
  const crossSite = site === 'cross-site' || site === 'same-site';
  const host = requestedHost(c, names.trustedProxies) ?? '';
  const origin = requestHeader(c, 'origin');
  const own = names.loopback ? isLocalName(host) || isPublicName(host, names) : isOwnHost(host, names);
  if (!crossSite && own && (origin === undefined || isOwnOrigin(origin, host, names))) return;
  throw new AppError(
    'forbidden_origin',
    'Without auth, only local programs and pages of this server may call it.',
  );
}

/** Only browsers send Origin. It must be this server's own. */
export function assertOwnOrigin(c: Context, names: OwnNames): void {
  const origin = requestHeader(c, 'origin');
  if (origin === undefined || isOwnOrigin(origin, requestedHost(c, names.trustedProxies) ?? '', names))
    return;
  throw new AppError('forbidden_origin', 'Pages of other sites may not call this address.', {
    hint: 'If the page is served by this server under a public name, set HELMDECK_PUBLIC_URL there.',
  });
}

/** Rejects a session cookie unless the browser proves that a page of this server sent it. */
export function assertSameOrigin(c: Context, names: OwnNames): void {
  const site = requestHeader(c, 'sec-fetch-site');
  const origin = requestHeader(c, 'origin');
  const host = requestedHost(c, names.trustedProxies);
  const sameOrigin = origin !== undefined && host !== undefined && isOwnOrigin(origin, host, names);
  const sentByPage = site === 'same-origin' && origin === undefined && hasOwnHost(c, names);
  if ((site === undefined || site === 'same-origin') && (sameOrigin || sentByPage)) return;
  throw new AppError('forbidden_origin', 'The session cookie is accepted from the same origin only.');
}

/** Whether the request names this server in a way that no web page can have rebound to it. */
export function hasOwnHost(c: Context, names: OwnNames): boolean {
  const host = requestedHost(c, names.trustedProxies);
  // Only a call inside this process has no Host header.
  return host === undefined || isOwnHost(host, names);
}

export function unknownHost(): AppError {
  return new AppError('forbidden_origin', 'This server does not serve the host name of the request.', {
    reason: 'unknown_host',
    hint: 'Set HELMDECK_PUBLIC_URL on the server to the URL that clients use, or call it by its IP address or with a bearer token.',
  });
}

/** Whether a Host header names this machine; a web page may have rebound any other name to it. */
export function isLocalName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

/** Suffixes of names that no public DNS server resolves, so no web page can own one. */
const INTERNAL_NAME = /\.(localhost|local|internal|home\.arpa|svc)$/;

/**
 * Whether a Host header names this server: by IP address, by its public name, or by the name it listens on; for a server
 * that other machines reach, also by a name inside their network, such as that of a container or a service.
 */
function isOwnHost(host: string, names: OwnNames): boolean {
  const name = hostName(host);
  if (isLocalName(host) || isPublicName(host, names) || parseIp(name)) return true;
  if (names.loopback) return false;
  return !name.includes('.') || INTERNAL_NAME.test(name) || name === names.listenHost.toLowerCase();
}

/** Ports do not matter: a proxy may listen on another one, and rebinding cannot change the name. */
function isPublicName(host: string, { publicUrl }: OwnNames): boolean {
  return publicUrl !== undefined && hostName(host) === publicUrl.hostname;
}

const hostName = (host: string) => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

function isOwnOrigin(origin: string, host: string, names: OwnNames): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin === names.publicUrl?.origin) return true;
  // Under the public name the scheme counts as well: a page without TLS may come from anywhere.
  const wrongScheme = isPublicName(host, names) && !isLocalName(host);
  return url.host === host && isOwnHost(host, names) && !wrongScheme;
}
