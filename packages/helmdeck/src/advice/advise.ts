import type { Advice } from '../memory/facts/store-answer.ts';
import type { Image } from '../recall/image/image.ts';
import { fieldRange, TERMS_OFFSET, withoutStopWords } from '../recall/index/document-terms.ts';
import { idf, type Query, type QueryTerm } from '../recall/ranking/query.ts';
import { shortlist } from '../recall/ranking/rank.ts';
import { createDocumentFilter } from '../recall/search.ts';
import { stem } from '../recall/text/stem.ts';
import { wordsOf } from '../recall/text/tokens.ts';
import { analyse, findConflict, similarity } from './conflict/conflict.ts';

/** A fact that is about to be stored. */
interface IncomingFact {
  key: string;
  value: string;
  tags: readonly string[];
}

const MIN_SHOWN_SIMILARITY = 0.72;
const MAX_CANDIDATES = 8;
/** Candidates that share less of the rare words are about something else and are not compared. */
const MIN_CANDIDATE_SCORE = 0.2;
const MAX_SHOWN = 5;
const MAX_TEXT = 1_000;
/** Candidates are found by the rarest words of a fact: at most this many words and documents. */
const MAX_WORDS = 8;
/** With fewer known words in the value, its numbers and key are searched as well. */
const MIN_WORDS = 3;
const NUMBER = /^\d/;
const MAX_DOCUMENTS = 2_000;

/**
 * Compares an incoming fact with the most similar facts. `before` is the document with the current value of its key: to
 * replace that value is what an update is for, so it is neither similar nor a conflict.
 */
export function adviseOn(
  image: Image,
  fact: IncomingFact,
  before: number | undefined,
  nowMs: number,
): Advice {
  const documents = mostAlike(image, fact, before, nowMs);
  // Most facts resemble no other: skip the analysis.
  if (documents.length === 0) return {};
  const incoming = analyse(fact);
  const similar: NonNullable<Advice['similar']> = [];
  const conflicts: NonNullable<Advice['conflicts']> = [];
  for (const document of documents) {
    const { key, value, tags = [] } = image.documents.content(document);
    const known = analyse({ key, value, tags }, incoming);
    const conflict = findConflict(incoming, known);
    // Facts that contradict each other are no duplicates, however alike: one must not be folded into the other.
    if (conflict) {
      conflicts.push({ key, ...conflict });
      continue;
    }
    const score = Math.round(similarity(incoming, known) * 1000) / 1000;
    if (score >= MIN_SHOWN_SIMILARITY) similar.push({ key, score });
  }
  similar.sort((a, b) => b.score - a.score);
  return {
    ...(similar.length === 0 ? {} : { similar: similar.slice(0, MAX_SHOWN) }),
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.slice(0, MAX_SHOWN) }),
  };
}

function mostAlike(image: Image, fact: IncomingFact, before: number | undefined, nowMs: number): number[] {
  const query = likeQuery(image, fact, before);
  if (query.terms.length === 0) return [];
  const isLive = createDocumentFilter(image, {}, nowMs);
  const matches = (document: number) => document !== before && isLive(document);
  const options = { size: MAX_CANDIDATES, matches };
  const found = shortlist(query, image.index, image.documents, image.scratch, options);
  const alike = found.filter(({ score }) => score >= MIN_CANDIDATE_SCORE).sort((a, b) => b.score - a.score);
  return alike.map(({ document }) => document);
}

/**
 * A query for facts with the same rare words, without synonyms or corrections. Words that only the replaced value or its
 * key has, which is no candidate, are left out: as the rarest of all they would lower the score of every other fact.
 */
function likeQuery({ index }: Image, fact: IncomingFact, before: number | undefined): Query {
  const own = before === undefined ? undefined : index.termsOf(before);
  const ownWords = own?.subarray(TERMS_OFFSET, fieldRange(own, 'labels').start);
  const terms = new Map<number, { word: string; count: number }>();
  const add = (text: string, isWanted: (word: string) => boolean) => {
    for (const { word } of withoutStopWords(wordsOf(text))) {
      if (!isWanted(word)) continue;
      const id = index.lexicon.idOf(stem(word));
      const count = id === undefined ? 0 : index.postings.documentFrequency(id);
      if (count > 1 || (count === 1 && !ownWords?.includes(id!))) terms.set(id!, { word, count });
    }
  };
  const value = fact.value.slice(0, MAX_TEXT);
  // A number is what a contradiction changes, and a key often says more about the filing than about the fact.
  add(value, (word) => !NUMBER.test(word));
  if (terms.size < MIN_WORDS) add(`${fact.key} ${value}`, () => true);
  const rarest = [...terms].sort(([, a], [, b]) => a.count - b.count).slice(0, MAX_WORDS);
  let documents = 0;
  const taken: QueryTerm[] = [];
  for (const [term, { word, count }] of rarest) {
    documents += count;
    // A word that hundreds of facts share singles out none of them and is slow to look up.
    if (documents > MAX_DOCUMENTS) break;
    const weight = idf(index.liveDocuments(), count);
    taken.push({ word, idf: weight, alternatives: [{ term, weight: 1, idf: weight, via: 'word' }] });
  }
  return { terms: taken, pairs: [], subjects: [] };
}
