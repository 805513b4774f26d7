import { strings } from '../strings.ts';
import { ApiError, callApi } from './call-api.ts';
import type {
  BulkInput,
  FactInput,
  FactPatch,
  FiledFact,
  Operations,
  StoreResult,
} from './generated/rest.ts';

export type { FiledFact };

// Facts: list, search, read, store, renew, forget.

type ListQuery = NonNullable<Operations['GET /api/v1/memory/facts']['query']>;
type SearchQuery = NonNullable<Operations['GET /api/v1/memory/search']['query']>;

/** The filters that lists, searches and counts have in common. */
export type FactFilter = Pick<
  ListQuery,
  'prefix' | 'category' | 'tag' | 'project' | 'source' | 'expiring_within' | 'updated_since'
>;
/** What is counted: the facts that match a filter and, with `q`, a few words. */
export type FacetQuery = FactFilter & { q?: string; due?: '1' };
/** The orders of the list; what is due has a list of its own. */
export type FactSort = Exclude<NonNullable<ListQuery['sort']>, 'due' | 'recalled'>;

/** Whose memory: one's own, that of another caller, for admins, or the one that a space shares. */
export interface Whose {
  caller?: string;
  space?: string;
}

export const isOwn = ({ caller, space }: Whose) => caller === undefined && space === undefined;
export const isSame = (a: Whose, b: Whose) => a.caller === b.caller && a.space === b.space;

/** Of every read of facts. */
export interface ReadOptions extends Whose {
  signal?: AbortSignal;
}
/** Of the reads that a space does not have. */
export type CallerReadOptions = Omit<ReadOptions, 'space'>;

const PAGE = 100;

export const listFacts = (query: Omit<ListQuery, keyof Whose>, { signal, ...whose }: ReadOptions) =>
  callApi('GET /api/v1/memory/facts', { query: { limit: PAGE, ...query, ...whose }, signal });

export const searchFacts = (
  query: Omit<SearchQuery, keyof Whose | 'spaces'>,
  { signal, ...whose }: ReadOptions,
) => callApi('GET /api/v1/memory/search', { query: { limit: PAGE, ...query, ...whose }, signal });

export const readFact = (key: string, { signal, ...whose }: ReadOptions) =>
  callApi('GET /api/v1/memory/facts/{key}', { path: { key }, query: whose, signal });

export const readHistory = (key: string, { signal, ...whose }: ReadOptions) =>
  callApi('GET /api/v1/memory/facts/{key}/history', { path: { key }, query: whose, signal });

export const readFacets = (query: FacetQuery, { signal, ...whose }: ReadOptions) =>
  callApi('GET /api/v1/memory/facets', { query: { ...query, ...whose }, signal });

/** Stores a fact. One that the server puts into the inbox instead is an error: the person expects it to be stored. */
export async function storeFact(fact: FactInput): Promise<StoreResult> {
  const answer = await callApi('POST /api/v1/memory/store', { body: fact });
  if (answer.status === 'active') return answer;
  const { declined, waits } = strings.editor.notStored;
  throw new ApiError(202, { error: 'conflict', message: answer.status === 'declined' ? declined : waits });
}

export type FactsChange = BulkInput;
/** As many as the server changes in one call. */
export const MAX_CHANGED_FACTS = 500;

/** Re-files, renews, restores or forgets facts in one call. */
export const changeFacts = (change: FactsChange, space?: string) =>
  callApi('POST /api/v1/memory/facts/bulk', { query: { space }, body: change });

/** Changes tags, category or expiry; the text and its version stay. */
export const patchFact = (key: string, patch: FactPatch) =>
  callApi('PATCH /api/v1/memory/facts/{key}', { path: { key }, body: patch });

/** Whether a key is that of a run record, which the server writes and no fact can have. */
export const isRecordKey = (key: string) => /^(pack|pipeline|plan)_history\//.test(key);

/**
 * Forgets one fact with its history, or one run record. Run records, and anything of another caller, are forgotten by
 * scope: the route of a fact cannot name them.
 */
export const forgetFact = (key: string, options: Whose & { keepalive?: boolean }) => {
  const { keepalive, caller, space } = options;
  if (caller === undefined && !isRecordKey(key))
    return callApi('DELETE /api/v1/memory/facts/{key}', { path: { key }, query: { space }, keepalive });
  return callApi('POST /api/v1/memory/forget', {
    query: { space },
    body: { scope: `key:${key}`, caller },
    keepalive,
  });
};
