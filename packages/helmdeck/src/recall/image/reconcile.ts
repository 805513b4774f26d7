import type { RowMark, RowReads } from '../../memory/store.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { RECALL_KINDS, type RecallKind } from '../index/documents.ts';
import { bytes, doubles } from '../index/paged-array.ts';
import type { Image } from './image.ts';

/** Rows of one kind that an image lacks: all those after one position, up to another. */
export interface LackingRows {
  kinds: readonly RecallKind[];
  afterSeq: number;
  untilSeq: number;
}

const PAGE_MARKS = 500;
/** Rows are read in pages: with no more than so many between them, two that are lacking are in the same one or the next. */
const NEAR = 200;

/**
 * Finds out where an image and its namespace differ by the marks of the rows: one that is written again gets another
 * position. No row is read for it, so that comparing a large memory is little work and leaves little garbage.
 */
export async function compare(
  store: RowReads,
  ns: Uint8Array,
  image: Image,
): Promise<{ lacking: LackingRows[]; gone: number[] }> {
  const standing = [];
  for (const kind of RECALL_KINDS) standing.push(await readMarks(store, ns, kind));
  const gone: number[] = [];
  const nextTurn = createYielder();
  const { documents, ids } = image;
  for (let document = 0; document < documents.length; document++) {
    if (!image.holds(document)) continue;
    const { meet } = standing[documents.kindNumber(document)]!;
    if (!meet(documents.seq(document), ids.startOf(document))) gone.push(document);
    const turn = nextTurn();
    if (turn) await turn;
  }
  return { lacking: standing.flatMap(({ notMet }) => notMet()), gone };
}

/** The marks of all rows of a kind, each of which can be met. */
async function readMarks(store: RowReads, ns: Uint8Array, kind: RecallKind) {
  const seqs = doubles();
  const idStarts = doubles();
  const isMet = bytes();
  const nextTurn = createYielder();
  for (let page: RowMark[] | undefined; page === undefined || page.length === PAGE_MARKS; await nextTurn()) {
    page = await store.marks(ns, kind, page?.at(-1)?.seq ?? 0, PAGE_MARKS);
    for (const { seq, idStart } of page) {
      seqs.push(seq);
      idStarts.push(idStart);
      isMet.push(0);
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
    /** Whether that row is there; it has been met from now on. */
    meet(seq: number, idStart: number): boolean {
      const at = indexOf(seq);
      if (at === seqs.length || seqs.get(at) !== seq || idStarts.get(at) !== idStart) return false;
      isMet.set(at, 1);
      return true;
    },
    /** Those that were not met, as ranges; what is near each other is read in one go. */
    notMet(): LackingRows[] {
      const ranges: LackingRows[] = [];
      let last = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < seqs.length; at++) {
        if (isMet.get(at) === 1) continue;
        const seq = seqs.get(at);
        if (at - last <= NEAR) ranges.at(-1)!.untilSeq = seq;
        else ranges.push({ kinds: [kind], afterSeq: seq - 1, untilSeq: seq });
        last = at;
      }
      return ranges;
    },
  };
}
