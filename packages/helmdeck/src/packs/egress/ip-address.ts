import { isIP } from 'node:net';

/** An address as its 4 or 16 bytes. */
export type IpAddress = Uint8Array;

export interface IpNetwork {
  bytes: IpAddress;
  prefixBits: number;
}

/** Parses the standard notations; others (`0x7f.1`, `2130706433`) are normalised by the URL parser before. */
export function parseIp(text: string): IpAddress | undefined {
  const plain = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return undefined;
  return family === 4 ? Uint8Array.from(plain.split('.'), Number) : parseIpv6(plain);
}

function parseIpv6(text: string): IpAddress {
  // The last 32 bits may be written as IPv4.
  const hex = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...quad: string[]) => {
    const [a, b, c, d] = quad.map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [before = [], after] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const gap = after === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...new Array<string>(gap).fill('0'), ...(after ?? [])];
  return Uint8Array.from(
    groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]),
  );
}

/** `10.0.0.0/8`, or a single address; `undefined` if it is neither, or has host bits set. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [address, prefix, ...rest] = text.split('/');
  const bytes = parseIp(address ?? '');
  if (!bytes || rest.length > 0 || address!.includes('%') || address!.startsWith('[')) return undefined;
  if (prefix === undefined) return { bytes, prefixBits: bytes.length * 8 };
  const prefixBits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(prefixBits <= bytes.length * 8)) return undefined;
  const network = { bytes, prefixBits };
  return isInside(bytes, network) && hasNoHostBits(network) ? network : undefined;
}

export function isInside(address: IpAddress, { bytes, prefixBits }: IpNetwork): boolean {
  if (address.length !== bytes.length) return false;
  for (let bit = 0; bit < prefixBits; bit += 8) {
    const mask = prefixBits - bit >= 8 ? 255 : 256 - 2 ** (8 - (prefixBits - bit));
    if (((address[bit >> 3]! ^ bytes[bit >> 3]!) & mask) !== 0) return false;
  }
  return true;
}

function hasNoHostBits({ bytes, prefixBits }: IpNetwork): boolean {
  return bytes.every((byte, index) => {
    const networkBits = Math.min(8, Math.max(0, prefixBits - index * 8));
    return (byte & (2 ** (8 - networkBits) - 1)) === 0;
  });
}
