import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { fillPlaceholders, placeholdersIn } from './placeholders.ts';
import { createScrubber } from './scrub.ts';
import type { Secret } from './vault.ts';

const secrets = (values: Record<string, string | { value: string; hosts: string[] }>) =>
  new Map<string, Secret>(
    Object.entries(values).map(([name, given]) => {
      const { value, hosts } = typeof given === 'string' ? { value: given, hosts: [] } : given;
      const places = ['header', 'header:x', 'header:y', 'url', 'body'];
      return [name, { name, value, hosts, places, createdMs: 0, updatedMs: 0 }];
    }),
  );
const reasonOf = (work: () => unknown) => {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof AppError ? `${thrown.code} ${thrown.reason}` : thrown;
  }
};
const URL_TEXT = 'https://api.example.com/v1';

describe('filling placeholders', () => {
  it('each secret is encoded for its place', () => {
    const filled = fillPlaceholders(
      {
        url: `${URL_TEXT}/bot\${vault:a}/send?key=\${vault:b}`,
        headers: { Authorization: 'Bearer ${vault:a}', 'Content-Type': 'application/json', Accept: '*/*' },
        body: '{"k":"${vault:b}","again":"${vault:b}"}',
      },
      secrets({ a: '1:AB', b: 'x"y&z/\\' }),
    );
    expect(filled.url).toBe(`${URL_TEXT}/bot1%3AAB/send?key=x%22y%26z%2F%5C`);
    expect(filled.headers).toEqual({
      Authorization: 'Bearer 1:AB',
      'Content-Type': 'application/json',
      Accept: '*/*',
    });
    expect(JSON.parse(filled.body as string)).toEqual({ k: 'x"y&z/\\', again: 'x"y&z/\\' });
    expect([...filled.secretHeaders]).toEqual(['authorization']);
    expect(filled.secretBody).toBe(true);
    expect(filled.secrets.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('secrets are encoded in forms, and other bodies and bytes are unchanged', () => {
    const body = 'a=1&k=${vault:k}';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const values = secrets({ k: 'a&b=c' });
    expect(fillPlaceholders({ url: URL_TEXT, headers: form, body }, values).body).toBe('a=1&k=a%26b%3Dc');
    expect(fillPlaceholders({ url: URL_TEXT, headers: {}, body }, values).body).toBe('a=1&k=a&b=c');
    const bytes = Buffer.from(body);
    expect(fillPlaceholders({ url: URL_TEXT, headers: {}, body: bytes }, values).body).toBe(bytes);
  });

  it('placeholders that cannot be filled are refused without naming or showing a secret', () => {
    const values = secrets({ k: 'line\nbreak', bound: { value: 'v', hosts: ['api.example.com'] } });
    const fill = (url: string, headers = {}, body?: string) =>
      reasonOf(() => fillPlaceholders({ url, headers, body }, values));
    expect(fill(`${URL_TEXT}?k=\${vault:nope}`)).toBe('credential_invalid unknown_secret');
    expect(fill(URL_TEXT, { x: '${vault:}' })).toBe('credential_invalid unknown_secret');
    expect(fill(URL_TEXT, {}, '${vault:__proto__}')).toBe('credential_invalid unknown_secret');
    expect(fill(URL_TEXT, { x: '${vault:k}' })).toBe('credential_invalid unusable');
    for (const url of [
      'https://${vault:k}/',
      'https://${vault:k}@x.example/',
      'https://x.example:${vault:k}/',
      'https:\n//${vault:k}/',
      'https:\\\\${vault:k}\\',
      'https://x.example/#${vault:k}',
    ])
      expect(fill(url), url).toBe('credential_invalid unusable');
    expect(fill(`\${vault:k}`)).toBe('credential_invalid unusable');
    expect(fill('https://evil.example/?k=${vault:bound}')).toBe('credential_invalid host_not_allowed');
    expect(fill('https://api.example.com.evil.example/?k=${vault:bound}')).toBe(
      'credential_invalid host_not_allowed',
    );
    expect(fill('https://api.example.com@evil.example/?k=${vault:bound}')).toBe(
      'credential_invalid host_not_allowed',
    );
    expect(fill('https://evil.example\\@api.example.com/?k=${vault:bound}')).toBe(
      'credential_invalid host_not_allowed',
    );
    expect(fill('https://API.example.com./?k=${vault:bound}')).toBeUndefined();
  });

  it('a wildcard host allows subdomains and not the host itself', () => {
    const values = secrets({ k: { value: 'v', hosts: ['*.example.com'] } });
    const fill = (url: string) => reasonOf(() => fillPlaceholders({ url, headers: {} }, values));
    expect(fill('https://a.b.example.com/?${vault:k}')).toBeUndefined();
    expect(fill('https://example.com/?${vault:k}')).toBe('credential_invalid host_not_allowed');
    expect(fill('https://badexample.com/?${vault:k}')).toBe('credential_invalid host_not_allowed');
  });

  it('the text of a secret is taken neither for a placeholder nor for a replacement pattern', () => {
    const values = secrets({ a: '${vault:b}', b: 'deep', c: "$&$1$'" });
    const filled = fillPlaceholders({ url: URL_TEXT, headers: { x: '${vault:a}', y: '${vault:c}' } }, values);
    expect(filled.headers).toEqual({ x: '${vault:b}', y: "$&$1$'" });
  });

  it('text without placeholders is unchanged', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (url, body) => {
        fc.pre(placeholdersIn({ url, headers: {}, body }).length === 0);
        expect(fillPlaceholders({ url, headers: { h: body }, body }, new Map())).toMatchObject({
          url,
          body,
          headers: { h: body },
        });
      }),
    );
  });
});

describe('the scrubber', () => {
  const value = 'p/w d"ä+&<Zz9-longer';
  const scrubber = createScrubber([
    { name: 'k', value },
    { name: 'short', value: 'p/w d' },
  ]);
  const echoes: Record<string, string> = {
    plain: value,
    json: JSON.stringify({ echo: value }),
    percent: encodeURIComponent(value),
    form: new URLSearchParams({ k: value }).toString().replaceAll('%2F', '%2F'),
    basic: Buffer.from(`user:${value}`).toString('base64'),
    basicOther: Buffer.from(`users:${value}`).toString('base64'),
    base64url: Buffer.from(`u:${value}`).toString('base64url'),
    hex: Buffer.from(value).toString('hex'),
    'hex with colons': 'p/w d"ä+&<Zz9-longer'
      .split('')
      .flatMap((character) => [...Buffer.from(character)])
      .map((byte) => byte.toString(16).padStart(2, '0').toUpperCase())
      .join(':'),
    'JSON of Go': String.raw`p/w d\"ä+\u0026\u003cZz9-longer`,
    'JSON of .NET': String.raw`p/w d\u0022\u00E4\u002B\u0026\u003CZz9-longer`,
    'JSON of Python': String.raw`p/w d\"\u00e4+&<Zz9-longer`,
    'the URL encoding of Python': 'p/w%20d%22%C3%A4%2B%26%3CZz9-longer',
    'numeric HTML entities': 'p/w d&#34;ä&#43;&#38;&#60;Zz9-longer'.replaceAll('/', '&#47;'),
    'HTML of Go': 'p/w d&#34;ä&#43;&amp;&lt;Zz9-longer',
    'base64 twice': Buffer.from(Buffer.from(`user:${value}`).toString('base64')).toString('base64'),
    'base64 in lines': Buffer.from(`user:${value}`).toString('base64').replace(/.{11}/g, '$&\r\n'),
    'upper case': value.toUpperCase(),
  };
  for (const [how, echo] of Object.entries(echoes)) {
    it(`the scrubber removes the secret as ${how}`, async () => {
      const clean = await scrubber.text(`before ${echo} after`);
      expect(clean).toContain('[vault:k]');
      expect(clean).not.toContain(echo);
      expect(clean).not.toMatch(/Zz9|ZZ9|5A7A39/i);
      expect(clean.startsWith('before ')).toBe(true);
      expect(clean.endsWith(' after')).toBe(true);
    });
  }

  it('the scrubber removes the secret as UTF-16 of either byte order', async () => {
    for (const echo of [Buffer.from(value, 'utf16le'), Buffer.from(value, 'utf16le').swap16()])
      expect(Buffer.from(await scrubber.bytes(echo, false)).toString()).toBe('[vault:k]');
  });

  it('a truncated body loses the same number of bytes at its end, whether they begin a secret or not', async () => {
    const { bytes } = createScrubber([{ name: 'k', value: 'abcdefghij' }]);
    const padding = 'x'.repeat(200);
    const lengths = new Set<number>();
    for (let length = 0; length < 10; length++) {
      for (const end of ['abcdefghij'.slice(0, length), 'abcdefghij'.slice(1, length + 1)]) {
        const cut = Buffer.from((padding + end).slice(-200));
        const shown = Buffer.from(await bytes(cut, true)).toString();
        expect(shown).not.toContain('a');
        lengths.add(shown.length);
        expect(Buffer.from(await bytes(cut, false)).toString()).toBe(cut.toString());
      }
    }
    expect(lengths.size).toBe(1);
  });

  it('a secret and a body that repeat themselves are searched in linear time', async () => {
    // With a search that backtracks this takes minutes.
    const value = `z${'a'.repeat(30_000)}`;
    const body = Buffer.from(`${'a'.repeat(1_000_000)}\n${'YWFh'.repeat(100_000)}\r\n`);
    const { bytes } = createScrubber([{ name: 'k', value }]);
    expect(Buffer.from(await bytes(body, false)).equals(body)).toBe(true);
    const echoed = Buffer.concat([body, Buffer.from(value), body]);
    const expected = Buffer.concat([body, Buffer.from('[vault:k]'), body]);
    expect(Buffer.from(await bytes(echoed, false)).equals(expected)).toBe(true);
  });

  it('the scrubber keeps every byte of a body without secrets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        expect(Buffer.from(await scrubber.bytes(bytes, false)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('the scrubber finds the secret in any surrounding text', async () => {
    const one = createScrubber([{ name: 'k', value: 'sup3r-s3cret!' }]);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.uint8Array(), async (before, after) => {
        const echo = Buffer.concat([before, Buffer.from('sup3r-s3cret!'), after]);
        expect(Buffer.from(await one.bytes(echo, false)).includes('sup3r-s3cret!')).toBe(false);
      }),
    );
  });
});
