import { describe, expect, it } from 'vitest';
import { createExtractor } from '../../packages/helmdeck/src/memory/harvest/extract.ts';
import { labelledTalk, measure } from './labelled-talk.ts';

const MIN_COVERAGE = 0.75;
const MIN_PRECISION = 0.7;

describe.each([
  ['development', 120],
  ['held-back', 120],
  ['other-languages', 90],
  ['several-trades', 100],
] as const)('harvest of the %s talk', (name, minTurns) => {
  const conversations = labelledTalk(name);
  const quality = measure(conversations);

  it('finds what people say that is worth remembering, and little else', () => {
    expect(quality.turns).toBeGreaterThanOrEqual(minTurns);
    expect(quality.coverage, quality.missed.join('\n')).toBeGreaterThanOrEqual(MIN_COVERAGE);
    expect(quality.precision, quality.wrong.join('\n')).toBeGreaterThanOrEqual(MIN_PRECISION);
    expect(quality.categories).toBeGreaterThanOrEqual(0.9);
  });

  it('finds nothing in the same words as tool output', () => {
    const extractor = createExtractor();
    for (const { turns } of conversations)
      for (const { text } of turns) extractor.read({ role: 'tool', text });
    expect(extractor.statements()).toEqual([]);
    expect(extractor.seen()).toBe(0);
  });

  it('gives each statement of a conversation a key of its own that the same words get again', () => {
    for (const { turns } of conversations) {
      const keys = [1, 2].map(() => {
        const extractor = createExtractor('github.com/acme/shop');
        turns.forEach(extractor.read);
        return extractor.statements().map(({ key }) => key);
      });
      expect(keys[0]).toEqual(keys[1]);
      expect(new Set(keys[0]).size).toBe(keys[0]!.length);
      for (const key of keys[0]!)
        expect(key).toMatch(/^(?:preferences|user|commitments|project\/shop)\/[\p{L}\p{N}/-]+$/u);
    }
  });
});
