import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stem } from '../text/stem.ts';
import { openThesaurus } from './thesaurus.ts';

const namesOf = (word: string) =>
  openThesaurus()
    .neighbours(stem(word))
    .map((neighbour) => neighbour.stem);

describe('the shipped thesaurus', () => {
  it('the shipped thesaurus is smaller than 1.5 MB', () => {
    const bytes = readFileSync(new URL('../../../assets/thesaurus.bin', import.meta.url));
    expect(bytes.length).toBeLessThan(1_500_000);
  });

  it('the shipped thesaurus has synonyms of everyday words', () => {
    expect(namesOf('buy')).toContain(stem('purchase'));
    expect(namesOf('movies')).toContain(stem('film'));
    expect(namesOf('colour')).toContain(stem('color'));
  });

  it('the shipped thesaurus has synonyms of software and office words', () => {
    expect(namesOf('k8s')).toContain(stem('kubernetes'));
    expect(namesOf('deployment')).toContain(stem('rollout'));
    expect(namesOf('invoice')).toContain(stem('bill'));
    expect(namesOf('deck')).toContain(stem('slides'));
  });

  it('names, numbers, days, months and function words have no synonyms', () => {
    for (const word of ['caroline', 'jack', 'seven', 'monday', 'july', 'the', 'what', '2024', 'because']) {
      expect(namesOf(word)).toEqual([]);
    }
  });

  it('every row has at most ten synonyms of similarity 0.5 or more, best first, never the stem itself', () => {
    const known = ['deploy', 'invoice', 'house', 'happy', 'database', 'travel', 'write', 'slow'].map(stem);
    for (let at = 0; at < known.length && known.length < 2_000; at++) {
      const row = openThesaurus().neighbours(known[at]!);
      expect(row.length).toBeLessThanOrEqual(10);
      let above = 1;
      for (const { stem: name, similarity } of row) {
        expect(name).not.toBe(known[at]);
        expect(similarity).toBeLessThanOrEqual(above);
        expect(similarity).toBeGreaterThanOrEqual(0.5);
        above = similarity;
        if (!known.includes(name)) known.push(name);
      }
    }
    expect(known.length).toBeGreaterThan(500);
  });

  it('openThesaurus reads the table once', () => {
    expect(openThesaurus()).toBe(openThesaurus());
  });
});
