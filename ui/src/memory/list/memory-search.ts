import type { FactFilter, FactSort } from '../../api/fact-api.ts';

/** The URL search parameters of the memory page, so that its state can be bookmarked. */
export interface MemorySearch extends Omit<FactFilter, 'expiring_within' | 'updated_since'> {
  q?: string;
  sort?: FactSort;
  expiring?: true;
  /** Changed since: the last days, or a day such as 2026-11-01. */
  since?: string;
  /** The open fact. */
  key?: string;
  /** What the detail pane shows instead of a fact. */
  mode?: (typeof MODES)[number];
  /** The fact to merge the open one with, or that a new one is a copy of. */
  with?: string;
  /** The version of the open fact that is unfolded in its history. */
  version?: number;
}

/** The part of the URL that decides which facts are listed. */
export type FilterSearch = Pick<
  MemorySearch,
  'q' | 'prefix' | 'category' | 'tag' | 'project' | 'source' | 'expiring' | 'since'
>;

export const WEEK_SECONDS = 604_800;
const TEXTS = ['q', 'prefix', 'category', 'project', 'source', 'key', 'with'] as const;
const MODES = ['new', 'edit', 'merge', 'home'] as const;
const SORTS: readonly string[] = ['updated', 'created', 'key', 'expires'];
/** The choices of `since` that are relative to today, in days. */
const SINCE_DAYS: Record<string, number> = { today: 0, week: 7, month: 30 };

/** Parses the search parameters and drops invalid ones. A number is taken as the text it was written as. */
export function readMemorySearch(search: Record<string, unknown>): MemorySearch {
  const known: MemorySearch = {};
  for (const name of TEXTS) {
    const value = textOf(search[name]);
    if (value !== undefined) known[name] = value;
  }
  const tags = [search.tag].flat().flatMap((tag) => textOf(tag) ?? []);
  if (tags.length > 0) known.tag = tagParameter(tags);
  const since = textOf(search.since);
  if (since !== undefined && sinceMs(since, 0) !== undefined) known.since = since;
  if (typeof search.sort === 'string' && SORTS.includes(search.sort)) known.sort = search.sort as FactSort;
  if (Number.isInteger(search.version)) known.version = search.version as number;
  if (search.expiring === true) known.expiring = true;
  known.mode = MODES.find((mode) => mode === search.mode);
  return known;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || typeof value === 'object') return undefined;
  return String(value);
}

export const tagsOf = ({ tag }: Pick<MemorySearch, 'tag'>): string[] => [tag ?? []].flat();

/** Tags as they are in the URL: a single one without brackets. */
export const tagParameter = (tags: readonly string[]): MemorySearch['tag'] =>
  tags.length > 1 ? [...new Set(tags)] : tags[0];

/** When a `since` begins: local midnight, so that a query stays the same for a day. */
export function sinceMs(since: string, nowMs: number): number | undefined {
  const days = Object.hasOwn(SINCE_DAYS, since) ? SINCE_DAYS[since] : undefined;
  if (days === undefined) {
    const startMs = /^\d{4}-\d{2}-\d{2}$/.test(since) ? Date.parse(`${since}T00:00`) : Number.NaN;
    return Number.isNaN(startMs) ? undefined : startMs;
  }
  const today = new Date(nowMs);
  today.setHours(0, 0, 0, 0);
  return today.setDate(today.getDate() - days);
}

/** The filter as the server takes it. */
export function filterOf({
  prefix,
  category,
  tag,
  project,
  source,
  expiring,
  since,
}: FilterSearch): FactFilter {
  const startMs = since === undefined ? undefined : sinceMs(since, Date.now());
  return {
    prefix,
    category,
    tag,
    project,
    source,
    expiring_within: expiring ? WEEK_SECONDS : undefined,
    updated_since: startMs === undefined ? undefined : new Date(startMs).toISOString(),
  };
}

/** A change that removes every filter. */
export const NO_FILTERS: Partial<MemorySearch> = {
  prefix: undefined,
  category: undefined,
  tag: undefined,
  project: undefined,
  source: undefined,
  expiring: undefined,
  since: undefined,
};

export const isFiltered = (search: FilterSearch): boolean =>
  Object.values(filterOf(search)).some((value) => value !== undefined);

/** The order without a choice: what expires is sorted by its end. */
export const defaultSort = ({ expiring }: MemorySearch): FactSort => (expiring ? 'expires' : 'updated');
