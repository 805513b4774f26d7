import type { Image } from '../image/image.ts';
import { bestFirst } from '../ranking/rank.ts';
import { othersOf } from '../ranking/stands-out.ts';
import type { Candidate } from '../ranking/top-candidates.ts';
import { cosine, quantise } from './quantised.ts';

/** A ranked document; with vectors, also the two parts of its score. */
export interface FusedCandidate extends Candidate {
  lexical?: number;
  vector?: number;
  /** How far to believe it: by its words without boosts, or by its score and how far its vector stands out. */
  belief?: number;
}

/** From so many cosines on, the lowest shows which one the model gives to texts that have nothing in common. */
const MIN_COMPARED = 20;

/**
 * The share of the vectors in a score, by how far they agree with the words. If the best fact by words is also the nearest
 * by meaning, the words are right, and meaning only orders facts that match about equally well. The farther it is from the
 * query, compared with the nearest one, the more likely its words are there by chance. Shares 0.05 lower or higher find
 * as much. With the same share for all queries, long facts were found less often than by words alone (ADR 53).
 */
const SHARE = { ifOpposed: 0.55, ifAgreed: 0.35 };

/**
 * How many places a fact can lose to the vectors that has much of the query's words, and from which score on that is much:
 * words that are there are not there by chance. Only the first of them, so that the best by meaning have room.
 */
const MAX_PLACES_LOST = 3;
const MUCH_OF_QUERY = 0.3;
const MAX_KEPT = 7;

/** What it adds to the belief in a hit that its vector is nearer than those of others: as much as a score by words takes. */
const AHEAD_FACTOR = 1.1;

/** Blends the lexical scores with the cosines. A document that has no vector yet keeps its lexical score. */
export function addVectorScores(image: Image, found: FusedCandidate[], query: Float32Array): void {
  const vectors = image.vectors();
  if (!vectors) return;
  const cosines = vectors.score(
    query,
    found.map(({ document }) => document),
  );
  const nearestWindow = windowScorer(image, query);
  for (const [at, each] of found.entries()) {
    if (!vectors.has(each.document)) continue;
    const window = nearestWindow(each.document);
    each.vector = Math.max(0, window === undefined ? cosines[at]! : (cosines[at]! + window) / 2);
  }
  const share = vectorShare(found);
  const unrelated = cosineOfUnrelated(found);
  const others = othersOf(found.flatMap(({ vector }) => vector ?? []).sort((a, b) => b - a));
  for (const each of found) {
    if (each.vector === undefined) continue;
    each.lexical = each.score;
    const byWords = each.score - (each.folderBoost ?? 0) - (each.timeBoost ?? 0);
    const related = (each.vector - unrelated) / (1 - unrelated);
    const ahead = others === undefined ? undefined : (each.vector - others) / (1 - unrelated);
    const byVector =
      ahead === undefined ? related : (1 - share) * byWords + share * related + AHEAD_FACTOR * ahead;
    each.belief = Math.max(byWords, byVector);
    if (each.folderBoost) each.folderBoost *= 1 - share;
    if (each.timeBoost) each.timeBoost *= 1 - share;
    each.score = (1 - share) * each.lexical + share * each.vector;
  }
  keepPlaces(found, image);
}

/** Raises the facts that have much of the query's words and would lose more places than they may. */
function keepPlaces(found: FusedCandidate[], { documents }: Image): void {
  const byWords = found
    .map((fused) => ({ document: fused.document, score: fused.lexical ?? fused.score, fused }))
    .filter(({ score }) => score >= MUCH_OF_QUERY);
  if (byWords.length === 0) return;
  const order = found.toSorted((a, b) => b.score - a.score);
  for (const [place, { fused }] of bestFirst(byWords, MAX_KEPT, documents).entries()) {
    const lowest = order[place + MAX_PLACES_LOST];
    if (!lowest || fused.score >= lowest.score) continue;
    order.splice(order.indexOf(fused), 1);
    order.splice(place + MAX_PLACES_LOST, 0, fused);
    fused.score = lowest.score;
  }
}

/** Called before the scores are blended: they are by words. */
function vectorShare(found: readonly FusedCandidate[]): number {
  let best: FusedCandidate | undefined;
  let nearest = 0;
  for (const each of found) {
    // Of equal scores the nearer one, so that the order of the candidates does not matter.
    const ahead = best ? each.score - best.score || (each.vector ?? 0) - (best.vector ?? 0) : 1;
    if (ahead > 0) best = each;
    nearest = Math.max(nearest, each.vector ?? 0);
  }
  // A fact that has no vector yet cannot disagree.
  const agreement = best?.vector === undefined || nearest === 0 ? 1 : best.vector / nearest;
  return SHARE.ifOpposed + (SHARE.ifAgreed - SHARE.ifOpposed) * agreement;
}

/** 0 for the built-in model; others give 0.7 to any two texts. */
function cosineOfUnrelated(found: readonly FusedCandidate[]): number {
  const cosines = found.flatMap(({ vector }) => vector ?? []);
  return cosines.length < MIN_COMPARED ? 0 : Math.min(0.99, ...cosines);
}

/** The cosine of the nearest window of a long document. Its mean counts as well: one sentence is not the whole text. */
function windowScorer(image: Image, query: Float32Array): (document: number) => number | undefined {
  const quantised = quantise(query);
  return (document) => {
    const windows = image.windowsOf(document);
    return windows && Math.max(...windows.map((window) => cosine(quantised, window)));
  };
}
