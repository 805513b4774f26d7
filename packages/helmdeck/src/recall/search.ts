import type { Image } from './image/image.ts';
import { readDocument } from './image/image.ts';
import { categoryLabel, fieldRange, projectLabel, tagLabel } from './index/document-terms.ts';
import { type Document, RECALL_KINDS, type RecallKind } from './index/documents.ts';
import { folderOf } from './index/folder.ts';
import { explain, type Why } from './ranking/explain.ts';
import { meaningOf } from './ranking/meaning.ts';
import { planQuery, type Query } from './ranking/query.ts';
import { bestFirst, byScoreThenAge, shortlist } from './ranking/rank.ts';
import { LAST_OTHER, othersOf } from './ranking/stands-out.ts';
import { timeOfQuery } from './ranking/time-of-query.ts';
import type { Candidate } from './ranking/top-candidates.ts';
import { whySentence } from './ranking/why-sentence.ts';
import { chunkOf } from './text/entry-text.ts';
import { isOverviewQuestion } from './text/overview-question.ts';
import { densestWindow, MAX_SNIPPET_CHARS, type Snippet, snippetOf } from './text/snippet.ts';
import { addVectorScores, type FusedCandidate } from './vectors/fusion.ts';
import type { Wordbook } from './words/wordbook.ts';

export interface SearchRequest {
  text: string;
  limit: number;
  kinds?: readonly RecallKind[];
  category?: string;
  /** A tag, or several that a document must all have. */
  tag?: string | readonly string[];
  /** Facts of this project rank higher; others are still found. */
  preferredProject?: string;
  /** A further condition on a document. */
  where?: (document: Document) => boolean;
  /** An admin searches another caller's memory: the hits do not count as recalled by that caller. */
  unnoted?: boolean;
  /** Adds to each hit why it was found. */
  explain?: boolean;
}

export interface Hit {
  document: Document;
  score: number;
  /** Worth believing: by its own score, without the boosts of folder and project. */
  confident: boolean;
  /** The score without vectors and nearness in meaning, with all boosts: how much of the query it has. */
  byWords: number;
  /** Computed on demand, because it tokenises the text again. */
  snippet(): Snippet;
  why?: Why;
}

/** A hit that was not searched for by words: its snippet is the beginning of the text. */
export const wholeHit = (document: Document, score: number): Hit => ({
  document,
  score,
  confident: true,
  byWords: score,
  snippet: () => snippetOf(document.value, NO_TERMS),
});

const NO_TERMS: ReadonlySet<string> = new Set();

export interface SearchResult {
  hits: Hit[];
  /** No hit is confident. */
  abstained: boolean;
}

/**
 * From this belief on, the best hit of a search is believed; below, the search abstains. ADR 10 has the curve: here about
 * as many questions about things never stored are answered as right answers are dropped.
 */
export const CONFIDENT_BELIEF = 0.41;
/** What it adds to the belief in a hit that it stands out from the others. Half or twice as much told about as well. */
const STANDS_OUT_SHARE = 0.3;
/** In a smaller memory even the best hit has nothing to stand out from: the score alone must tell. */
const MIN_FACTS_TO_STAND_OUT = 24;
const CONFIDENT_SCORE = 0.37;
/** Beside a hit that is believed, those with this score are, too: they may complete the answer. */
const COMPANION_SCORE = 0.22;
/** How many candidates are scored by more than their words, at least. */
const MIN_SHORTLIST = 100;
/** How many nearest vectors are scored at least, whether they contain a word of the query or not. */
const MIN_NEAREST = 200;

/**
 * Merges the results of two images, best first. Each keeps its own order, so facts are ranked the same with and without
 * run records. Ties: newest first, then by key.
 */
export function mergeResults(a: SearchResult, b: SearchResult, { text, limit }: SearchRequest): SearchResult {
  const hits: Hit[] = [];
  for (let [atA, atB] = [0, 0]; hits.length < limit; ) {
    const [fromA, fromB] = [a.hits[atA], b.hits[atB]];
    if (!fromA && !fromB) break;
    if (!fromB || (fromA && isBefore(fromA, fromB))) hits.push(a.hits[atA++]!);
    else hits.push(b.hits[atB++]!);
  }
  return { hits, abstained: text.trim() !== '' && !hits.some(({ confident }) => confident) };
}

function isBefore(a: Hit, b: Hit): boolean {
  const order = b.score - a.score || b.document.updatedMs - a.document.updatedMs;
  return order < 0 || (order === 0 && a.document.key < b.document.key);
}

/** Searches one image. For an empty query the newest documents come first. Measurements replace `plan`. */
export function searchImage(
  image: Image,
  request: SearchRequest,
  wordbook: Wordbook,
  nowMs: number,
  vector?: Float32Array,
  plan = planQuery,
): SearchResult {
  const matches = createDocumentFilter(image, request, nowMs);
  if (asksForEverything(request.text)) return newestOf(image, request, matches);
  const time = timeOfQuery(request.text, image, wordbook, nowMs, matches);
  const query = plan(request.text, image.index, wordbook, time?.range);
  if (query.terms.length === 0) {
    return request.text.trim() === '' ? newestOf(image, request, matches) : { hits: [], abstained: true };
  }
  const nearest = vector && image.vectors()?.nearest(vector, Math.max(MIN_NEAREST, request.limit));
  const isPreferred = projectFilter(image, request.preferredProject);
  // Later changes of a score can bring up any candidate.
  const topK = vector || isPreferred ? undefined : Math.max(LAST_OTHER, request.limit);
  const size = Math.max(MIN_SHORTLIST, request.limit);
  const meaning = meaningOf(image, query, wordbook.words);
  const options = { size, matches, extra: nearest?.slots, topK, folderBoost: true, meaning };
  const found: ScoredCandidate[] = shortlist(query, image.index, image.documents, image.scratch, {
    ...options,
    during: time?.includes,
  });
  if (vector) addVectorScores(image, found, vector);
  if (isPreferred) addProjectBoost(found, isPreferred);
  const best = bestFirst(found, Math.max(LAST_OTHER, request.limit), image.documents);
  const isBelieved = believes(best, image);
  const hits = best
    .slice(0, request.limit)
    .map((each) => hitOf(image, each, query, request, isBelieved(each)));
  return { hits, abstained: !hits.some(({ confident }) => confident) };
}

const MIN_OVERVIEW_WORDS = 3;

/** "What do you know about me": no fact has those words. A word or two, such as "my notes", may be in a fact. */
const asksForEverything = (text: string) =>
  text.trim().split(/\s+/).length >= MIN_OVERVIEW_WORDS && isOverviewQuestion(text);

/** The score without the boosts of folder, project and time: they rank hits, but do not confirm them. */
const ownScore = ({ score, folderBoost = 0, projectBoost = 0, timeBoost = 0 }: ScoredCandidate) =>
  score - folderBoost - projectBoost - timeBoost;

/** A predicate for the hits to believe: none unless the best one reaches the threshold. */
function believes(best: readonly ScoredCandidate[], image: Image): (each: ScoredCandidate) => boolean {
  const [first] = best;
  const needed = image.index.liveDocuments() < MIN_FACTS_TO_STAND_OUT ? CONFIDENT_SCORE : CONFIDENT_BELIEF;
  if (!first || (first.belief ?? beliefByWords(best, image)) < needed) return () => false;
  return (each) => each === first || ownScore(each) >= COMPANION_SCORE;
}

/** Other facts that share no word with the query have a score of 0. */
function beliefByWords(best: readonly ScoredCandidate[], { index }: Image): number {
  const score = ownScore(best[0]!);
  if (index.liveDocuments() < MIN_FACTS_TO_STAND_OUT) return score;
  const scores = Array.from({ length: LAST_OTHER }, (_, at) => (best[at] ? ownScore(best[at]) : 0));
  return score + STANDS_OUT_SHARE * (score - othersOf(scores)!);
}

/** Up to this many of the best matches of a query are counted: the rest of a large memory would block other requests. */
const MAX_COUNTED = 10_000;

/** The facts that match a query confidently, for counts. */
export function confidentFacts(
  image: Image,
  text: string,
  wordbook: Wordbook,
  nowMs: number,
  vector?: Float32Array,
): Set<number> {
  const query = planQuery(text, image.index, wordbook);
  if (query.terms.length === 0) return new Set();
  const matches = createDocumentFilter(image, {}, nowMs);
  const extra = vector && image.vectors()?.nearest(vector, MIN_NEAREST).slots;
  const meaning = meaningOf(image, query, wordbook.words);
  const options = { size: MAX_COUNTED, matches, extra, meaning };
  const found: ScoredCandidate[] = shortlist(query, image.index, image.documents, image.scratch, options);
  if (vector) addVectorScores(image, found, vector);
  const best = bestFirst(found, LAST_OTHER, image.documents);
  return new Set(found.filter(believes(best, image)).map(({ document }) => document));
}

interface ScoredCandidate extends FusedCandidate {
  /** The part of the score that comes from the preferred project. */
  projectBoost?: number;
}

/** What the preferred project adds to a score, as a share of it. */
const PROJECT_BOOST = 0.25;

/** Raises the facts of the preferred project, also above 1, so that of two full matches its own comes first. */
function addProjectBoost(found: ScoredCandidate[], isPreferred: (document: number) => boolean): void {
  for (const each of found) {
    if (!isPreferred(each.document)) continue;
    each.projectBoost = PROJECT_BOOST * each.score;
    each.lexical ??= each.score;
    each.score += each.projectBoost;
  }
}

/** A predicate for documents of a project; undefined if there are none. */
function projectFilter({ index }: Image, project: string | undefined) {
  const label = project === undefined ? undefined : index.labels.idOf(projectLabel(project));
  if (label === undefined) return undefined;
  // The project's label is the last one.
  return (document: number) => index.termsOf(document).at(-1) === label;
}

type DocumentFilter = Pick<SearchRequest, 'kinds' | 'category' | 'tag' | 'where'> & { project?: string };

/** A predicate for the documents that a request's filters allow. */
export function createDocumentFilter(
  image: Image,
  { kinds = ['fact'], category, tag, project, where }: DocumentFilter,
  nowMs: number,
): (document: number) => boolean {
  const { documents, index } = image;
  const wanted = RECALL_KINDS.map((kind) => kinds.includes(kind));
  const labels = [
    ...(category === undefined ? [] : [categoryLabel(category)]),
    ...[tag ?? []].flat().map(tagLabel),
    ...(project === undefined ? [] : [projectLabel(project)]),
  ].map((label) => index.labels.idOf(label));
  if (labels.includes(undefined)) return () => false;
  const hasLabels = (document: number) => {
    if (labels.length === 0) return true;
    const documentTerms = index.termsOf(document);
    const own = documentTerms.subarray(fieldRange(documentTerms, 'labels').start);
    return labels.every((label) => own.includes(label!));
  };
  return (document) => {
    if (!documents.isLive(document, nowMs) || !wanted[documents.kindNumber(document)]) return false;
    return hasLabels(document) && (!where || where(readDocument(image, document)));
  };
}

const NO_QUERY: Query = { terms: [], pairs: [], subjects: [] };

function newestOf(
  image: Image,
  request: SearchRequest,
  matches: (document: number) => boolean,
): SearchResult {
  const newest = newestFirst(image, request.limit, matches);
  return { hits: newest.map((ranked) => hitOf(image, ranked, NO_QUERY, request, false)), abstained: false };
}

function newestFirst(image: Image, limit: number, matches: (document: number) => boolean): Candidate[] {
  const all: Candidate[] = [];
  for (let document = 0; document < image.documents.length; document++) {
    if (matches(document)) all.push({ document, score: 0 });
  }
  return all.sort(byScoreThenAge(image.documents)).slice(0, limit);
}

function hitOf(
  image: Image,
  scored: ScoredCandidate,
  query: Query,
  request: SearchRequest,
  confident: boolean,
): Hit {
  const {
    document: number,
    score,
    lexical = score,
    vector,
    content,
    folderBoost = 0,
    projectBoost = 0,
    timeBoost = 0,
    meaning = 0,
    meaningBoost = 0,
  } = scored;
  const document = readDocument(image, number, content);
  const hit: Hit = {
    document,
    score: Math.min(1, round(score)),
    confident,
    byWords: lexical - meaningBoost + projectBoost,
    snippet() {
      const text = document.kind === 'fact' ? document.value : chunkOf(document.kind, document).markdown;
      const position = text.length > MAX_SNIPPET_CHARS ? expectedPosition(image, number, query) : 0;
      return snippetOf(text, termsOf(query, image), position);
    },
  };
  if (request.explain) {
    const { boosts, ...matched } = explain(query, image, number);
    if (folderBoost > 0) boosts.folder = folderOf(document.key);
    if (projectBoost > 0) boosts.project = document.project;
    if (timeBoost > 0) boosts.time = true;
    const numbers = {
      lexical: round(lexical),
      ...(meaning > 0 ? { meaning: round(meaning) } : {}),
      ...(vector === undefined ? {} : { vector: round(vector) }),
    };
    hit.why = { ...matched, boosts, ...numbers, sentence: whySentence({ ...matched, boosts, ...numbers }) };
  }
  return hit;
}

/** How many terms make a snippet, about. */
const SNIPPET_TERMS = 30;

/** Where in a document's value the query terms are densest, from 0 to 1: its terms are indexed in text order. */
function expectedPosition({ index }: Image, document: number, query: Query): number {
  const wanted = new Set(query.terms.flatMap(({ alternatives }) => alternatives.map(({ term }) => term)));
  const all = index.termsOf(document);
  const { start, end } = fieldRange(all, 'value');
  const occurrences = [];
  for (let at = start; at < end; at++) {
    if (wanted.has(all[at]!)) occurrences.push({ term: all[at]!, start: at, end: at + 1 });
  }
  const [from, to] = densestWindow(occurrences, SNIPPET_TERMS) ?? [start, start];
  return ((from + to) / 2 - start) / Math.max(1, end - start);
}

const termsOfQueries = new WeakMap<Query, ReadonlySet<string>>();

/** The terms of a query and their alternatives as text; computed once for all snippets of a search. */
function termsOf(query: Query, { index }: Image): ReadonlySet<string> {
  const known = termsOfQueries.get(query);
  if (known) return known;
  const ids = query.terms.flatMap(({ alternatives }) => alternatives.map(({ term }) => term));
  const terms = new Set(ids.map((id) => index.lexicon.term(id)));
  termsOfQueries.set(query, terms);
  return terms;
}

const round = (number: number) => Math.round(number * 10_000) / 10_000;
