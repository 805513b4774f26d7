import { AppError } from '../../errors.ts';
import { addressKind, plainAddress } from './address-kind.ts';
import { type IpNetwork, isInside, parseIp, parseNetwork } from './ip-address.ts';

/** Where packs may go: everywhere outside, and inside only where the operator says so. */
export interface EgressPolicy {
  /** Refuses by the URL alone, before any look-up. */
  assertUrl(url: URL): void;
  /** Refuses by the address that is about to be connected to. */
  assertAddress(address: string): void;
  /** Whether the operator listed this host, by name or by address. */
  isListed(url: URL): boolean;
}

export interface Allowlist {
  networks: readonly IpNetwork[];
  /** Names that are not refused as names; their addresses are still looked at. */
  hosts: readonly string[];
}

const INSIDE = /(?:^|\.)(?:localhost|local|internal)$/;
const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/**
 * A comma-separated list of networks (`10.1.0.0/16`), addresses (`192.168.1.20`, `fd00::5`) and host names
 * (`wiki.internal`, `*.corp.internal`). The answer is what is wrong with it, when something is.
 */
export function parseAllowlist(text: string): Allowlist | { problem: string } {
  const networks: IpNetwork[] = [];
  const hosts: string[] = [];
  for (const item of text.split(',').map((each) => each.trim().toLowerCase())) {
    if (item === '') continue;
    const network = parseNetwork(item);
    if (network?.prefixBits === 0)
      return { problem: 'a network of all addresses would switch the guard off' };
    if (network) networks.push(network);
    // Digits and dots that are no network are a mistyped one, never a host.
    else if (HOST.test(item) && !/^[\d.]+$/.test(item)) hosts.push(item);
    else return { problem: 'each entry must be a network such as 10.1.0.0/16, an address or a host name' };
  }
  return { networks, hosts };
}

export function createEgressPolicy({ networks, hosts }: Allowlist): EgressPolicy {
  /** Metadata services give credentials away, so a wide network does not open them: only their very address does. */
  function inListedNetwork(bytes: Uint8Array, isMetadata: boolean): boolean {
    const own = isMetadata ? networks.filter((each) => each.prefixBits === each.bytes.length * 8) : networks;
    return own.some((network) => isInside(bytes, network) || isInside(plainAddress(bytes), network));
  }

  function assertAddress(address: string): void {
    const bytes = parseIp(address);
    const kind = bytes ? addressKind(bytes) : 'reserved';
    if (kind === 'public' || (bytes && inListedNetwork(bytes, kind === 'metadata'))) return;
    deny(`The address is not a public one (${kind}).`);
  }

  return {
    assertAddress,
    isListed(url) {
      const host = hostOf(url);
      const bytes = parseIp(host);
      return bytes ? inListedNetwork(bytes, false) : isNamed(hosts, host);
    },
    assertUrl(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') deny('Only http and https are allowed.');
      if (url.username !== '' || url.password !== '')
        deny('A URL with a user name or a password is not allowed; use a header.');
      const host = hostOf(url);
      if (host === '') deny('The URL has no host.');
      if (parseIp(host)) assertAddress(host);
      else if (INSIDE.test(host) && !isNamed(hosts, host)) deny('This name belongs to a network inside.');
    },
  };
}

const hostOf = (url: URL) => url.hostname.toLowerCase().replace(/\.+$/, '');

function isNamed(hosts: readonly string[], host: string): boolean {
  return hosts.some((each) => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each));
}

/** The one refusal of the guard. It names no address: what a name resolves to inside is nobody's business outside. */
export function deny(message: string): never {
  throw new AppError('invalid_input', message, {
    reason: 'egress_denied',
    hint: 'Packs reach public addresses only; the operator can list others in HELMDECK_EGRESS_ALLOWLIST.',
  });
}
