import { AppError } from '../../errors.ts';
import type { Entry } from '../entry.ts';
import type { Memory } from '../memory.ts';
import type { Freshness } from './freshness.ts';
import { type FactView, factView, type ShownFact, walkFacts } from './read-facts.ts';

/** Pages of facts: sort orders and opaque cursors. */
export type FactSort = 'updated' | 'created' | 'key' | 'expires';
export const FACT_SORTS: readonly FactSort[] = ['updated', 'created', 'key', 'expires'];

export interface PageRequest {
  limit: number;
  sort: FactSort;
  cursor?: string;
}

export interface FactPage {
  facts: FactView[];
  next_cursor?: string;
}

/** The fields that any sort order depends on. */
export type SortableFact = Pick<ShownFact, 'key' | 'seq' | 'createdMs' | 'expiresMs'>;

const RANK: Record<FactSort, (fact: SortableFact) => number> = {
  updated: (fact) => -fact.seq,
  created: (fact) => -fact.createdMs,
  expires: (fact) => fact.expiresMs ?? Number.POSITIVE_INFINITY,
  key: () => 0,
};

/** The sort key of a fact. */
interface SortKey {
  rank: number;
  key: string;
}

const compareSortKeys = (a: SortKey, b: SortKey) =>
  a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** A sort order of facts, and the point in it at which a page begins. */
export interface FactOrder {
  compare(a: SortableFact, b: SortableFact): number;
  /** Whether a fact sorts after the last fact of the previous page. */
  isAhead(fact: SortableFact): boolean;
}

export function orderOf({ sort, cursor }: Pick<PageRequest, 'sort' | 'cursor'>): FactOrder {
  const after = cursor === undefined ? undefined : parseCursor(cursor, sort);
  const sortKeyOf = (fact: SortableFact): SortKey => ({ rank: RANK[sort](fact), key: fact.key });
  return {
    compare: (a, b) => compareSortKeys(sortKeyOf(a), sortKeyOf(b)),
    isAhead: (fact) => after === undefined || compareSortKeys(sortKeyOf(fact), after) > 0,
  };
}

/** Makes a page of sorted facts. One fact more than the limit means there is another page. */
export function pageInOrder(
  freshness: Freshness,
  ordered: readonly ShownFact[],
  { limit, sort }: PageRequest,
): FactPage {
  const facts = ordered.slice(0, limit);
  const last = facts.at(-1);
  const more = ordered.length > limit && last;
  const views = facts.map((fact) => factView(freshness, fact));
  return { facts: views, ...(more ? { next_cursor: makeCursor(last, sort) } : {}) };
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
  page: { limit: number; sort?: FactSort; cursor?: string },
): FactPage {
  const start = page.cursor === undefined ? 0 : parseOffset(page.cursor);
  const end = start + page.limit;
  const ordered = page.sort ? found.toSorted(orderOf({ sort: page.sort }).compare) : found;
  const facts = ordered.slice(start, end).map((fact) => factView(freshness, fact));
  return { facts, ...(found.length > end ? { next_cursor: makeOffset(end) } : {}) };
}

const encodeCursor = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

function makeCursor(fact: SortableFact, sort: FactSort): string {
  return encodeCursor([sort, fact.seq, RANK[sort](fact), fact.key]);
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
  const [cursorSort, seq, rank, key] = cursorParts(cursor);
  if (
    cursorSort !== sort ||
    !Number.isSafeInteger(seq) ||
    typeof rank !== 'number' ||
    typeof key !== 'string'
  ) {
    throw badCursor();
  }
  return { seq: seq as number, rank, key };
}
