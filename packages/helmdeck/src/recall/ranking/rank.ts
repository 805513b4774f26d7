import type { Documents } from '../index/documents.ts';
import { PAGE_MASK, PAGE_SHIFT } from '../index/paged-array.ts';
import type { TermIndex } from '../index/term-index.ts';
import { accumulate, K1, type Scratch } from './accumulate.ts';
import { addFolderBoost } from './folder-boost.ts';
import type { Meaning } from './meaning.ts';
import { createProximityScorer, type ProximityScorer } from './proximity.ts';
import type { Query } from './query.ts';
import { type Candidate, kthHighestScore, selectTopCandidates } from './top-candidates.ts';

// Ranks the documents of an image for a query: BM25F scores plus folder, phrase and subject boosts.

/** The relative floating-point error to allow for when comparing sums that were added in a different order. */
const ROUNDING = 1e-9;

export interface RankOptions {
  /** How many candidates to select by BM25F. */
  size: number;
  /** The filter: whether a document is live and of the requested kind, category and tag. */
  matches: (document: number) => boolean;
  /** How many results the caller will show; candidates that cannot be among them are dropped. */
  topK?: number;
  /** Boosts documents whose siblings in a folder match as well. */
  folderBoost?: boolean;
  /** Raises documents that are from the time that the query names. */
  during?: (document: number) => boolean;
  /** Raises documents that are about the same, and adds those nearest to the query. */
  meaning?: Meaning;
  /** Documents to score even if they have none of the words: the nearest by vector. */
  extra?: Iterable<number>;
}

/** Selects the best candidates for a query and scores them, from 0 to 1. Returns them unsorted; `bestFirst` sorts them. */
export function shortlist(
  query: Query,
  index: TermIndex,
  documents: Documents,
  scratch: Scratch,
  { size, matches, topK = size, folderBoost, during, meaning, extra }: RankOptions,
): Candidate[] {
  const maxScore = maxScoreOf(query);
  accumulate(query, index, scratch, documents.length);
  const proximity = createProximityScorer(query);
  const selected = selectTopCandidates(scratch, size, maxScore, documents, matches);
  if (meaning) addExtra(selected, meaning.nearest, scratch, matches);
  if (folderBoost) addFolderBoost(selected, index);
  if (during) addTimeBoost(selected, during, TIME_SHARE * maxScore);
  // Vectors of whole texts, where there are any, say the same better.
  const share = extra ? MEANING_SHARE.ofMatchedQuery : meaningShare(selected, maxScore);
  const mostMeaning = share * maxScore;
  if (meaning) addMeaning(selected, meaning, mostMeaning);
  const candidates = withinReach(selected, topK, scratch, proximity);
  if (extra) {
    const before = candidates.length;
    addExtra(candidates, extra, scratch, matches);
    if (meaning) addMeaning(candidates.slice(before), meaning, mostMeaning);
  }
  for (const candidate of candidates) {
    const offset = index.termsOffset(candidate.document);
    proximity.read(index.termPages[offset >>> PAGE_SHIFT]!, offset & PAGE_MASK);
    candidate.score = Math.min(1, (candidate.score + proximity.bonus()) / maxScore);
    if (candidate.folderBoost) candidate.folderBoost /= maxScore;
    if (candidate.timeBoost) candidate.timeBoost /= maxScore;
    if (candidate.meaningBoost) candidate.meaningBoost /= maxScore;
  }
  return candidates;
}

/** A fact of some twenty words has at most about this many of a long query's: to miss the rest is no fault of it. */
const MAX_MATCHED_TERMS = 8;

/** The score of a document that has all words of a query; of a long one, those that count most. */
function maxScoreOf({ terms }: Query): number {
  const idfs = terms.map(({ idf }) => idf).sort((a, b) => b - a);
  return idfs.slice(0, MAX_MATCHED_TERMS).reduce((sum, idf) => sum + idf, 0) * (K1 + 1);
}

/**
 * What a document about the same adds to its score at most. Where some document has most of the words of a query, nearness
 * only orders facts that match about equally well; where none has, as in a question asked in other words, it says more than
 * the odd word in common. Between the two best lexical scores the share falls in a straight line.
 */
const MEANING_SHARE = { ofVagueQuery: 0.4, ofMatchedQuery: 0.15 };
const VAGUE_SCORE = 0.2;
const MATCHED_SCORE = 0.6;

function meaningShare(candidates: readonly Candidate[], maxScore: number): number {
  let best = 0;
  for (const { score } of candidates) best = Math.max(best, score / maxScore);
  const matched = Math.min(1, Math.max(0, (best - VAGUE_SCORE) / (MATCHED_SCORE - VAGUE_SCORE)));
  return MEANING_SHARE.ofVagueQuery + (MEANING_SHARE.ofMatchedQuery - MEANING_SHARE.ofVagueQuery) * matched;
}

function addMeaning(candidates: readonly Candidate[], meaning: Meaning, most: number): void {
  for (const candidate of candidates) {
    candidate.meaning = meaning.similarity(candidate.document);
    candidate.meaningBoost = most * candidate.meaning;
    candidate.score += candidate.meaningBoost;
  }
}

/** What the time that a query names adds: as much as a middling likeness in meaning. The words still decide. */
const TIME_SHARE = 0.1;

function addTimeBoost(
  candidates: readonly Candidate[],
  during: (document: number) => boolean,
  boost: number,
): void {
  for (const candidate of candidates) {
    if (!during(candidate.document)) continue;
    candidate.timeBoost = boost;
    candidate.score += boost;
  }
}

/** Reading a document's terms is expensive: drops candidates that would miss the top k even with the maximum bonus. */
function withinReach(
  candidates: Candidate[],
  topK: number,
  { exact }: Scratch,
  { maxBonus }: ProximityScorer,
): Candidate[] {
  if (candidates.length <= topK) return candidates;
  const needed = kthHighestScore(candidates, topK) * (1 - ROUNDING);
  return candidates.filter(({ document, score }) => score + maxBonus(exact[document]!) >= needed);
}

function addExtra(
  candidates: Candidate[],
  extra: Iterable<number>,
  { scores, stamps, before }: Scratch,
  matches: (document: number) => boolean,
): void {
  const known = new Set(candidates.map(({ document }) => document));
  for (const document of extra) {
    if (known.has(document) || !matches(document)) continue;
    candidates.push({ document, score: stamps[document]! > before ? scores[document]! : 0 });
  }
}

/** The `limit` best candidates, best first. */
export function bestFirst<C extends Candidate>(candidates: C[], limit: number, documents: Documents): C[] {
  const lowest = candidates.length > limit ? kthHighestScore(candidates, limit) : 0;
  // Breaking ties parses the documents: only for those that may be shown.
  const best = candidates.filter(({ score }) => score >= lowest);
  return best.sort(byScoreThenAge(documents)).slice(0, limit);
}

/** Orders by score, then newest first, then by key: the same on every node, whatever order the rows arrived in. */
export function byScoreThenAge(documents: Documents): (a: Candidate, b: Candidate) => number {
  const keyOf = (candidate: Candidate) => {
    candidate.content ??= documents.content(candidate.document);
    return candidate.content.key;
  };
  return (a, b) =>
    b.score - a.score ||
    documents.updatedMs(b.document) - documents.updatedMs(a.document) ||
    (keyOf(a) < keyOf(b) ? -1 : 1);
}
