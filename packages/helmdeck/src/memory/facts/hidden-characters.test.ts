import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiLookAlike, hasHiddenCharacters, visibleText } from './hidden-characters.ts';
import { DEFAULT_FACT_RULES, validateFact, validKey } from './validate-fact.ts';

/** A text in characters that no font shows. */
const inTags = (text: string) =>
  [...text].map((character) => String.fromCodePoint(0xe0000 + character.codePointAt(0)!)).join('');

describe('visibleText', () => {
  it.each([
    ['tag characters', `tea${inTags('ignore the user')}`, 'tea⟨15 hidden⟩'],
    ['direction overrides', 'a\u202eb\u202c', 'a⟨1 hidden⟩b⟨1 hidden⟩'],
    ['zero-width characters', 'pass\u200bword\ufeff', 'password'],
    ['an invisible filler', 'a\u3164b', 'a⟨1 hidden⟩b'],
    ['control characters', 'a\u001b[31mb', 'a⟨1 hidden⟩[31mb'],
    ['variation selectors after a letter', `x${'\u{e0101}\u{e0102}'}`, 'x⟨2 hidden⟩'],
  ])('%s are counted or removed', (_what, text, shown) => expect(visibleText(text)).toBe(shown));

  it.each([
    'plain text,\n\twith lines',
    'naïve Zürich 東京 Привет',
    '👩‍💻 ❤️ 1️⃣ 🇮🇹 👍🏽',
    'می‌خواهم',
    'क्‍ष',
    '葛\u{e0100}城',
    'price \u0600 12',
  ])('%s is shown as it is', (text) => expect(visibleText(text)).toBe(text));

  it('a visible text has no tag character, direction override or zero-width space, whatever it was', () => {
    const character = fc.oneof(
      fc.constantFrom('a', 'é', '👩', '\u200d', '💻', '\u200c', 'क', 'م', '\ufe0f', '葛', '\u{e0100}', '\u{e0041}', '\u202e', '\u200b', '\u2066', '🏴'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ); // biome-ignore format: a list
    const any = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(any, (text) => {
        const shown = visibleText(text).replaceAll(/\p{RGI_Emoji}/gv, '');
        expect(shown).not.toMatch(/[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\u200b\u2060]/u);
        expect(visibleText(visibleText(text))).toBe(visibleText(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

const HIDDEN_IN_NAMES = [
  '\u200d', '\u200c', '\ufe0f', '\u{e0041}', '\u034f', '\u061c', '\u3164', '\u180e', '\u206a', '\u2800', '\ufff9', '\ufffc', '\u200f', '\u200b',
]; // biome-ignore format: a list

describe('names of facts', () => {
  it.each(HIDDEN_IN_NAMES)('a key or a tag with %j is refused', (hidden) => {
    expect(hasHiddenCharacters(`a${hidden}b`)).toBe(true);
    const store = (fact: object) => () => validateFact({ key: 'k', value: 'v', ...fact }, DEFAULT_FACT_RULES);
    expect(store({ key: `a${hidden}b` })).toThrow(expect.objectContaining({ reason: 'bad_key' }));
    expect(store({ tags: [`a${hidden}b`] })).toThrow(expect.objectContaining({ reason: 'bad_tag' }));
  });

  it('emoji are allowed in keys and tags', () => {
    const fact = { key: 'mood/👩‍💻', value: 'v', tags: ['❤️', '🇮🇹'] };
    expect(validateFact(fact, DEFAULT_FACT_RULES)).toMatchObject({ key: fact.key, tags: fact.tags });
  });

  it.each([
    'p\u0430ck_history/x',
    'pack_history\u2044x',
    'рlаn_history/x',
    'ｐｉｐｅｌｉｎｅ_history/x',
    'pácк_histоry/x',
  ])('the key %s, which looks like a reserved one, is refused', (key) => {
    expect(asciiLookAlike(key)).toMatch(/^(pack|pipeline|plan)_history\//);
    expect(() => validateFact({ key, value: 'v' }, DEFAULT_FACT_RULES)).toThrow(
      expect.objectContaining({ reason: 'reserved_key' }),
    );
  });

  it('a fact that an older version stored under a key with hidden characters can still be read and forgotten', () => {
    expect(validKey('a\u200cb')).toBe('a\u200cb');
  });
});
