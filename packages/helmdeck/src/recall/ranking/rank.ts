import type { Documents } from '../index/documents.ts';
import { PAGE_MASK, PAGE_SHIFT } from '../index/paged-array.ts';
import type { TermIndex } from '../index/term-index.ts';
import { accumulate, K1, type Scratch } from './accumulate.ts';
import { addCompany } from './folder-boost.ts';
import { type Neighbourhood, neighbourhoodOf } from './proximity.ts';
import type { Query } from './query.ts';
import { lowestOf, type Ranked, selectBest } from './top-candidates.ts';

/** Sums that are equal on paper may differ by so much of themselves. */
const ROUNDING = 1e-9;

export interface RankOptions {
  /** How many to find. */
  size: number;
  /** Whether a document may be shown at all: alive, of a wanted kind, category and tag. */
  admits: (document: number) => boolean;
  /** Only so many of the best are of use: others may be left out. */
  enough?: number;
  /** Whether what is filed together backs each other up. */
  company?: boolean;
  /** Documents to score as well, however few of the words they have. */
  also?: Iterable<number>;
}

/** The best documents for a query, in no order: BM25F, the highest alternative of each word, neighbours rewarded. */
export function shortlist(
  query: Query,
  index: TermIndex,
  documents: Documents,
  scratch: Scratch,
  { size, admits, enough = size, company, also }: RankOptions,
): Ranked[] {
  const most = query.terms.reduce((sum, term) => sum + term.idf, 0) * (K1 + 1);
  accumulate(query, index, scratch, documents.length);
  const neighbourhood = neighbourhoodOf(query);
  const selected = selectBest(scratch, size, most, documents, admits);
  if (company) addCompany(selected, index);
  const found = withinReach(selected, enough, scratch, neighbourhood);
  if (also) addAlso(found, also, scratch, admits);
  for (const ranked of found) {
    const place = index.sheetPlace(ranked.document);
    neighbourhood.read(index.sheetPages[place >>> PAGE_SHIFT]!, place & PAGE_MASK);
    ranked.score = Math.min(1, (ranked.score + neighbourhood.bonus()) / most);
    if (ranked.company) ranked.company /= most;
  }
  return found;
}

/** Reading a document's terms takes a while: one that is not among the best even with every bonus need not be read. */
function withinReach(
  found: Ranked[],
  enough: number,
  { exact }: Scratch,
  { mostBonus }: Neighbourhood,
): Ranked[] {
  if (found.length <= enough) return found;
  const needed = lowestOf(found, enough) * (1 - ROUNDING);
  return found.filter(({ document, score }) => score + mostBonus(exact[document]!) >= needed);
}

function addAlso(
  found: Ranked[],
  also: Iterable<number>,
  { scores, stamps, before }: Scratch,
  admits: (document: number) => boolean,
): void {
  const known = new Set(found.map(({ document }) => document));
  for (const document of also) {
    if (known.has(document) || !admits(document)) continue;
    found.push({ document, score: stamps[document]! > before ? scores[document]! : 0 });
  }
}

/** The first so many, best first. */
export function bestFirst<R extends Ranked>(found: R[], limit: number, documents: Documents): R[] {
  const lowest = found.length > limit ? lowestOf(found, limit) : 0;
  // Ties are told by reading the keys: only where it matters.
  const best = found.filter(({ score }) => score >= lowest);
  return best.sort(byScoreThenAge(documents)).slice(0, limit);
}

/** Ties: newest first, then by key; the same on every node, whatever order the rows came in. */
export function byScoreThenAge(documents: Documents): (a: Ranked, b: Ranked) => number {
  const keyOf = (ranked: Ranked) => {
    ranked.content ??= documents.content(ranked.document);
    return ranked.content.key;
  };
  return (a, b) =>
    b.score - a.score ||
    documents.updatedMs(b.document) - documents.updatedMs(a.document) ||
    (keyOf(a) < keyOf(b) ? -1 : 1);
}
