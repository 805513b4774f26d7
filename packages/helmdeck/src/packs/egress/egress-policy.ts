import { AppError } from '../../errors.ts';
import { matchesHost } from '../../vault/host-patterns.ts';
import { addressKind, plainAddress } from './address-kind.ts';
import { type IpNetwork, isInside, parseIp, parseNetwork } from './ip-address.ts';

/** The hosts that packs may connect to: all public ones, and internal ones only if the operator lists them. */
export interface EgressPolicy {
  /** Checks the URL itself, before any DNS look-up. */
  assertUrl(url: URL): void;
  /** Checks an address before it is connected to. */
  assertAddress(address: string): void;
  /** Whether the operator listed this host, by name or by address. */
  isListed(url: URL): boolean;
}

export interface Allowlist {
  networks: readonly IpNetwork[];
  /** Names that are allowed as names; their addresses are still checked. */
  hosts: readonly string[];
}

const INTERNAL_NAME = /(?:^|\.)(?:localhost|local|internal)$/;
const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/**
 * A comma-separated list of networks (`10.1.0.0/16`), addresses (`192.168.1.20`, `fd00::5`) and host names
 * (`wiki.internal`, `*.corp.internal`). Returns the problem if the list is not valid.
 */
export function parseAllowlist(text: string): Allowlist | { problem: string } {
  const networks: IpNetwork[] = [];
  const hosts: string[] = [];
  for (const item of text.split(',').map((each) => each.trim().toLowerCase())) {
    if (item === '') continue;
    const network = parseNetwork(item);
    if (network?.prefixBits === 0)
      return { problem: 'a network of all addresses would disable the egress guard' };
    if (network) networks.push(network);
    // Only digits and dots: a mistyped network, never a host.
    else if (HOST.test(item) && !/^[\d.]+$/.test(item)) hosts.push(item);
    else return { problem: 'each entry must be a network such as 10.1.0.0/16, an address or a host name' };
  }
  return { networks, hosts };
}

export function createEgressPolicy({ networks, hosts }: Allowlist): EgressPolicy {
  /** Metadata services hand out credentials, so only their exact address allows them, not a network around it. */
  function inListedNetwork(bytes: Uint8Array, isMetadata: boolean): boolean {
    const isAddress = ({ bytes: each, prefixBits }: IpNetwork) => prefixBits === each.length * 8;
    const allowed = isMetadata ? networks.filter(isAddress) : networks;
    return allowed.some((network) => isInside(bytes, network) || isInside(plainAddress(bytes), network));
  }

  function assertAddress(address: string): void {
    const bytes = parseIp(address);
    const kind = bytes ? addressKind(bytes) : 'reserved';
    if (kind === 'public' || (bytes && inListedNetwork(bytes, kind === 'metadata'))) return;
    deny(`The address is not public (${kind}).`);
  }

  return {
    assertAddress,
    isListed(url) {
      const host = hostOf(url);
      const bytes = parseIp(host);
      return bytes ? inListedNetwork(bytes, false) : matchesHost(hosts, host);
    },
    assertUrl(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') deny('Only http and https are allowed.');
      if (url.username !== '' || url.password !== '')
        deny('A URL with a user name or a password is not allowed; use a header.');
      const host = hostOf(url);
      if (host === '') deny('The URL has no host.');
      if (parseIp(host)) assertAddress(host);
      else if (INTERNAL_NAME.test(host) && !matchesHost(hosts, host))
        deny('This is the name of an internal host.');
    },
  };
}

const hostOf = (url: URL) => url.hostname.toLowerCase().replace(/\.+$/, '');

/** The error of the guard. It contains no address: what a name resolves to internally must not leak. */
export function deny(message: string): never {
  throw new AppError('invalid_input', message, {
    reason: 'egress_denied',
    hint: 'Packs reach public addresses only; the operator can list others in HELMDECK_EGRESS_ALLOWLIST.',
  });
}
