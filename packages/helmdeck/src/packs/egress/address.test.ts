import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import { addressKind } from './address-kind.ts';
import { type Allowlist, createEgressPolicy, parseAllowlist } from './egress-policy.ts';
import { isInside, parseIp, parseNetwork } from './ip-address.ts';

const policyOf = (text = '') => createEgressPolicy(parseAllowlist(text) as Allowlist);
const denied = (url: string, allowlist = '') => {
  try {
    policyOf(allowlist).assertUrl(new URL(url));
    return false;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'egress_denied') return true;
    throw thrown;
  }
};
const deniedAddress = (address: string, allowlist = '') => {
  try {
    policyOf(allowlist).assertAddress(address);
    return false;
  } catch (thrown) {
    return (thrown as AppError).reason === 'egress_denied';
  }
};

describe('kinds of addresses', () => {
  const kinds: Record<string, string> = {
    '1.1.1.1': 'public',
    '8.8.8.8': 'public',
    '172.15.255.255': 'public',
    '172.32.0.0': 'public',
    '100.63.255.255': 'public',
    '100.128.0.0': 'public',
    '9.255.255.255': 'public',
    '11.0.0.0': 'public',
    '223.255.255.255': 'public',
    '2606:4700:4700::1111': 'public',
    '2a00:1450::1': 'public',
    '::ffff:8.8.8.8': 'public',
    '64:ff9b::8.8.8.8': 'public',
    '2002:808:808::1': 'public',
    '0.0.0.0': 'reserved',
    '0.1.2.3': 'reserved',
    '10.0.0.0': 'private',
    '10.255.255.255': 'private',
    '100.64.0.0': 'private',
    '100.127.255.255': 'private',
    '127.0.0.1': 'loopback',
    '127.255.255.254': 'loopback',
    '169.254.0.1': 'link-local',
    '169.254.169.254': 'metadata',
    '100.100.100.200': 'metadata',
    '168.63.129.16': 'metadata',
    '172.16.0.0': 'private',
    '172.31.255.255': 'private',
    '192.168.0.1': 'private',
    '192.0.2.1': 'reserved',
    '198.19.255.255': 'reserved',
    '224.0.0.1': 'multicast',
    '239.255.255.255': 'multicast',
    '240.0.0.1': 'reserved',
    '255.255.255.255': 'reserved',
    '::': 'reserved',
    '::1': 'loopback',
    '::127.0.0.1': 'reserved',
    '::ffff:127.0.0.1': 'loopback',
    '::ffff:7f00:1': 'loopback',
    '::ffff:0:127.0.0.1': 'loopback',
    '64:ff9b::127.0.0.1': 'loopback',
    '64:ff9b::a9fe:a9fe': 'metadata',
    '64:ff9b:1::1': 'reserved',
    '2002:7f00:1::': 'loopback',
    '2002:a00:1::5': 'private',
    '2001:0:53aa:64c::1': 'reserved',
    '2001:db8::1': 'reserved',
    '2a00::5efe:10.0.0.1': 'private',
    '2a00::200:5efe:127.0.0.1': 'loopback',
    'fc00::1': 'private',
    'fdff:ffff::1': 'private',
    'fd00:ec2::254': 'metadata',
    'fe80::1': 'link-local',
    'febf::1': 'link-local',
    'fec0::1': 'private',
    'ff02::1': 'multicast',
    '4000::1': 'reserved',
    '100::1': 'reserved',
  };
  it.each(Object.entries(kinds))('the address %s is classified as %s', (address, kind) => {
    expect(addressKind(parseIp(address)!)).toBe(kind);
    expect(deniedAddress(address)).toBe(kind !== 'public');
  });

  it('addresses are parsed to the same bytes as by the system', () => {
    const octets = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(octets, (bytes) => {
        const groups = Array.from({ length: 8 }, (_, n) =>
          ((bytes[2 * n]! << 8) | bytes[2 * n + 1]!).toString(16),
        );
        const url = new URL(`http://[${groups.join(':')}]/`);
        expect(parseIp(url.hostname)).toEqual(bytes);
        expect(parseIp(groups.join(':'))).toEqual(bytes);
        expect(parseIp(`${groups.join(':')}%eth0`)).toEqual(bytes);
        const dotted = `${groups.slice(0, 6).join(':')}:${[...bytes.slice(12)].join('.')}`;
        expect(parseIp(dotted)).toEqual(bytes);
      }),
    );
  });

  it('an address is inside a network exactly if it has the prefix of the network', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 4, maxLength: 4 }),
        fc.uint8Array({ minLength: 4, maxLength: 4 }),
        fc.integer({ min: 0, max: 32 }),
        (address, network, prefixBits) => {
          const bits = (bytes: Uint8Array) =>
            [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
          const same = bits(address).slice(0, prefixBits) === bits(network).slice(0, prefixBits);
          expect(isInside(address, { bytes: network, prefixBits })).toBe(same);
        },
      ),
    );
  });
});

/** Every way to write an IPv4 address that URLs allow. */
const spelled = (octets: readonly number[], style: number): string => {
  const [a, b, c, d] = octets as [number, number, number, number];
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const wide = (text: string) =>
    text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  const styles = [
    () => octets.join('.'),
    () => `${octets.join('.')}.`,
    () => String(whole),
    () => `0x${whole.toString(16)}`,
    () => `0X${whole.toString(16).toUpperCase()}`,
    () => `0${whole.toString(8)}`,
    () => octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
    () => octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    () => octets.map((octet) => octet.toString(8).padStart(8, '0')).join('.'),
    () => `${a}.${((b << 16) | (c << 8) | d) >>> 0}`,
    () => `${a}.${b}.${(c << 8) | d}`,
    () => `0x${a.toString(16)}.${b}.0${((c << 8) | d).toString(8)}`,
    () => wide(octets.join('.')),
    () => octets.join('\u3002'),
    () => octets.join('\uff0e'),
    () => octets.join('%2e'),
    () => octets.join('.').replace(/\d/g, (digit) => `%3${digit}`),
    () => `[::ffff:${octets.join('.')}]`,
    () => `[::FFFF:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}]`,
    () => `[0:0:0:0:0:ffff:${octets.join('.')}]`,
    () => `[64:ff9b::${octets.join('.')}]`,
    () => `[2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::1]`,
    () => `[::ffff:0:${octets.join('.')}]`,
  ];
  return styles[style % styles.length]!();
};
const STYLES = 23;

describe('spellings of addresses in URLs', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const forbidden = fc.oneof(
    fc.tuple(fc.constant(127), octet, octet, octet),
    fc.tuple(fc.constant(10), octet, octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
    fc.tuple(fc.constant(0), octet, octet, octet),
  );

  it('no notation of a forbidden address passes the guard', () => {
    fc.assert(
      fc.property(forbidden, fc.nat({ max: STYLES - 1 }), fc.boolean(), (octets, style, port) => {
        const url = `http://${spelled(octets, style)}${port ? ':8080' : ''}/x`;
        expect(denied(url), url).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('every notation of a public address passes the guard', () => {
    const publicOctets = fc.tuple(fc.constantFrom(1, 8, 9, 11, 93, 151, 200), octet, octet, octet);
    fc.assert(
      fc.property(publicOctets, fc.nat({ max: STYLES - 1 }), (octets, style) => {
        const url = `http://${spelled(octets, style)}/`;
        expect(denied(url), url).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('an address with a zone is not a valid URL', () => {
    expect(URL.canParse('http://[fe80::1%25eth0]/')).toBe(false);
    expect(URL.canParse('http://[::1%lo]/')).toBe(false);
  });
});

describe('names in URLs', () => {
  it.each([
    'http://localhost/',
    'http://LOCALHOST:3000/',
    'http://localhost./',
    'http://localhost../',
    'http://a.b.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://api.internal./',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://loc%61lhost/',
    'http://local\u00adhost/',
    'http://db。internal/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'http://user:pass@example.com/',
    'http://user@example.com/',
    'http://example.com@127.0.0.1/',
    'http://127.0.0.1#@example.com/',
    'http://127.0.0.1\\@example.com/',
  ])('the URL %s is refused before any DNS look-up', (url) => {
    expect(denied(url)).toBe(true);
  });

  it.each([
    'https://example.com/',
    'http://example.com:8080/',
    'https://notlocal/',
    'https://local.example.com/',
    'https://xlocalhost/',
    'https://internal.example.com/',
    'https://mylocal.dev/',
    'https://münchen.example/',
  ])('the URL %s passes to the DNS look-up', (url) => {
    expect(denied(url)).toBe(false);
  });
});

describe('the allowlist', () => {
  it('the allowlist allows its networks, addresses and names and nothing else', () => {
    const list = ' 10.1.0.0/16, 192.168.1.20 ,fd00:1::/32,*.corp.internal,wiki.internal,';
    expect(denied('http://10.1.2.3/', list)).toBe(false);
    expect(denied('http://[::ffff:10.1.2.3]/', list)).toBe(false);
    expect(denied('http://10.2.0.1/', list)).toBe(true);
    expect(denied('http://192.168.1.20/', list)).toBe(false);
    expect(denied('http://192.168.1.21/', list)).toBe(true);
    expect(denied('http://[fd00:1::9]/', list)).toBe(false);
    expect(denied('http://[fd00:2::9]/', list)).toBe(true);
    expect(denied('http://wiki.internal./', list)).toBe(false);
    expect(denied('http://a.corp.internal/', list)).toBe(false);
    expect(denied('http://corp.internal/', list)).toBe(true);
    expect(denied('http://evilcorp.internal/', list)).toBe(true);
    expect(deniedAddress('10.9.9.9', list)).toBe(true); // a listed name does not open where it leads
  });

  it('the allowlist allows a metadata service only by its exact address', () => {
    expect(denied('http://169.254.169.254/', '169.254.0.0/16')).toBe(true);
    expect(denied('http://169.254.1.1/', '169.254.0.0/16')).toBe(false);
    expect(denied('http://169.254.169.254/', '169.254.169.254')).toBe(false);
    expect(denied('http://169.254.169.254/', '169.254.169.254/32')).toBe(false);
  });

  it.each([
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0.0',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    '300.1.1.1',
    'http://x',
    'a b',
    '[::1]',
    'fe80::1%eth0',
    '*',
    'wiki.internal:80',
  ])('the allowlist entry %s is refused', (text) => {
    expect(parseAllowlist(text)).toHaveProperty('problem');
  });

  it('networks of the allowlist are parsed in all notations', () => {
    expect(parseNetwork('10.0.0.0/8')).toEqual({ bytes: Uint8Array.of(10, 0, 0, 0), prefixBits: 8 });
    expect(parseNetwork('::1')?.prefixBits).toBe(128);
    expect(parseAllowlist('')).toEqual({ networks: [], hosts: [] });
  });
});
