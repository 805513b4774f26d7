import { readFileSync } from 'node:fs';
import { readSortedStems } from './sorted-stems.ts';

/** What is known of English words without running a model: how common each is, and a vector of its meaning. */
export interface WordTable {
  readonly dimensions: number;
  /** The row of a stem, -1 if it has none. */
  rowOf(stem: string): number;
  /**
   * How much the word of a row says about a text, from 0 to 1: its information content (the negative logarithm of its
   * share of all English words) over that of a rare word.
   */
  information(row: number): number;
  /** The vectors of all rows, one after the other; each has a length of about 127. */
  readonly vectors: Int8Array;
}

const MAGIC = 'HDWT0001';
const HEADER_BYTES = 16;
/** One byte holds an information content in these steps, up to 12.75 nats: a word in 350,000. */
const STEPS_PER_NAT = 20;
/** The information content of a rare word: one in 160,000. Names, identifiers and whatever else has no row count as rare. */
const RARE_NATS = 12;

let shipped: WordTable | undefined;

/** The table shipped in `assets/words.bin`, read on first use and shared. */
export function openWordTable(): WordTable {
  // The relative path is the same from dist/recall/words and src/recall/words.
  shipped ??= readWordTable(readFileSync(new URL('../../../assets/words.bin', import.meta.url)));
  return shipped;
}

/** `assets/WORDS.md` gives the layout. */
function readWordTable(bytes: Buffer): WordTable {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Error('This is not a table of words.');
  }
  const count = bytes.readUInt32LE(8);
  const dimensions = bytes.readUInt32LE(12);
  const textStarts = HEADER_BYTES;
  const nats = textStarts + 4 * (count + 1);
  const vectors = nats + count;
  const text = vectors + count * dimensions;
  if (bytes.length < text || bytes.length !== text + bytes.readUInt32LE(textStarts + 4 * count)) {
    throw new Error('The table of words is truncated.');
  }
  const stems = readSortedStems(bytes, count, textStarts, text);
  return {
    dimensions,
    rowOf: stems.find,
    information: (row) => Math.min(1, bytes[nats + row]! / (STEPS_PER_NAT * RARE_NATS)),
    vectors: new Int8Array(bytes.buffer, bytes.byteOffset + vectors, count * dimensions),
  };
}
