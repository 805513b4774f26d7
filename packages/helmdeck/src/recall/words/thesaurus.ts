import { readFileSync } from 'node:fs';
import { readSortedStems } from './sorted-stems.ts';

/** Synonyms for query expansion, from a table that is shipped with the package. */
export interface Thesaurus {
  /** At most ten synonyms of a stem, best first, never the stem itself. */
  neighbours(stem: string): readonly Neighbour[];
}

/** A synonym, as a stem. */
export interface Neighbour {
  stem: string;
  /** Cosine of the two stems' embeddings, from 0.5 to 1. */
  similarity: number;
}

const MAGIC = 'HDTH0001';
const HEADER_BYTES = 16;
const NONE: readonly Neighbour[] = Object.freeze([]);

let shipped: Thesaurus | undefined;

/** The table shipped in `assets/thesaurus.bin`, read on first use and shared. */
export function openThesaurus(): Thesaurus {
  // The relative path is the same from dist/recall/words and src/recall/words.
  shipped ??= readThesaurus(readFileSync(new URL('../../../assets/thesaurus.bin', import.meta.url)));
  return shipped;
}

/**
 * Reads a table by binary search in its bytes and decodes only the rows looked up: as objects it would take some 20 MB
 * of heap. `assets/THESAURUS.md` gives the layout.
 */
export function readThesaurus(bytes: Buffer): Thesaurus {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Error('This is not a thesaurus table.');
  }
  const stemCount = bytes.readUInt32LE(8);
  const neighbourCount = bytes.readUInt32LE(12);
  const textStarts = HEADER_BYTES;
  const rowStarts = textStarts + 4 * (stemCount + 1);
  const ids = rowStarts + 4 * (stemCount + 1);
  const similarities = ids + 2 * neighbourCount;
  const text = similarities + neighbourCount;
  const entry = (table: number, index: number) => bytes.readUInt32LE(table + 4 * index);
  if (bytes.length < text || bytes.length !== text + entry(textStarts, stemCount)) {
    throw new Error('The thesaurus table is truncated.');
  }

  const stems = readSortedStems(bytes, stemCount, textStarts, text);

  return {
    neighbours(wanted) {
      const id = stems.find(wanted);
      if (id < 0) return NONE;
      const row: Neighbour[] = [];
      const end = entry(rowStarts, id + 1);
      for (let at = entry(rowStarts, id); at < end; at++) {
        const similarity = bytes[similarities + at]! / 255;
        row.push({ stem: stems.at(bytes.readUInt16LE(ids + 2 * at)), similarity });
      }
      return row;
    },
  };
}
