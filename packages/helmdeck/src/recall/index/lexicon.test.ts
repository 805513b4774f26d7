import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedEditDistance } from '../text/edit-distance.ts';
import { createLexicon } from './lexicon.ts';

function lexiconOf(terms: readonly string[]) {
  const lexicon = createLexicon();
  for (const term of terms) lexicon.add(term);
  return lexicon;
}
const term = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'd', 'é', '東', '🚀'),
  minLength: 1,
  maxLength: 7,
});
const someTerms = fc.uniqueArray(term, { maxLength: 60 });

describe('a lexicon', () => {
  it('a term added again keeps its id', () => {
    fc.assert(
      fc.property(someTerms, (terms) => {
        const lexicon = lexiconOf([...terms, ...terms]);
        expect(lexicon.size).toBe(terms.length);
        for (const [number, each] of terms.entries()) {
          expect([lexicon.idOf(each), lexicon.term(number)]).toEqual([number, each]);
        }
        expect(lexicon.idOf('unknown')).toBeUndefined();
      }),
    );
  });

  it('startingWith finds every term with the prefix, shortest first', () => {
    fc.assert(
      fc.property(someTerms, term, (terms, prefix) => {
        const found = lexiconOf(terms)
          .startingWith(prefix, 1_000)
          .map((id) => terms[id]!);
        const expected = prefix.length < 2 ? [] : terms.filter((each) => each.startsWith(prefix));
        expect([...found].sort()).toEqual(expected.sort());
        expect(found.map(({ length }) => length)).toEqual(
          found.map(({ length }) => length).sort((a, b) => a - b),
        );
      }),
    );
  });

  it('withinEdits finds every term within the edit distance, nearest first', () => {
    fc.assert(
      fc.property(someTerms, term, fc.integer({ min: 1, max: 2 }), (terms, typed, maxEdits) => {
        const found = lexiconOf(terms).withinEdits(typed, maxEdits, 1_000);
        const expected = terms.filter((each) => boundedEditDistance(typed, each, maxEdits) !== undefined);
        expect(found.map(({ id }) => terms[id]!).sort()).toEqual(expected.sort());
        for (const { id, edits } of found)
          expect(edits).toBe(boundedEditDistance(typed, terms[id]!, maxEdits));
        expect(found.map(({ edits }) => edits)).toEqual(found.map(({ edits }) => edits).sort());
      }),
    );
  });

  it('lookups with a limit return the same terms in whatever order these were added', () => {
    fc.assert(
      fc.property(someTerms, term, fc.integer({ min: 1, max: 4 }), (terms, asked, limit) => {
        const answers = (lexicon: ReturnType<typeof lexiconOf>) => [
          lexicon.startingWith(asked, limit).map(lexicon.term),
          lexicon.withinEdits(asked, 2, limit).map(({ id }) => lexicon.term(id)),
        ];
        expect(answers(lexiconOf([...terms].reverse()))).toEqual(answers(lexiconOf(terms)));
      }),
    );
  });
});
