import { AppError } from '../../errors.ts';
import type { Entry } from '../entry.ts';
import type { Memory } from '../memory.ts';
import { dueMs, type Freshness } from './freshness.ts';
import { type FactView, factView, type ShownFact, walkFacts } from './read-facts.ts';
import type { RecallCountOf } from './recall-count.ts';
import type { ReviewPolicy } from './review-policy.ts';

/** Pages of facts: sort orders and opaque cursors. */
export type FactSort = 'updated' | 'created' | 'key' | 'expires' | 'due' | 'recalled';
export const FACT_SORTS: readonly FactSort[] = ['updated', 'created', 'key', 'expires', 'due', 'recalled'];

export interface PageRequest {
  limit: number;
  sort: FactSort;
  cursor?: string;
  /** Needed by the order `recalled`. */
  countOf?: RecallCountOf;
}

export interface FactPage {
  facts: FactView[];
  next_cursor?: string;
}

/** The fields that the sort orders depend on; `due` and `recalled` also need those that a review depends on. */
export type SortableFact = Pick<ShownFact, 'key' | 'seq' | 'createdMs' | 'updatedMs' | 'expiresMs'> &
  Partial<ShownFact> & { recalledCount?: number };

const RANK: Record<FactSort, (fact: SortableFact, review: ReviewPolicy) => number> = {
  updated: (fact) => -fact.seq,
  created: (fact) => -fact.createdMs,
  expires: (fact) => fact.expiresMs ?? Number.POSITIVE_INFINITY,
  key: () => 0,
  due: (fact, review) => dueMs(review, fact),
  recalled: ({ recalledCount = 0 }) => -recalledCount,
};

/** The sort key of a fact. */
interface SortKey {
  rank: number;
  /** Decides between facts of the same rank. */
  dueMs: number;
  key: string;
}

const sortKeyOf = (fact: SortableFact, sort: FactSort, review: ReviewPolicy): SortKey => ({
  rank: RANK[sort](fact, review),
  dueMs: sort === 'recalled' ? dueMs(review, fact) : 0,
  key: fact.key,
});

const compareSortKeys = (a: SortKey, b: SortKey) =>
  a.rank - b.rank || a.dueMs - b.dueMs || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** A sort order of facts, and the point in it at which a page begins. */
export interface FactOrder {
  compare(a: SortableFact, b: SortableFact): number;
  /** Whether a fact sorts after the last fact of the previous page. */
  isAhead(fact: SortableFact): boolean;
}

export function orderOf(
  { sort, cursor }: Pick<PageRequest, 'sort' | 'cursor'>,
  { review }: Pick<Freshness, 'review'>,
): FactOrder {
  const after = cursor === undefined ? undefined : parseCursor(cursor, sort);
  const keyOf = (fact: SortableFact) => sortKeyOf(fact, sort, review);
  return {
    compare: (a, b) => compareSortKeys(keyOf(a), keyOf(b)),
    isAhead: (fact) => after === undefined || compareSortKeys(keyOf(fact), after) > 0,
  };
}

/** Makes a page of sorted facts. One fact more than the limit means there is another page. */
export function pageInOrder(
  freshness: Freshness,
  ordered: readonly (ShownFact & Pick<SortableFact, 'recalledCount'>)[],
  { limit, sort }: PageRequest,
): FactPage {
  const facts = ordered.slice(0, limit);
  const last = facts.at(-1);
  const more = ordered.length > limit && last;
  const views = facts.map((fact) => factView(freshness, fact));
  return { facts: views, ...(more ? { next_cursor: makeCursor(last, sort, freshness) } : {}) };
}

/** The most recently changed facts, of one category or of all. Reads no more rows than the page needs. */
export async function newestFacts(
  memory: Memory,
  category: string | undefined,
  page: Omit<PageRequest, 'sort'>,
): Promise<FactPage> {
  const after = page.cursor === undefined ? undefined : parseCursor(page.cursor, 'updated');
  const found: Entry[] = [];
  for await (const entry of walkFacts(memory, category, after?.seq)) {
    found.push(entry);
    if (found.length > page.limit) break;
  }
  return pageInOrder(memory, found, { ...page, sort: 'updated' });
}

/** One page of facts that were already found, in their own order or in the requested one. */
export function pageOfFound(
  freshness: Freshness,
  found: ShownFact[],
  page: Omit<PageRequest, 'sort'> & { sort?: FactSort },
): FactPage {
  const start = page.cursor === undefined ? 0 : parseOffset(page.cursor);
  const end = start + page.limit;
  const ordered = page.sort ? inOrder(freshness, found, page.sort, page.countOf) : found;
  const facts = ordered.slice(start, end).map((fact) => factView(freshness, fact));
  return { facts, ...(found.length > end ? { next_cursor: makeOffset(end) } : {}) };
}

function inOrder(
  freshness: Freshness,
  found: readonly ShownFact[],
  sort: FactSort,
  countOf: RecallCountOf | undefined,
): ShownFact[] {
  const { compare } = orderOf({ sort }, freshness);
  if (sort !== 'recalled') return found.toSorted(compare);
  return found.map((fact) => ({ ...fact, recalledCount: countOf?.(fact.key)?.count })).sort(compare);
}

const encodeCursor = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

function makeCursor(fact: SortableFact, sort: FactSort, { review }: Freshness): string {
  const { rank, dueMs: tieMs, key } = sortKeyOf(fact, sort, review);
  return encodeCursor([sort, fact.seq, rank, key, tieMs]);
}

const FOUND = 'found';
const makeOffset = (offset: number) => encodeCursor([FOUND, offset]);

function parseOffset(cursor: string): number {
  const [kind, offset] = cursorParts(cursor);
  if (kind !== FOUND || !Number.isSafeInteger(offset) || (offset as number) < 0) throw badCursor();
  return offset as number;
}

function cursorParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

const badCursor = () =>
  new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });

function parseCursor(cursor: string, sort: FactSort): SortKey & { seq: number } {
  const [cursorSort, seq, rank, key, tieMs] = cursorParts(cursor);
  if (
    cursorSort !== sort ||
    !Number.isSafeInteger(seq) ||
    typeof rank !== 'number' ||
    typeof key !== 'string' ||
    typeof tieMs !== 'number'
  ) {
    throw badCursor();
  }
  return { seq: seq as number, rank, key, dueMs: tieMs };
}
