import { describe, expect, it } from 'vitest';
import { openThesaurus, readThesaurus } from '../../packages/helmdeck/src/recall/words/thesaurus.ts';
import { embedTexts } from '../../scripts/thesaurus/embed-texts.ts';
import { encodeTable } from '../../scripts/thesaurus/encode-table.ts';
import { MIN_SIMILARITY, nearestRows, senseVectors } from '../../scripts/thesaurus/nearest.ts';
import { readVocabulary } from '../../scripts/thesaurus/vocabulary.ts';

// A full build takes minutes; a few of its words show that it still makes what is shipped.
const SOME = new Set(['deck', 'kubectl', 'kubernet', 'k8s', 'slideshow', 'invoic']);

describe('building the thesaurus', () => {
  const entries = readVocabulary().filter((entry) => SOME.has(entry.stem));

  async function build(texts: string[]) {
    return nearestRows(senseVectors(entries, await embedTexts(texts)));
  }

  it('building the thesaurus is reproducible and gives the similarities of the shipped table', async () => {
    const texts = [...new Set(entries.flatMap((entry) => entry.senses.flat()))];
    const rows = await build(texts);
    expect(encodeTable(await build(texts.toReversed()))).toEqual(encodeTable(rows));

    let compared = 0;
    for (const [stem, row] of rows) {
      for (const neighbour of row) {
        const shipped = openThesaurus()
          .neighbours(stem)
          .find((other) => other.stem === neighbour.stem);
        // It may have ten better ones.
        if (!shipped) continue;
        expect(shipped.similarity).toBe(Math.round(neighbour.similarity * 255) / 255);
        compared++;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(4);
  });

  it('the similarity of two stems is that of their nearest senses, each the mean direction of its words', () => {
    const vectorOf = new Map([
      ['deck of cards', Float32Array.of(1, 0, 0)],
      ['deck of slides', Float32Array.of(0, 1, 0)],
      ['slide', Float32Array.of(0, 0.8, 0.6)],
      ['slides', Float32Array.of(0, 0.8, -0.6)],
      ['rare', Float32Array.of(0, 1, 0)],
      ['elsewhere', Float32Array.of(0, 0, 1)],
    ]);
    const rows = nearestRows(
      senseVectors(
        [
          { stem: 'deck', senses: [['deck of cards'], ['deck of slides']], common: true },
          { stem: 'elsewher', senses: [['elsewhere']], common: true },
          { stem: 'rare', senses: [['rare']], common: false },
          { stem: 'slide', senses: [['slide', 'slides']], common: true },
        ],
        vectorOf,
      ),
    );
    expect(rows.get('deck')).toEqual([{ stem: 'slide', similarity: 1 }]);
    expect(rows.get('rare')?.map(({ stem }) => stem)).toEqual(['deck', 'slide']);
    expect(rows.has('elsewher')).toBe(false);
    expect(MIN_SIMILARITY).toBe(0.5);
  });
});

describe('the vocabulary', () => {
  const stems = new Set(readVocabulary().map((entry) => entry.stem));

  it('the vocabulary has technical and everyday words', () => {
    for (const stem of ['kubernet', 'oncal', 'invoic', 'garden', 'colour', 'color'])
      expect(stems).toContain(stem);
  });

  it('the vocabulary has no names, numbers, months or function words', () => {
    for (const stem of ['jack', 'carolin', 'seven', 'juli', 'monday', 'the'])
      expect(stems).not.toContain(stem);
  });
});

describe('a table of stems', () => {
  const table = encodeTable(
    new Map([
      ['ship', [{ stem: 'deploy', similarity: 0.8 }]],
      [
        'deploy',
        [
          { stem: 'ship', similarity: 0.8 },
          { stem: 'rollout', similarity: 0.5 },
        ],
      ],
    ]),
  );

  it('a table of stems returns a row as it was written', () => {
    const row = readThesaurus(table).neighbours('deploy');
    expect(row.map((neighbour) => neighbour.stem)).toEqual(['ship', 'rollout']);
    expect(row[0]!.similarity).toBeCloseTo(0.8, 2);
    expect(row[1]!.similarity).toBeGreaterThanOrEqual(0.5);
  });

  it('a table of stems returns nothing for other words', () => {
    const { neighbours } = readThesaurus(table);
    for (const word of ['', 'rollout', 'deplo', 'deployx', 'aaa', 'zzz', 'größe', '部署']) {
      expect(neighbours(word)).toEqual([]);
    }
  });

  it('a table of stems is refused when it has another format or is truncated', () => {
    expect(() => readThesaurus(Buffer.from('not a table at all'))).toThrow('not a thesaurus');
    expect(() => readThesaurus(Buffer.alloc(0))).toThrow('not a thesaurus');
    expect(() => readThesaurus(table.subarray(0, table.length - 1))).toThrow('truncated');
    expect(() => readThesaurus(table.subarray(0, 20))).toThrow('truncated');
  });
});
