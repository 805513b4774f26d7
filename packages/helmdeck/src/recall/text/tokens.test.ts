import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenise } from './tokens.ts';

const words = (text: string) => tokenise(text).map(({ word }) => word);
const plain = (text: string) =>
  tokenise(text)
    .filter(({ compound }) => !compound)
    .map(({ word }) => word);
const compounds = (text: string) =>
  tokenise(text)
    .filter(({ compound }) => compound)
    .map(({ word }) => word);

describe('tokenise: identifiers', () => {
  it.each([
    ['user_id', ['user', 'id', 'userid']],
    ['on-call', ['on', 'call', 'oncall']],
    ['parseHttpRequest', ['parse', 'http', 'request', 'parsehttprequest']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['getURL2', ['get', 'url2', 'geturl2']],
    ['iPhone', ['i', 'phone', 'iphone']],
    ['SNAKE_CASE_NAME', ['snake', 'case', 'name', 'snakecasename']],
    ['package.json', ['package', 'json', 'packagejson']],
    ['v1.2.3', ['v1', '2', '3', 'v123']],
    ['E11000', ['e11000']],
    ['ERR_CONN_RESET', ['err', 'conn', 'reset', 'errconnreset']],
    ['TS-2345', ['ts', '2345', 'ts2345']],
    ['0x7ffe', ['0x7ffe']],
    ['eu-west-1', ['eu', 'west', '1', 'euwest1']],
  ])('%s is split into its parts and the compound', (text, expected) =>
    expect(words(text)).toEqual(expected),
  );

  it.each([
    ['/etc/nginx/nginx.conf', ['etc', 'nginx', 'nginx', 'conf']],
    ['C:\\Users\\ada', ['c', 'users', 'ada']],
    ['https://wiki.example.com/a?b=c', ['https', 'wiki', 'example', 'com', 'a', 'b', 'c']],
    ['ada@example.com', ['ada', 'example', 'com']],
    ['10.0.0.1:8080', ['10', '0', '0', '1', '8080']],
  ])('%s is split into its parts', (text, expected) => expect(plain(text)).toEqual(expected));

  it('C++, C# and C are three different words', () => {
    expect(words('C++ c# C #c')).toEqual(['c++', 'c#', 'c', 'c']);
  });

  it('the compound of a version keeps its dots, so that it does not match a number', () => {
    expect(compounds('1.2.3')).toEqual(['1.2.3']);
    expect(words('1.2.3')).not.toContain('123');
  });
});

describe('tokenise: apostrophes', () => {
  it.each(["don't", 'don’t', "they're", 'we’ll'])('the contraction %s is one word', (text) => {
    expect(words(text)).toEqual([text.replace(/['’]/, '')]);
  });
  it.each(["Ada's", 'Ada’s'])('the possessive %s is indexed without its ending', (text) => {
    expect(words(text)).toEqual(['ada']);
  });
  it('a name with an apostrophe is split like other compounds', () =>
    expect(words("O'Reilly")).toEqual(['o', 'reilly', 'oreilly']));
});

describe('tokenise: other languages', () => {
  it('words with and without accents are equal, however the accents are encoded', () => {
    for (const text of ['café', 'cafe\u0301', 'CAFÉ', 'ｃａｆé', 'cafe'])
      expect(words(text)).toEqual(['cafe']);
    expect(words('naïve Zürich Ελλάδα')).toEqual(['naive', 'zurich', 'ελλαδα']);
    expect(words('Straße Łódź smørrebrød Æsir')).toEqual(['strasse', 'lodz', 'smorrebrod', 'aesir']);
  });

  it('camel case is split in alphabets with accents and in Cyrillic', () => {
    expect(words('caféBar')).toEqual(['cafe', 'bar', 'cafebar']);
    expect(words('größeÄndern')).toEqual(['grosse', 'andern', 'grosseandern']);
    expect(words('ÜberFlieger')).toEqual(['uber', 'flieger', 'uberflieger']);
    expect(words('парольСервера')).toEqual(['пароль', 'сервера', 'парольсервера']);
  });

  it.each([
    ['Привет, мир!', ['привет', 'мир']],
    ['مرحبا بالعالم', ['مرحبا', 'بالعالم']],
    ['שלום עולם', ['שלום', 'עולם']],
    ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
  ])('%s is split at spaces and punctuation', (text, expected) => expect(words(text)).toEqual(expected));

  it('scripts without spaces are split into bigrams, however they are normalised', () => {
    expect(words('東京都')).toEqual(['東京', '京都']);
    expect(words('猫')).toEqual(['猫']);
    expect(words('サーバー')).toEqual(['さー', 'ーば', 'ばー']);
    expect(words('ヒマワリ')).toEqual(words('ひまわり'));
    expect(words('배포 서버')).toEqual(['배포', '서버']);
    for (const text of ['배포하다', 'ガイド', 'ｶﾞｲﾄﾞ'])
      expect(words(text.normalize('NFD')), 'decomposed form').toEqual(words(text));
    expect(words('ｶﾞｲﾄﾞ')).toEqual(words('ガイド'));
    expect(words('𠮷野家')).toEqual(['𠮷野', '野家']);
    expect(words('GitHubへdeployする')).toEqual(['git', 'hub', 'github', 'へ', 'deploy', 'する']);
  });
});

describe('tokenise: symbols', () => {
  it('emoji are words, without their skin tone', () => {
    expect(words('ship it 🚀')).toEqual(['ship', 'it', '🚀']);
    expect(words('👍👍🏽')).toEqual(['👍', '👍']);
    expect(words('👩‍💻 🇮🇹 ❤️')).toEqual(['👩‍💻', '🇮🇹', '❤']);
  });

  it('control characters, punctuation and lone surrogates separate words and are not words', () => {
    expect(words('a\0b\u0007c\u001b[31md\r\ne')).toEqual(['a', 'b', 'c', '31md', 'e']);
    expect(words('\0\u0001 ... --- /// (.*)+?[]{}|^$ \u0301 \ud83d')).toEqual([]);
    expect(words('')).toEqual([]);
  });
});

describe('tokenise on arbitrary texts', () => {
  const sign = fc.constantFrom(
    ...['a', 'B', 'é', 'Ü', '7', "'", '’', '-', '_', '.', '/', '+', '#', ' ', '東', 'ー', 'ก', '🚀', '\u200d', '\u0301', '\0', '\ud800', 'ß', 'ﬁ', '½'],
  ); // biome-ignore format: a list
  const anyText = fc.oneof(
    fc.array(sign, { maxLength: 40 }).map((signs) => signs.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );

  it('every token lies inside the text, in order, parts before their compound', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = 0;
        for (const { start, end, word, term, compound } of tokenise(text)) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          if (!compound) expect(start).toBeGreaterThanOrEqual(last);
          if (!compound) last = start;
          expect(word).not.toBe('');
          expect(term).not.toBe('');
          expect(word).toBe(word.toLowerCase());
        }
      }),
    );
  });

  it('scanning by class of character gives the same words as the regular expression', () => {
    // A word before a plus sign may be the beginning of `c++`, so the regular expression decides where it ends.
    const piece = fc
      .oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.array(sign, { maxLength: 8 }).map((all) => all.join('')),
      )
      .map((text) => text.replace(/[+# ]/g, ''));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expect(words(pieces.join(' '))).toEqual(words(`${pieces.join('+ ')}+`));
      }),
      { numRuns: 1_000 },
    );
  });

  it('the tokens of a text contain all its letters and digits', () => {
    const letters = (text: string) =>
      text
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase();
    const spaced = fc
      .array(fc.constantFrom('a', 'B', 'é', 'Ü', '7', '-', '_', '.', '/', ' ', 'ж', 'Ж'), {
        maxLength: 40,
      })
      .map((signs) => signs.join(''));
    fc.assert(
      fc.property(spaced, (text) => {
        expect(letters(plain(text).join(''))).toBe(letters(text));
      }),
    );
  });

  it('a text of 64 kB is tokenised to its end, and a very long word is cut', () => {
    expect(tokenise('word '.repeat(13_000))).toHaveLength(13_000);
    const [token, ...others] = tokenise('x'.repeat(65_536));
    expect(others).toEqual([]);
    expect(token).toMatchObject({ word: 'x'.repeat(48), start: 0, end: 65_536 });
    for (const nasty of ['a-', 'aB', "a'", 'a.', '_', 'A', '東', '👩‍', 'a\0', '\u0301', 'É', 'éÉ']) {
      const text = nasty.repeat(65_536 / nasty.length);
      expect(tokenise(text).length).toBeLessThanOrEqual(65_536);
      expect(tokenise(`${text} end`).at(-1)!.word).toBe('end');
    }
  });
});
