import { type IpAddress, isInside, parseNetwork } from './ip-address.ts';

/** The kinds of addresses that the egress guard distinguishes. */
export type AddressKind =
  | 'public'
  | 'metadata'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'multicast'
  | 'reserved';

const table = (rows: Record<string, AddressKind>) =>
  Object.entries(rows).map(([text, kind]) => ({ network: parseNetwork(text)!, kind }));

/** Cloud metadata services, which hand out credentials; checked first, because some are inside networks below. */
const METADATA = table({
  '169.254.169.254': 'metadata',
  '169.254.170.2': 'metadata',
  '169.254.170.23': 'metadata',
  '100.100.100.200': 'metadata',
  '168.63.129.16': 'metadata',
  '192.0.0.192': 'metadata',
  'fd00:ec2::254': 'metadata',
  'fd00:ec2::23': 'metadata',
  'fd20:ce::254': 'metadata',
});

const IPV4 = table({
  '0.0.0.0/8': 'reserved',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'private',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link-local',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'reserved',
  '192.0.2.0/24': 'reserved',
  '192.88.99.0/24': 'reserved',
  '192.168.0.0/16': 'private',
  '198.18.0.0/15': 'reserved',
  '198.51.100.0/24': 'reserved',
  '203.0.113.0/24': 'reserved',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
});

// IPv6 is denied by default: only global unicast is public, except for the networks listed before it.
const IPV6 = table({
  '::1': 'loopback',
  'fc00::/7': 'private',
  'fe80::/10': 'link-local',
  'fec0::/10': 'private',
  'ff00::/8': 'multicast',
  '2001::/23': 'reserved',
  '2001:db8::/32': 'reserved',
  '3fff::/20': 'reserved',
  '2000::/3': 'public',
});

/** Prefixes whose addresses embed an IPv4 address, and the offset of its bytes. */
const IPV4_IN_IPV6 = [
  { network: parseNetwork('::ffff:0:0/96')!, at: 12 },
  { network: parseNetwork('::ffff:0:0:0/96')!, at: 12 },
  { network: parseNetwork('64:ff9b::/96')!, at: 12 },
  { network: parseNetwork('2002::/16')!, at: 2 },
];
const ISATAP = [0x5e, 0xfe];

/** The IPv4 address embedded in an IPv6 one, if any; else the address itself. */
export function plainAddress(address: IpAddress): IpAddress {
  if (address.length === 4) return address;
  const carrier = IPV4_IN_IPV6.find(({ network }) => isInside(address, network));
  if (carrier) return address.slice(carrier.at, carrier.at + 4);
  const isatap =
    (address[8]! & 0xfd) === 0 && address[9] === 0 && address[10] === ISATAP[0] && address[11] === ISATAP[1];
  return isatap ? address.slice(12) : address;
}

export function addressKind(address: IpAddress): AddressKind {
  const plain = plainAddress(address);
  const rows = [...METADATA, ...(plain.length === 4 ? IPV4 : IPV6)];
  const found = rows.find(({ network }) => isInside(plain, network));
  return found?.kind ?? (plain.length === 4 ? 'public' : 'reserved');
}
