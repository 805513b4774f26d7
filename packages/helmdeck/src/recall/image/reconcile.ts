import type { RowMark, RowReads } from '../../memory/store.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { RECALL_KINDS, type RecallKind } from '../index/documents.ts';
import { bytes, doubles } from '../index/paged-array.ts';
import type { Image } from './image.ts';

// Finds the differences between an image and its namespace without reading the rows.

/** A range of rows of one kind that an image lacks. */
export interface MissingRows {
  kinds: readonly RecallKind[];
  afterSeq: number;
  untilSeq: number;
}

const PAGE_MARKS = 500;
/** Missing rows with at most this many others in between are read as one range, since they share a page or two. */
const MAX_GAP_ROWS = 200;

/**
 * Compares the marks of rows with the documents of the image: a row that is written again has another seq. Marks are
 * small, so reconciling a large namespace is cheap and creates little garbage.
 */
export async function reconcile(
  store: RowReads,
  ns: Uint8Array,
  image: Image,
): Promise<{ lacking: MissingRows[]; gone: number[] }> {
  const marksByKind = [];
  for (const kind of RECALL_KINDS) marksByKind.push(await loadMarks(store, ns, kind));
  const gone: number[] = [];
  const yieldIfDue = createYielder();
  const { documents, ids } = image;
  for (let document = 0; document < documents.length; document++) {
    if (!image.holds(document)) continue;
    const { markSeen } = marksByKind[documents.kindNumber(document)]!;
    if (!markSeen(documents.seq(document), ids.startOf(document))) gone.push(document);
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  return { lacking: marksByKind.flatMap(({ unseen }) => unseen()), gone };
}

/** Loads the marks of all rows of a kind; each can be marked as seen. */
async function loadMarks(store: RowReads, ns: Uint8Array, kind: RecallKind) {
  const seqs = doubles();
  const idStarts = doubles();
  const isSeen = bytes();
  const yieldIfDue = createYielder();
  for (
    let page: RowMark[] | undefined;
    page === undefined || page.length === PAGE_MARKS;
    await yieldIfDue()
  ) {
    page = await store.marks(ns, kind, page?.at(-1)?.seq ?? 0, PAGE_MARKS);
    for (const { seq, idStart } of page) {
      seqs.push(seq);
      idStarts.push(idStart);
      isSeen.push(0);
    }
  }

  /** Binary search: the index of the first mark that is not before a seq. */
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
    /** Whether the store has that row; marks it as seen. */
    markSeen(seq: number, idStart: number): boolean {
      const at = indexOf(seq);
      if (at === seqs.length || seqs.get(at) !== seq || idStarts.get(at) !== idStart) return false;
      isSeen.set(at, 1);
      return true;
    },
    /** Rows not marked as seen, as ranges; close ones are joined. */
    unseen(): MissingRows[] {
      const ranges: MissingRows[] = [];
      let last = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < seqs.length; at++) {
        if (isSeen.get(at) === 1) continue;
        const seq = seqs.get(at);
        if (at - last <= MAX_GAP_ROWS) ranges.at(-1)!.untilSeq = seq;
        else ranges.push({ kinds: [kind], afterSeq: seq - 1, untilSeq: seq });
        last = at;
      }
      return ranges;
    },
  };
}
