import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createRecentTexts } from './recent-texts.ts';

const MINE = Buffer.from('a'.repeat(16));
const OTHER = Buffer.from('b'.repeat(16));
const FACT = 'staging deploys go through Konflux, never through manual kubectl';
const MINUTE_MS = 60_000;

function setUp() {
  const clock = fakeClock();
  return { clock, echo: createRecentTexts(clock.now) };
}

describe('an echo', () => {
  it('a text that the same caller recalled or forgot is an echo', () => {
    const { echo } = setUp();
    echo.noteRecalled(MINE, [FACT]);
    echo.noteForgotten(MINE, ['uses tabs']);
    expect(echo.isEcho(MINE, FACT)).toBe(true);
    expect(echo.isEcho(MINE, 'uses tabs')).toBe(true);
    expect(echo.isEcho(MINE, 'uses spaces')).toBe(false);
    expect(echo.isEcho(OTHER, FACT)).toBe(false);
  });

  it('an echo is recognised in another case, white space, punctuation or Unicode form', () => {
    const { echo } = setUp();
    echo.noteRecalled(MINE, [FACT, 'Zażółć gęślą jaźń', '👍']);
    expect(echo.isEcho(MINE, `  ${FACT.toUpperCase().replaceAll(' ', '\n')}!`)).toBe(true);
    expect(echo.isEcho(MINE, '“zażółć  gęślą jaźń”'.normalize('NFD'))).toBe(true);
    expect(echo.isEcho(MINE, '👍')).toBe(true);
    expect(echo.isEcho(MINE, '👎')).toBe(false);
    expect(echo.isEcho(MINE, '')).toBe(false);
  });

  it('an echo is recognised after a lead-in and as a sentence of a longer text, but not if it is short', () => {
    const { echo } = setUp();
    const twoSentences = `${FACT}. Ask Dana: she knows the exceptions`;
    echo.noteRecalled(MINE, [FACT, 'It works.']);
    echo.noteRecalled(OTHER, [twoSentences]);
    expect(echo.isEcho(MINE, `The user said: "${FACT}"`)).toBe(true);
    expect(echo.isEcho(MINE, `We talked about CI. ${FACT}. Then we had lunch.`)).toBe(true);
    expect(echo.isEcho(MINE, 'I tried the new build on my laptop today. It works.')).toBe(false);
    expect(echo.isEcho(OTHER, `As stored in memory:\n${twoSentences}`)).toBe(true);
    // One sentence of it with something new is an edit.
    expect(echo.isEcho(OTHER, `${FACT}. Ask Luis from now on`)).toBe(false);
  });

  it('an echo expires 15 minutes after the text was last recalled or forgotten', () => {
    const { clock, echo } = setUp();
    echo.noteRecalled(MINE, [FACT]);
    clock.advance(10 * MINUTE_MS);
    echo.noteRecalled(MINE, [FACT]);
    clock.advance(15 * MINUTE_MS - 1);
    expect(echo.isEcho(MINE, FACT)).toBe(true);
    clock.advance(1);
    expect(echo.isEcho(MINE, FACT)).toBe(false);
  });

  it('echoes of the newest 2,000 texts of a namespace are recognised', () => {
    const { echo } = setUp();
    const texts = Array.from({ length: 2_001 }, (_, index) => `fact number ${index}`);
    echo.noteRecalled(MINE, texts);
    expect(echo.isEcho(MINE, texts[0]!)).toBe(false);
    expect(echo.isEcho(MINE, texts[1]!)).toBe(true);
    expect(echo.isEcho(MINE, texts[2_000]!)).toBe(true);
  });

  it('the texts of the oldest namespaces are dropped when there are too many', () => {
    const { echo } = setUp();
    const texts = Array.from({ length: 2_000 }, (_, index) => `fact number ${index}`);
    const namespaces = Array.from({ length: 102 }, (_, index) => Buffer.from([index]));
    for (const ns of namespaces) echo.noteRecalled(ns, texts);
    expect(echo.isEcho(namespaces[0]!, texts[1_999]!)).toBe(false);
    expect(echo.isEcho(namespaces[101]!, texts[0]!)).toBe(true);
  });

  it('any text can be added, and every text is its own echo', () => {
    const { echo } = setUp();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        echo.noteRecalled(MINE, [text]);
        return echo.isEcho(MINE, text) || text.trim() === '';
      }),
    );
    const huge = 'a long note. '.repeat(5_000);
    echo.noteForgotten(MINE, [huge]);
    expect(echo.isEcho(MINE, ` ${huge}`)).toBe(true);
    expect(echo.isEcho(MINE, `${huge}and more`)).toBe(false);
  });
});
