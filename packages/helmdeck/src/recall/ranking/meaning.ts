import type { Image } from '../image/image.ts';
import type { WordTable } from '../words/word-table.ts';
import { createBoundedHeap } from './bounded-heap.ts';
import type { Query, Subject } from './query.ts';

// Compares what a query and a document are about by the vectors of their words. A fact that says the same in other words
// is found, and of several that share a word the one about the same subject comes first.

/** How near a query is to the documents of one image. */
export interface Meaning {
  /** From 0 to 1. */
  similarity(document: number): number;
  /** The most similar documents, also without a word of the query. */
  nearest: readonly number[];
}

/** Up to this many documents, all are compared: that takes some 0.2 ms. In a larger memory only those that share a word. */
const MAX_COMPARED = 20_000;
/**
 * From this cosine on, a document that shares no word with the query is worth ranking. Lower ones changed nothing: the
 * nearest are few, and other boosts and words still decide. At 0.25 one question in other words of fifteen lost its fact.
 */
const MIN_NEAREST_COSINE = 0.15;
const MAX_NEAREST = 50;

/** Computes what a search of this image compares, unless that is quick; yields to the event loop. */
export function prepareMeanings(
  { documents, meanings }: Image,
  words: WordTable | undefined,
): Promise<void> | undefined {
  return words && documents.length <= MAX_COMPARED ? meanings.complete(words) : undefined;
}

/** Undefined for a query without a known word. Of several sentences the nearest counts: a fact is about one thing. */
export function meaningOf(
  { documents, meanings }: Image,
  { subjects }: Query,
  words: WordTable | undefined,
): Meaning | undefined {
  if (!words || subjects.length === 0) return undefined;
  if (documents.length > MAX_COMPARED) {
    const similarityTo = ({ vector, weight }: Subject, document: number) =>
      weight * meanings.cosine(words, vector, document);
    return {
      similarity: (document) => Math.max(0, ...subjects.map((subject) => similarityTo(subject, document))),
      nearest: [],
    };
  }
  const best = meanings.nearness(words, subjects);
  const nearest = createBoundedHeap<number>(MAX_NEAREST, (a, b) => best[a]! < best[b]!);
  const { length } = documents;
  let needed = MIN_NEAREST_COSINE;
  for (let document = 0; document < length; document++) {
    if (best[document]! < needed || documents.isGone(document)) continue;
    nearest.offer(document);
    if (nearest.kept.length === MAX_NEAREST) needed = best[nearest.kept[0]!]!;
  }
  return { similarity: (document) => best[document]!, nearest: nearest.kept };
}
