import type { Context } from 'hono';
import {
  type IpAddress,
  type IpNetwork,
  isInside,
  parseIp,
  parseNetwork,
} from '../../packs/egress/ip-address.ts';
import { incomingOf, requestHeader } from './request-context.ts';

// What is known of a client from the connection and, behind a trusted proxy, from the headers that the proxy sets.

const MAPPED_IPV4 = parseNetwork('::ffff:0:0/96')!;
const LOOPBACK = [parseNetwork('127.0.0.0/8')!, parseNetwork('::1')!];
/** Calls inside the process have no socket. */
const IN_PROCESS = '127.0.0.1';
const IPV6_NETWORK_BYTES = 8;
/** All clients without an address together. */
const UNKNOWN = 'unknown';

/**
 * The address of the client: the peer's, or, if the peer is a trusted proxy, the right-most one of X-Forwarded-For that is
 * not a trusted proxy. Everything left of that one is what the client itself claims. If a trusted proxy forwards for
 * something that is not an address, the client is unknown: it must not count as the proxy, which may be this machine.
 */
export function clientAddress(c: Context, trustedProxies: readonly IpNetwork[]): string {
  let client = peerAddress(c);
  const forwarded = (requestHeader(c, 'x-forwarded-for') || undefined)?.split(',') ?? [];
  while (forwarded.length > 0 && isTrusted(client, trustedProxies)) {
    const next = forwarded
      .pop()!
      .trim()
      .replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
    if (!parseIp(next)) return UNKNOWN;
    client = next;
  }
  return client;
}

/** The Host that the client asked for: what a trusted proxy says, else the header of the request. */
export function requestedHost(c: Context, trustedProxies: readonly IpNetwork[]): string | undefined {
  return forwarded(c, 'x-forwarded-host', trustedProxies) ?? requestHeader(c, 'host');
}

/** Whether the client reached this server, or a trusted proxy in front of it, over TLS. */
export function isOverTls(c: Context, trustedProxies: readonly IpNetwork[]): boolean {
  const scheme = forwarded(c, 'x-forwarded-proto', trustedProxies);
  return scheme?.toLowerCase() === 'https' || c.req.url.startsWith('https:');
}

/** The origin under which the client reached this server, for links that it can follow. */
export function requestedOrigin(c: Context, trustedProxies: readonly IpNetwork[]): string {
  const host = requestedHost(c, trustedProxies) ?? new URL(c.req.url).host;
  return `${isOverTls(c, trustedProxies) ? 'https' : 'http'}://${host}`;
}

/** The last value of a header that proxies set, if the peer is a trusted one: what comes before it may be the client's. */
function forwarded(c: Context, name: string, trustedProxies: readonly IpNetwork[]): string | undefined {
  const value = requestHeader(c, name)?.split(',').at(-1)?.trim();
  return value && isTrusted(peerAddress(c), trustedProxies) ? value : undefined;
}

/** Whether a proxy forwarded the request that HELMDECK_TRUSTED_PROXIES does not list. */
export function isUntrustedProxy(c: Context, trustedProxies: readonly IpNetwork[]): boolean {
  return requestHeader(c, 'x-forwarded-for') !== undefined && !isTrusted(peerAddress(c), trustedProxies);
}

function peerAddress(c: Context): string {
  const incoming = incomingOf(c);
  return incoming ? (incoming.socket.remoteAddress ?? '') : IN_PROCESS;
}

function isTrusted(address: string, trustedProxies: readonly IpNetwork[]): boolean {
  const bytes = plainIp(address);
  return bytes !== undefined && trustedProxies.some((network) => isInside(bytes, network));
}

/** The network that one client is assumed to have: its IPv4 address, or the /64 of its IPv6 address. */
export function networkOf(address: string): string {
  const bytes = plainIp(address);
  if (!bytes) return UNKNOWN;
  return bytes.length === 4
    ? bytes.join('.')
    : Buffer.from(bytes.subarray(0, IPV6_NETWORK_BYTES)).toString('hex');
}

export function isLoopbackAddress(address: string): boolean {
  const bytes = plainIp(address);
  return bytes !== undefined && LOOPBACK.some((network) => isInside(bytes, network));
}

/** The bytes of an address; an IPv4 peer of an IPv6 socket has its IPv4 ones. */
function plainIp(address: string): IpAddress | undefined {
  const bytes = parseIp(address);
  return bytes && isInside(bytes, MAPPED_IPV4) ? bytes.subarray(12) : bytes;
}
