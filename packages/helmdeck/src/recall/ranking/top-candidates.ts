import type { EntryContent } from '../../memory/entry.ts';
import type { Documents } from '../index/documents.ts';
import type { Scratch } from './accumulate.ts';
import { createBoundedHeap } from './bounded-heap.ts';

// Top-k selection: picks the highest-scored documents of a search without sorting all that matched.

/** A document that matched the query, with its score so far. */
export interface Candidate {
  document: number;
  score: number;
  /** The part of the score that comes from siblings in its folder. */
  folderBoost?: number;
  /** The part of the score that comes from the time the query names. */
  timeBoost?: number;
  /** How near its words are in meaning to those of the query, from 0 to 1. */
  meaning?: number;
  /** The part of the score that comes from that nearness. */
  meaningBoost?: number;
  /** Its content, if it was parsed to break a tie. */
  content?: EntryContent;
}

/** Up to this many matched documents go through a heap; beyond, a histogram of their scores is faster. */
const MAX_HEAP_DOCUMENTS = 256;
const HISTOGRAM = new Uint32Array(1_024);

/** Selects the `size` highest-scored documents of `accumulate` that pass the filter, unsorted; `maxScore` is an upper bound. */
export function selectTopCandidates(
  scratch: Scratch,
  size: number,
  maxScore: number,
  documents: Documents,
  matches: (document: number) => boolean,
): Candidate[] {
  const { touched, count } = scratch;
  if (count <= MAX_HEAP_DOCUMENTS) return selectByHeap(scratch, size, documents, matches);
  const bucketsPerScore = HISTOGRAM.length / maxScore;
  const scores = fillHistogram(scratch, bucketsPerScore);
  let lowest = HISTOGRAM.length;
  for (let wanted = size, reached = 0; ; wanted *= 4) {
    while (reached < wanted && lowest > 0) reached += HISTOGRAM[--lowest]!;
    const found: Candidate[] = [];
    // Newest first: ties are won by the newest, so later ones rarely replace anything in the heap.
    for (let at = count - 1; at >= 0; at--) {
      const score = scores[at]!;
      if (((score * bucketsPerScore) | 0) < lowest) continue;
      const document = touched[at]!;
      if (matches(document)) found.push({ document, score });
    }
    if (found.length >= size || lowest === 0) return keepBest(found, size, documents);
  }
}

function selectByHeap(
  { scores, touched, count }: Scratch,
  size: number,
  documents: Documents,
  matches: (document: number) => boolean,
): Candidate[] {
  const best = createBoundedHeap(size, isWorse(documents));
  for (let at = count - 1; at >= 0; at--) {
    const document = touched[at]!;
    const score = scores[document]!;
    if (best.kept.length === size && score < best.kept[0]!.score) continue;
    if (matches(document)) best.offer({ document, score });
  }
  return best.kept;
}

/**
 * Counts the matched documents by score: sorting or filtering thousands would take longer than finding them. Returns
 * their scores in the order of `touched`, reusing the `best` array, which `accumulate` no longer needs.
 */
function fillHistogram({ scores, best, touched, count }: Scratch, bucketsPerScore: number): Float32Array {
  HISTOGRAM.fill(0);
  for (let at = 0; at < count; at++) {
    const score = scores[touched[at]!]!;
    best[at] = score;
    const bucket = (score * bucketsPerScore) | 0;
    HISTOGRAM[bucket < HISTOGRAM.length ? bucket : HISTOGRAM.length - 1]!++;
  }
  return best;
}

/** The `size` best; of equal scores the newest. */
function keepBest(found: Candidate[], size: number, documents: Documents): Candidate[] {
  if (found.length <= size) return found;
  const best = createBoundedHeap(size, isWorse(documents));
  for (const candidate of found) best.offer(candidate);
  return best.kept;
}

const isWorse =
  ({ updatedMs }: Documents) =>
  (a: Candidate, b: Candidate) =>
    a.score < b.score || (a.score === b.score && updatedMs(a.document) < updatedMs(b.document));

export function kthHighestScore(candidates: readonly Candidate[], k: number): number {
  const scores = new Float64Array(candidates.length);
  for (let at = 0; at < candidates.length; at++) scores[at] = candidates[at]!.score;
  return scores.sort()[candidates.length - k]!;
}
