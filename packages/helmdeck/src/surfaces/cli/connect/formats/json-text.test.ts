import { describe, expect, it } from 'vitest';
import { readAt, removeAt, setAt } from './json-text.ts';

const COMMENTED = `// mine
{
  "theme": "dark", // keep
  /* servers */
  "mcpServers": {
    "other": { "command": "x" }, // the other one
  },
}
`;

describe('editing JSON text', () => {
  it('an edit keeps comments, order, trailing commas and the rest of the text', () => {
    const text = setAt(COMMENTED, ['mcpServers', 'helmdeck'], { url: 'u', list: [1] });
    expect(text).toBe(`// mine
{
  "theme": "dark", // keep
  /* servers */
  "mcpServers": {
    "other": { "command": "x" }, // the other one
    "helmdeck": {
      "url": "u",
      "list": [
        1
      ]
    },
  },
}
`);
    expect(removeAt(text, ['mcpServers', 'helmdeck'])).toBe(COMMENTED);
  });

  it('setting a value changes it in place, and changes nothing if it is already set', () => {
    const text = '{"a": {"b": "old"}, "c": [1, 2]}';
    expect(setAt(text, ['a', 'b'], 'new')).toBe('{"a": {"b": "new"}, "c": [1, 2]}');
    expect(setAt(text, ['a', 'b'], 'old')).toBe(text);
    expect(setAt(text, ['c', 2], 3)).toBe('{"a": {"b": "old"}, "c": [1, 2, 3]}');
    expect(setAt(text, ['d', 'e'], 1)).toBe('{"a": {"b": "old"}, "c": [1, 2], "d": {"e":1}}');
  });

  it('setting a value works in empty files and objects', () => {
    expect(setAt('', ['a', 'b'], 1)).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n');
    expect(setAt('{}', ['a'], 1)).toBe('{\n  "a": 1\n}');
    expect(setAt('{ // nothing\n}', ['a'], 1)).toBe('{ // nothing\n  "a": 1\n}');
    expect(JSON.parse(setAt('{"hooks": {}}', ['hooks', 'Start', 0], { x: 1 }))).toEqual({
      hooks: { Start: [{ x: 1 }] },
    });
  });

  it('removing the last entry leaves strict JSON valid', () => {
    const text = '{\n  "a": 1,\n  "b": 2\n}\n';
    expect(removeAt(text, ['b'])).toBe('{\n  "a": 1\n}\n');
    expect(removeAt(text, ['a'])).toBe('{\n  "b": 2\n}\n');
    expect(removeAt('{\n  "a": {\n    "b": 1\n  }\n}', ['a', 'b'])).toBe('{\n  "a": {}\n}');
    expect(removeAt('{"a": 1, "b": 2}', ['b'])).toBe('{"a": 1}');
    expect(removeAt(text, ['x', 'y'])).toBe(text);
  });

  it('an edit keeps tabs and CRLF line endings', () => {
    const text = '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n';
    expect(setAt(text, ['a', 'c'], { d: 1 })).toBe(
      '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": 1\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  it('JSON5 is parsed: bare names, single quotes, other numbers, escapes', () => {
    const text = "\uFEFF{mcp: {servers: {'a\\'b': .5, \"q\\u0041\": +1, $x_1: 0x10, n: null}}}";
    expect(readAt(text, ['mcp', 'servers'])).toEqual({ "a'b": 0.5, qA: 1, $x_1: 16, n: null });
    expect(readAt(setAt(text, ['mcp', 'servers', "a'b"], 'z'), ['mcp', 'servers', "a'b"])).toBe('z');
    expect(readAt('{"a": 1, "a": 2}', ['a'])).toBe(2);
  });

  it.each(['{', '{"a" 1}', '{"a": }', '[1 2]', '{"a": 1} x', '{"a": "un', 'nonsense', '{"a": 1,, "b": 2}'])(
    'text that is not JSON is refused: %s',
    (text) => expect(() => setAt(text, ['a'], 1)).toThrow(SyntaxError),
  );

  it('setting a name in a list or in a string is refused', () => {
    expect(() => setAt('{"a": []}', ['a', 'b'], 1)).toThrow(TypeError);
    expect(() => setAt('{"a": "text"}', ['a', 'b'], 1)).toThrow(TypeError);
    expect(() => setAt('[]', ['a'], 1)).toThrow(TypeError);
  });
});
