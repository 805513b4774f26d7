import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { removeAt, removeWithParents, setAt } from './json-text.ts';

// Files as people write them: comments anywhere, trailing commas, quotes of both kinds, any white space. The json5
// package, which is not part of Helmdeck, reads the results.

const BLANK = fc
  .array(fc.constantFrom('', ' ', '\n', '\n  ', '\t', '// why, {x}\n', '/* a "b" */', '//\n  '), {
    maxLength: 3,
  })
  .map((parts) => parts.join(''));
const KEY = fc.constantFrom('a', 'b', 'mcpServers', 'helmdeck', 'other', 'x y', "it's");

const quotedKey = (key: string) =>
  fc.constantFrom(
    JSON.stringify(key),
    ...(/^\w+$/.test(key) ? [key] : []),
    ...(key.includes("'") ? [] : [`'${key}'`]),
  );

const SCALAR = fc.constantFrom(
  '1',
  '-0.5',
  '"text // no comment"',
  "'single'",
  'true',
  'null',
  '0x1F',
  '.5',
  '+3',
);

/** Items between brackets, with blanks, commas and sometimes a trailing comma. */
function bracketed(open: string, close: string, items: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  const each = items.map((item) => fc.tuple(BLANK, item, BLANK).map((parts) => parts.join('')));
  return fc
    .tuple(fc.tuple(...each), fc.boolean(), BLANK)
    .map(
      ([texts, trailing, blank]) =>
        `${open}${texts.join(',')}${trailing && texts.length > 0 ? ',' : ''}${blank}${close}`,
    );
}

function value(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return SCALAR;
  return fc.oneof(SCALAR, object(depth), list(depth));
}

function list(depth: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 3 }).chain((count) =>
    bracketed(
      '[',
      ']',
      Array.from({ length: count }, () => value(depth - 1)),
    ),
  );
}

function object(depth: number): fc.Arbitrary<string> {
  return fc.uniqueArray(KEY, { maxLength: 4 }).chain((keys) =>
    bracketed(
      '{',
      '}',
      keys.map((key) =>
        fc
          .tuple(quotedKey(key), BLANK, BLANK, value(depth - 1))
          .map(([name, a, b, inner]) => `${name}${a}:${b}${inner}`),
      ),
    ),
  );
}

const FILE = fc.tuple(BLANK, object(3), BLANK).map((parts) => parts.join(''));
const AT = ['mcpServers', 'helmdeck'];
const ENTRY = { url: 'http://127.0.0.1:3000/api/v1/mcp', headers: { Authorization: 'Bearer t' } };
type Servers = Record<string, Record<string, unknown> | undefined>;

const isObject = (some: unknown) => typeof some === 'object' && some !== null && !Array.isArray(some);

describe('editing any JSON5 file', () => {
  it('setting a value changes nothing else, as json5 reads it', () => {
    fc.assert(
      fc.property(FILE, (text) => {
        const before = JSON5.parse(text) as Servers;
        if (before.mcpServers !== undefined && !isObject(before.mcpServers)) {
          expect(() => setAt(text, AT, ENTRY)).toThrow(TypeError);
          return;
        }
        expect(JSON5.parse(setAt(text, AT, ENTRY))).toEqual({
          ...before,
          mcpServers: { ...before.mcpServers, helmdeck: ENTRY },
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it('removing a value changes nothing else, as json5 reads it', () => {
    fc.assert(
      fc.property(FILE, KEY, (text, key) => {
        const { [key]: _, ...left } = JSON5.parse(text) as Record<string, unknown>;
        expect(JSON5.parse(removeAt(text, [key]))).toEqual(left);
      }),
      { numRuns: 6_000 },
    );
  });

  it('setting and removing a value restores the meaning, without empty objects that were not there', () => {
    fc.assert(
      fc.property(FILE, (text) => {
        const before = JSON5.parse(text) as Servers;
        if (before.mcpServers !== undefined && !isObject(before.mcpServers)) return;
        if (before.mcpServers?.helmdeck !== undefined) return;
        expect(JSON5.parse(removeWithParents(setAt(text, AT, ENTRY), AT, text))).toEqual(before);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a strict JSON file stays strict JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(KEY, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }),
        fc.constantFrom(0, 2, '\t'),
        KEY,
        (data, indent, key) => {
          const text = JSON.stringify(data, null, indent);
          const { [key]: _, ...left } = data;
          expect(JSON.parse(removeAt(text, [key]))).toEqual(JSON.parse(JSON.stringify(left)));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
