import fc from 'fast-check';
import { parse, type TomlTable } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readString, removePath, setString } from './toml-text.ts';

const AT = ['mcp_servers', 'helmdeck'];
const URL = [...AT, 'url'];
const HEADER = [...AT, 'http_headers', 'Authorization'];

/** The file without a Helmdeck entry, and without the table around it if that is empty. */
function withoutServer({ mcp_servers: servers, ...others }: TomlTable): TomlTable {
  if (servers === undefined) return others;
  if (typeof servers !== 'object' || Array.isArray(servers)) return { ...others, mcp_servers: servers };
  const { helmdeck: _, ...left } = servers as TomlTable;
  return Object.keys(left).length === 0 ? others : { ...others, mcp_servers: left };
}

function parsed(text: string): TomlTable | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const MINE = `# mine
model = "o" # keep
notes = """
[mcp_servers.helmdeck]
url = "in a text"
"""
when = 2026-01-01 10:00:00Z
list = [
  "a", # one
  { b = 1 },
]

[mcp_servers.other]
command = "x"

[[things]]
a = 1
`;

describe('editing TOML text', () => {
  it('a table is added at the end and removed without a trace', () => {
    const text = setString(setString(MINE, URL, 'http://h'), HEADER, 'Bearer t');
    expect(text).toBe(
      `${MINE}\n[mcp_servers.helmdeck]\nurl = "http://h"\n\n[mcp_servers.helmdeck.http_headers]\nAuthorization = "Bearer t"\n`,
    );
    expect(readString(text, URL)).toBe('http://h');
    expect(readString(text, HEADER)).toBe('Bearer t');
    expect(removePath(text, AT)).toBe(MINE);
  });

  it('setting a string changes it in place and keeps comments and neighbours', () => {
    const text = `[mcp_servers.helmdeck] # ours\nurl = 'old' # address\nenabled = true\n\n[tui]\na = 1\n`;
    expect(setString(text, URL, 'new')).toBe(text.replace("'old'", '"new"'));
    expect(setString(text, [...AT, 'more'], 'x')).toBe(
      text.replace('enabled = true\n', 'enabled = true\nmore = "x"\n'),
    );
    expect(removePath(text, AT)).toBe('[tui]\na = 1\n');
    expect(removePath(text, [...AT, 'enabled'])).toBe(text.replace('enabled = true\n', ''));
  });

  it('inline tables and dotted names are supported', () => {
    const inline = '[mcp_servers]\nhelmdeck = { url = "old", http_headers = { X = "y" } }\n';
    const text = setString(setString(inline, URL, 'new'), HEADER, 'Bearer t');
    expect(text).toBe(
      '[mcp_servers]\nhelmdeck = { url = "new", http_headers = { Authorization = "Bearer t", X = "y" } }\n',
    );
    expect(removePath(text, HEADER)).toBe(
      '[mcp_servers]\nhelmdeck = { url = "new", http_headers = { X = "y" } }\n',
    );
    expect(removePath(text, AT)).toBe('[mcp_servers]\n');
    expect(setString('mcp_servers.helmdeck.url = "a"\n', URL, 'b')).toBe('mcp_servers.helmdeck.url = "b"\n');
    expect(setString('[mcp_servers.helmdeck]\nhttp_headers = {}\n', HEADER, 'x')).toBe(
      '[mcp_servers.helmdeck]\nhttp_headers = { Authorization = "x" }\n',
    );
  });

  it('a table is added inside the inline table that holds it, and removed again', () => {
    const inline = 'mcp_servers = { other = { command = "x" } } # mine\n\n[tui]\na = 1\n';
    const text = setString(setString(inline, URL, 'u'), HEADER, 'Bearer t');
    expect(parse(text)).toEqual({
      mcp_servers: {
        other: { command: 'x' },
        helmdeck: { url: 'u', http_headers: { Authorization: 'Bearer t' } },
      },
      tui: { a: 1 },
    });
    expect(removePath(text, AT)).toBe(inline);
    const dotted = 'mcp_servers.other.command = "x"\n';
    const added = setString(dotted, URL, 'u');
    expect(parse(added)).toEqual({ mcp_servers: { other: { command: 'x' }, helmdeck: { url: 'u' } } });
    expect(removePath(added, AT)).toBe(dotted);
  });

  it.each([
    'mcp_servers = 1\n',
    'mcp_servers = []\n',
    '[[mcp_servers]]\na = 1\n',
    'mcp_servers.helmdeck = "text"\n',
    '[mcp_servers.helmdeck]\nhttp_headers = "text"\n',
  ])('text that has no place for the table is refused: %s', (text) => {
    expect(() => setString(text, HEADER, 'u')).toThrow();
  });

  it('an edit of any file changes the meaning of nothing else, and its removal restores the meaning', () => {
    const key = fc.constantFrom('a', 'b-c', '"d e"', "'f.g'", 'mcp_servers', 'helmdeck', 'other');
    const scalar = fc.constantFrom(
      '1',
      '"x"',
      "'y'",
      'true',
      '2026-01-01',
      '[1, 2]',
      '{ z = 1 }',
      "'''m\nn'''",
    );
    const dotted = fc.array(key, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
    const end = fc.constantFrom('\n', ' # why\n', '\n\n', '\r\n');
    const line = fc.oneof(
      fc.tuple(dotted, scalar, end).map(([name, value, close]) => `${name} = ${value}${close}`),
      fc.tuple(dotted, end).map(([name, close]) => `[${name}]${close}`),
      fc.tuple(dotted, end).map(([name, close]) => `[[${name}]]${close}`),
    );
    let edited = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = lines.join('');
        const before = parsed(text);
        if (before === undefined) return;
        let after: string;
        try {
          after = setString(text, HEADER, 'Bearer t');
        } catch (thrown) {
          expect(['TypeError', 'SyntaxError']).toContain((thrown as Error).name);
          return;
        }
        edited++;
        expect(readString(after, HEADER)).toBe('Bearer t');
        expect(withoutServer(parse(after))).toEqual(withoutServer(before));
        expect(withoutServer(parse(removePath(after, AT)))).toEqual(withoutServer(before));
      }),
      { numRuns: 3_000, seed: 1 },
    );
    expect(edited).toBeGreaterThan(300);
  });

  it('a file without a final line break can be edited', () => {
    expect(setString('[mcp_servers.helmdeck]', URL, 'u')).toBe('[mcp_servers.helmdeck]\nurl = "u"\n');
    expect(setString('a = 1', URL, 'u')).toBe('a = 1\n\n[mcp_servers.helmdeck]\nurl = "u"\n');
  });

  it.each(['a =', 'a = "un', '[a', 'a b', 'a = [1,', 'a = { b = 1', 'a = 1 b = 2', '= 1'])(
    'text that is not TOML is refused: %s',
    (text) => expect(() => setString(text, URL, 'u')).toThrow(SyntaxError),
  );
});
