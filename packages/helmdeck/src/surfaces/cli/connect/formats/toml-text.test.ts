import { describe, expect, it } from 'vitest';
import { readString, removePath, setString } from './toml-text.ts';

const AT = ['mcp_servers', 'helmdeck'];
const URL = [...AT, 'url'];
const HEADER = [...AT, 'http_headers', 'Authorization'];

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

  it('a file without a final line break can be edited', () => {
    expect(setString('[mcp_servers.helmdeck]', URL, 'u')).toBe('[mcp_servers.helmdeck]\nurl = "u"\n');
    expect(setString('a = 1', URL, 'u')).toBe('a = 1\n\n[mcp_servers.helmdeck]\nurl = "u"\n');
  });

  it.each(['a =', 'a = "un', '[a', 'a b', 'a = [1,', 'a = { b = 1', 'a = 1 b = 2', '= 1'])(
    'text that is not TOML is refused: %s',
    (text) => expect(() => setString(text, URL, 'u')).toThrow(SyntaxError),
  );
});
