import type { Image } from '../image/image.ts';
import type { Candidate } from '../ranking/top-candidates.ts';
import { cosine, quantise } from './quantised.ts';

/** A ranked document; with vectors, also the two parts of its score. */
export interface FusedCandidate extends Candidate {
  lexical?: number;
  vector?: number;
}

/**
 * The share of the vectors in a score. It is half where the words of the query say little: where no document has most of
 * them, the best lexical score is low, and that is how far words can be trusted. It falls to a third where some document
 * has most of them: then nearness of meaning only decides between documents that match about equally well. With a fixed
 * half, long facts were found less often than by words alone (ADR 53).
 */
const SHARE = { ofVagueQuery: 0.5, ofMatchedQuery: 0.35 };
/** The best lexical score up to which a query is vague, and from which it is matched. */
const VAGUE_SCORE = 0.2;
const MATCHED_SCORE = 0.6;

/** Blends the lexical scores with the cosines. A document that has no vector yet keeps its lexical score. */
export function addVectorScores(image: Image, found: FusedCandidate[], query: Float32Array): void {
  const vectors = image.vectors();
  if (!vectors) return;
  const cosines = vectors.score(
    query,
    found.map(({ document }) => document),
  );
  const nearestWindow = windowScorer(image, query);
  const share = vectorShare(found);
  for (const [at, each] of found.entries()) {
    if (!vectors.has(each.document)) continue;
    const window = nearestWindow(each.document);
    each.lexical = each.score;
    each.vector = Math.max(0, window === undefined ? cosines[at]! : (cosines[at]! + window) / 2);
    if (each.folderBoost) each.folderBoost *= 1 - share;
    if (each.timeBoost) each.timeBoost *= 1 - share;
    each.score = (1 - share) * each.lexical + share * each.vector;
  }
}

function vectorShare(found: readonly FusedCandidate[]): number {
  let best = 0;
  for (const { score } of found) best = Math.max(best, score);
  const matched = Math.min(1, Math.max(0, (best - VAGUE_SCORE) / (MATCHED_SCORE - VAGUE_SCORE)));
  return SHARE.ofVagueQuery + (SHARE.ofMatchedQuery - SHARE.ofVagueQuery) * matched;
}

/** The cosine of the nearest window of a long document. Its mean counts as well: one sentence is not the whole text. */
function windowScorer(image: Image, query: Float32Array): (document: number) => number | undefined {
  const quantised = quantise(query);
  return (document) => {
    const windows = image.windowsOf(document);
    return windows && Math.max(...windows.map((window) => cosine(quantised, window)));
  };
}
