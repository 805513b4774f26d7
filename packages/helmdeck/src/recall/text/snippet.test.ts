import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';
import { tokenise } from './tokens.ts';

/** The highlighted parts of a snippet. */
function highlighted(text: string, ...wanted: string[]): string[] {
  const snippet = snippetOf(text, new Set(wanted));
  return snippet.highlights.map(([start, end]) => snippet.text.slice(start, end));
}
const LONG = `${'before '.repeat(100)}the needle is here ${'after '.repeat(100)}`;

describe('snippetOf', () => {
  it('the snippet of a short text is the whole text', () => {
    expect(snippetOf('deploys via Konflux', new Set(['konflux']))).toEqual({
      text: 'deploys via Konflux',
      highlights: [[12, 19]],
    });
    expect(snippetOf('', new Set(['x']))).toEqual({ text: '', highlights: [] });
  });

  it('the snippet of a long text is the window around the query terms, cut at word boundaries', () => {
    const { text } = snippetOf(LONG, new Set(['needl']));
    expect(text).toMatch(/^…(before )+the needle is here (after )+after…$|^…before.*needle.*after…$/);
    expect(text.length).toBeLessThanOrEqual(242);
    expect(highlighted(LONG, 'needl')).toEqual(['needle']);
  });

  it('a snippet prefers the window with the most distinct terms over the one with the most occurrences', () => {
    const text = `${'deploy deploy deploy '.repeat(5)}${'x '.repeat(300)}deploy with konflux${' y'.repeat(300)}`;
    expect(highlighted(text, 'deploy', 'konflux')).toContain('konflux');
  });

  it('a snippet shows two terms that just fit into its maximum length', () => {
    for (const gap of [200, 216, 220, 224, 225, 226, 227, 228]) {
      const text = `${'x '.repeat(200)}alpha ${'-'.repeat(gap)} omega${' y'.repeat(200)}`;
      const words = highlighted(text, 'alpha', 'omega');
      expect(words.length, `${gap} apart`).toBeGreaterThan(0);
      for (const word of words) expect(['alpha', 'omega']).toContain(word);
    }
    for (const first of ['alpha', 'aalpha']) {
      const text = `${'x '.repeat(200)}${first} ${'- '.repeat(114)}omega${' y'.repeat(200)}`;
      expect(highlighted(text, first, 'omega')).toEqual([first, 'omega']);
    }
  });

  it('a snippet highlights a compound as one range, whichever of its parts match', () => {
    expect(highlighted('the on-call rota', 'oncal')).toEqual(['on-call']);
    expect(highlighted('the on-call rota', 'call', 'oncal')).toEqual(['on-call']);
    expect(highlighted('set user_account_id now', 'user', 'id', 'useraccountid')).toEqual([
      'user_account_id',
    ]);
    expect(highlighted('东京都很大', '东京', '京都')).toEqual(['东京都']);
  });

  it('a snippet without matches is the beginning of the text', () => {
    expect(snippetOf(LONG, new Set())).toMatchObject({ highlights: [] });
    expect(snippetOf(LONG, new Set()).text).toMatch(/^before before .*before…$/);
  });
});

describe('snippetOf on texts of 64 kB', () => {
  const filler = 'Every release goes out on Tuesday. '.repeat(1_800);
  const text = `${filler.slice(0, 50_000)} the needle is here ${filler.slice(0, 10_000)}`;

  it.each([0.83, 0.75, 0.95])('a match is found if it is expected at %d of the text', (position) => {
    const { text: shown, highlights } = snippetOf(text, new Set(['needl']), position);
    expect(shown).toContain('the needle is here');
    expect(highlights.map(([start, end]) => shown.slice(start, end))).toEqual(['needle']);
  });

  it('a match far from where it is expected is not searched for: the snippet is the expected place', () => {
    const { text: shown, highlights } = snippetOf(text, new Set(['needl']), 0.2);
    expect(highlights).toEqual([]);
    expect(text.indexOf(shown.replace(/^…|…$/g, ''))).toBeGreaterThan(0);
  });
});

describe('snippetOf on arbitrary texts', () => {
  const piece = fc.constantFrom(
    'needle',
    'on-call',
    'x',
    '🚀',
    '👩‍💻',
    '东京都',
    ' ',
    '\n',
    'é',
    'aB',
    '-',
    'w'.repeat(60),
  );
  const text = fc.array(piece, { maxLength: 400 }).map((pieces) => pieces.join(''));
  const wanted = new Set(['needl', 'oncal', 'call', '🚀', '东京', '京都', 'ab', 'b']);

  it('every snippet is a well-formed part of the text, and every highlight in it covers a query term', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { text: shown, highlights } = snippetOf(whole, wanted);
        expect(shown.isWellFormed()).toBe(true);
        expect(whole).toContain(shown.replace(/^…|…$/g, ''));
        expect(shown.length).toBeLessThanOrEqual(242);
        let last = -1;
        for (const [start, end] of highlights) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(shown.length);
          last = end;
          const words = tokenise(shown.slice(start, end)).map(({ term }) => term);
          expect(words.some((term) => wanted.has(term))).toBe(true);
        }
      }),
    );
  });
});
