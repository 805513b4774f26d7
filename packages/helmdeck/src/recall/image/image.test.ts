import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StringTable } from '../index/string-table.ts';
import { searchImage } from '../search.ts';
import { append, compacted } from './compact.ts';
import { createImage, type Image } from './image.ts';
import { attach, detach } from './image-transfer.ts';

const THESAURUS = {
  neighbours: (stem: string) => (stem === 'ship' ? [{ stem: 'deploy', similarity: 0.9 }] : []),
};
const WORDS = [
  'deploy', 'deployment', 'konflux', 'konflikt', 'billing', 'on-call', 'oncall', 'on', 'call', 'camelCase', 'rota', 'rotb',
  'rotc', 'rotd', 'rote', 'rotf', 'rotg', 'roth', 'roti', 'rotj', 'the', 'thing', '東京都', 'café', 'v1.2.3',
]; // biome-ignore format: a list
const QUERIES = [
  'deploy', 'ship', 'rot', 'rott', 'konflus', 'on call', 'on-call', 'oncall', 'camel case', 'the', 'the thing', '東京',
  'cafe billing', 'deploy konflux billing', 'key3', 'v1.2.3', '',
]; // biome-ignore format: a list

interface Fact {
  value: string;
  tags: string[];
  category: string;
  updatedMs: number;
  expiresMs: number;
}
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
  .map((each) => each.join(' '));
const fact: fc.Arbitrary<Fact> = fc.record({
  value: text,
  tags: fc.uniqueArray(fc.constantFrom('ci', 'on-call', 'it'), { maxLength: 2 }),
  category: fc.constantFrom('infra', 'people'),
  updatedMs: fc.integer({ min: 1, max: 3 }),
  expiresMs: fc.constantFrom(50, 1_000),
});
const number = fc.integer({ min: 0, max: 9 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(number, fact) },
  { weight: 1, arbitrary: fc.tuple(number, fc.constant(undefined)) },
);

const idOf = (each: number) => Buffer.from(`fact number ${each}    `.slice(0, 16));
function put(image: Image, each: number, { value, tags, category, updatedMs, expiresMs }: Fact): void {
  const content = Buffer.from(JSON.stringify({ key: `a/key${each}`, value, tags, category }));
  const head = { kind: 'fact' as const, seq: 1, rev: 1, createdMs: 1, updatedMs, expiresMs };
  image.put({ ...head, id: idOf(each) }, content);
}

const allTerms = ({ size, term }: StringTable) => Array.from({ length: size }, (_, id) => term(id));

/** Everything a search can tell, for many queries. */
function answers(image: Image, nowMs: number) {
  return QUERIES.flatMap((query) =>
    [{}, { category: 'infra' }, { tag: 'on-call' }].map((filter) => {
      const request = { text: query, limit: 20, explain: true, ...filter };
      const { hits, abstained } = searchImage(image, request, THESAURUS, nowMs);
      return { query, filter, abstained, hits: hits.map((hit) => ({ ...hit, snippet: hit.snippet() })) };
    }),
  );
}

describe('an image after changes', () => {
  it('an image after puts and removals gives the same results as a new image of the remaining facts, compacted or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, isLater) => {
        const image = createImage();
        const left = new Map<number, Fact>();
        for (const [each, given] of steps) {
          left.delete(each);
          if (given) {
            left.set(each, given);
            put(image, each, given);
          } else {
            const document = image.find(idOf(each));
            if (document !== undefined) image.remove(document);
          }
        }
        const fresh = createImage();
        for (const [each, given] of [...left].reverse()) put(fresh, each, given);
        const { index, documents, dead } = image;
        expect(index.liveDocuments()).toBe(left.size);
        expect(documents.length - dead).toBe(left.size);
        expect(index.averageLength()).toBe(fresh.index.averageLength());
        for (const [term, name] of allTerms(index.lexicon).entries()) {
          const freshTerm = fresh.index.lexicon.idOf(name);
          const expected = freshTerm === undefined ? 0 : fresh.index.postings.documentFrequency(freshTerm);
          expect(index.postings.documentFrequency(term), `documents with ${name}`).toBe(expected);
        }
        expect(answers(image, 10)).toEqual(answers(fresh, 10));
        const nowMs = isLater ? 100 : 10;
        const small = await compacted(image, nowMs);
        expect(small.documents.length).toBe(
          [...left.values()].filter(({ expiresMs }) => expiresMs > nowMs).length,
        );
        if (!isLater) expect(answers(small, nowMs)).toEqual(answers(fresh, nowMs));
      }),
      { numRuns: 60 },
    );
  });

  it('images joined after a transfer give the same results as one image that all facts were put in', async () => {
    const facts = fc.array(fc.tuple(fact, fc.integer({ min: 0, max: 2 })), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(facts, async (given) => {
        const parts = [createImage(), createImage(), createImage()];
        const whole = createImage();
        for (const [each, [factOf, part]] of given.entries()) {
          put(parts[part]!, each, factOf);
          put(whole, each, factOf);
        }
        const [joined, ...others] = parts.map((part) => {
          const { parts: moved, memory } = detach(part);
          return attach(structuredClone(moved, { transfer: memory }));
        });
        for (const other of others) await append(joined!, other, 10);
        expect(joined!.index.liveDocuments()).toBe(given.length);
        expect(joined!.index.averageLength()).toBe(whole.index.averageLength());
        expect(answers(joined!, 10)).toEqual(answers(whole, 10));
      }),
      { numRuns: 40 },
    );
  });

  it('an image contains neither the text nor, once compacted, a word of removed facts', async () => {
    const image = createImage();
    const gone = { value: 'xylophone', tags: ['secrettag'], category: 'hidden', updatedMs: 1, expiresMs: 99 };
    put(image, 1, gone);
    put(image, 2, { ...gone, value: 'kept', tags: [], category: 'shown' });
    image.remove(image.find(idOf(1))!);
    expect(Buffer.concat(image.documents.texts.usedPages()).includes('xylophone')).toBe(false);
    const { index } = await compacted(image, 10);
    expect(allTerms(index.lexicon)).not.toContain('xylophon');
    expect(allTerms(index.labels).join()).not.toMatch(/secrettag|hidden/);
  });

  it('an image finds a word by prefix and with a typo, however many similar words were removed', () => {
    const image = createImage();
    const base = { tags: [], category: 'c', updatedMs: 1, expiresMs: 99 };
    for (let each = 0; each < 20; each++) {
      const letter = String.fromCharCode(97 + each);
      put(image, each, { ...base, value: `grafan${letter} graf${letter}` });
      image.remove(image.find(idOf(each))!);
    }
    put(image, 30, { ...base, value: 'grafanazzz grafanq' });
    for (const query of ['graf', 'grafanx'])
      expect(searchImage(image, { text: query, limit: 5 }, THESAURUS, 10).hits).toHaveLength(1);
  });
});
