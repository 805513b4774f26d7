import type { EntryContent } from '../../memory/entry.ts';
import type { Documents } from '../index/documents.ts';
import type { Scratch } from './accumulate.ts';
import { createBestOf } from './bounded-heap.ts';

export interface Ranked {
  document: number;
  score: number;
  /** How much of the score is for what it is filed with. */
  company?: number;
  /** What it says, where that was read to tell it from its equals. */
  content?: EntryContent;
}

const FEW = 256;
const BUCKETS = new Uint32Array(1_024);

/** The `size` best of the touched documents that are admitted, in no order; `most` is above every score. */
export function selectBest(
  scratch: Scratch,
  size: number,
  most: number,
  documents: Documents,
  admits: (document: number) => boolean,
): Ranked[] {
  const { touched, count } = scratch;
  if (count <= FEW) return bestOfFew(scratch, size, documents, admits);
  const perScore = BUCKETS.length / most;
  const scores = countByScore(scratch, perScore);
  let lowest = BUCKETS.length;
  for (let wanted = size, reached = 0; ; wanted *= 4) {
    while (reached < wanted && lowest > 0) reached += BUCKETS[--lowest]!;
    const found: Ranked[] = [];
    // From the end, where the newest are: the first to come in need not be replaced.
    for (let at = count - 1; at >= 0; at--) {
      const score = scores[at]!;
      if (((score * perScore) | 0) < lowest) continue;
      const document = touched[at]!;
      if (admits(document)) found.push({ document, score });
    }
    if (found.length >= size || lowest === 0) return cutOff(found, size, documents);
  }
}

/** So few need no counting. */
function bestOfFew(
  { scores, touched, count }: Scratch,
  size: number,
  documents: Documents,
  admits: (document: number) => boolean,
): Ranked[] {
  const best = createBestOf(size, isWorse(documents));
  for (let at = count - 1; at >= 0; at--) {
    const document = touched[at]!;
    const score = scores[document]!;
    if (best.kept.length === size && score < best.kept[0]!.score) continue;
    if (admits(document)) best.offer({ document, score });
  }
  return best.kept;
}

/**
 * Counts the touched documents by score: sorting thousands, or asking whether each is admitted, would take longer than
 * finding them. Returns their scores in the order of `touched`, in the array that `accumulate` is done with.
 */
function countByScore({ scores, best, touched, count }: Scratch, perScore: number): Float32Array {
  BUCKETS.fill(0);
  for (let at = 0; at < count; at++) {
    const score = scores[touched[at]!]!;
    best[at] = score;
    const bucket = (score * perScore) | 0;
    BUCKETS[bucket < BUCKETS.length ? bucket : BUCKETS.length - 1]!++;
  }
  return best;
}

/** Without the worst; of equals the newest stay. */
function cutOff(found: Ranked[], size: number, documents: Documents): Ranked[] {
  if (found.length <= size) return found;
  const best = createBestOf(size, isWorse(documents));
  for (const ranked of found) best.offer(ranked);
  return best.kept;
}

const isWorse =
  ({ updatedMs }: Documents) =>
  (a: Ranked, b: Ranked) =>
    a.score < b.score || (a.score === b.score && updatedMs(a.document) < updatedMs(b.document));

/** The score that so many have or are above. */
export function lowestOf(found: readonly Ranked[], count: number): number {
  const scores = new Float64Array(found.length);
  for (let at = 0; at < found.length; at++) scores[at] = found[at]!.score;
  return scores.sort()[found.length - count]!;
}
