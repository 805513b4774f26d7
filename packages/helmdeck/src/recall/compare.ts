import type { RowReads } from '../memory/store.ts';
import { takeTurns } from '../memory/turns.ts';
import { RECALL_KINDS, type RecallKind } from './documents.ts';
import type { Image } from './image.ts';
import { bytes, doubles } from './paged.ts';

/** Rows of one kind that an image lacks: all those after one position, up to another. */
export interface LackingRows {
  kinds: readonly RecallKind[];
  afterSeq: number;
  untilSeq: number;
}

const PAGE_SEQS = 2_000;

/**
 * Finds out where an image and its namespace differ by the positions of the rows alone: a row that is written again gets
 * another one. No row is read for it, so that comparing a large memory is little work and leaves little garbage.
 */
export async function compare(
  store: RowReads,
  ns: Uint8Array,
  image: Image,
): Promise<{ lacking: LackingRows[]; gone: number[] }> {
  const standing = [];
  for (const kind of RECALL_KINDS) standing.push(await readPositions(store, ns, kind));
  const gone: number[] = [];
  const nextTurn = takeTurns();
  const { documents } = image;
  for (let document = 0; document < documents.length; document++) {
    if (!image.holds(document)) continue;
    if (!standing[documents.kindNumber(document)]!.meet(documents.seq(document))) gone.push(document);
    const turn = nextTurn();
    if (turn) await turn;
  }
  return { lacking: standing.flatMap(({ notMet }) => notMet()), gone };
}

/** The positions of all rows of a kind, each of which can be met. */
async function readPositions(store: RowReads, ns: Uint8Array, kind: RecallKind) {
  const seqs = doubles();
  const marks = bytes();
  const nextTurn = takeTurns();
  for (let page: number[] | undefined; page === undefined || page.length === PAGE_SEQS; await nextTurn()) {
    page = await store.seqs(ns, kind, page?.at(-1) ?? 0, PAGE_SEQS);
    for (const seq of page) {
      seqs.push(seq);
      marks.push(0);
    }
  }

  /** The first that is not before a position. */
  function indexOf(seq: number): number {
    let [low, high] = [0, seqs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (seqs.get(middle) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    /** Whether a row stands there; it has been met from now on. */
    meet(seq: number): boolean {
      const at = indexOf(seq);
      if (at === seqs.length || seqs.get(at) !== seq) return false;
      marks.set(at, 1);
      return true;
    },
    /** Those that were not met, as ranges. */
    notMet(): LackingRows[] {
      const ranges: LackingRows[] = [];
      for (let at = 0; at < seqs.length; at++) {
        if (marks.get(at) === 1) continue;
        const first = seqs.get(at);
        while (at + 1 < seqs.length && marks.get(at + 1) === 0) at++;
        ranges.push({ kinds: [kind], afterSeq: first - 1, untilSeq: seqs.get(at) });
      }
      return ranges;
    },
  };
}
