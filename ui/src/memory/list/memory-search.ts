import type { FactFilter, FactSort } from '../../api/fact-api.ts';

/** The URL search parameters of the memory page, so that its state can be bookmarked. */
export interface MemorySearch extends FactFilter {
  q?: string;
  sort?: FactSort;
  expiring?: true;
  /** The open fact. */
  key?: string;
  /** What the detail pane shows instead of a fact. */
  mode?: 'new' | 'edit' | 'merge';
  /** The fact to merge the open one with, or that a new one is a copy of. */
  with?: string;
  /** The version of the open fact that is unfolded in its history. */
  version?: number;
}

const TEXTS = ['q', 'prefix', 'category', 'tag', 'source', 'key', 'with'] as const;
const SORTS: readonly string[] = ['updated', 'created', 'key', 'expires'];

/** Parses the search parameters and drops invalid ones. A number is taken as the text it was written as. */
export function readMemorySearch(search: Record<string, unknown>): MemorySearch {
  const known: MemorySearch = {};
  for (const name of TEXTS) {
    const value = search[name];
    if (value !== undefined && value !== null && value !== '' && typeof value !== 'object')
      known[name] = String(value);
  }
  if (typeof search.sort === 'string' && SORTS.includes(search.sort)) known.sort = search.sort as FactSort;
  if (Number.isInteger(search.version)) known.version = search.version as number;
  if (search.expiring === true) known.expiring = true;
  if (search.mode === 'new' || search.mode === 'edit' || search.mode === 'merge') known.mode = search.mode;
  return known;
}

export const filterOf = ({ prefix, category, tag, source }: MemorySearch): FactFilter => ({
  prefix,
  category,
  tag,
  source,
});

export const isFiltered = (search: MemorySearch): boolean =>
  search.expiring === true || Object.values(filterOf(search)).some((value) => value !== undefined);
