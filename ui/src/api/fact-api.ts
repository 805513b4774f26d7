import { callApi } from './call-api.ts';

export interface Source {
  surface: string;
  client?: string;
  token_id?: string;
}

export interface Fact {
  key: string;
  value: string;
  category: string;
  tags: string[];
  version: number;
  created_at: string;
  updated_at: string;
  expires_at: string;
  source: Source;
}

export interface WhyTerm {
  word: string;
  matched: string;
  via: 'word' | 'joined' | 'prefix' | 'spelling' | 'meaning';
  fields: string[];
  weight: number;
}

export interface Why {
  terms: WhyTerm[];
  missing: string[];
  boosts: { pairs: string[][]; subjects: string[]; folder?: string };
  lexical: number;
  vector?: number;
}

export interface Hit {
  key: string;
  category: string;
  tags: string[];
  score: number;
  snippet: string;
  highlights: [number, number][];
  created_at: string;
  updated_at: string;
  expires_at: string;
  source?: Source;
  why?: Why;
}

export interface Version {
  version: number;
  value: string;
  category: string;
  tags: string[];
  at: string;
  source: Source;
}

export interface NamedCount {
  name: string;
  count: number;
}

export interface Facets {
  categories: NamedCount[];
  tags: NamedCount[];
  sources: NamedCount[];
  prefixes: NamedCount[];
}

export interface Conflict {
  key: string;
  kind: 'value' | 'number' | 'date' | 'polarity' | 'choice';
  mine: string;
  theirs: string;
}

/** What the server noticed while it stored. */
export interface Advice {
  similar?: { key: string; score: number }[];
  conflicts?: Conflict[];
  echo?: true;
}

export interface StoreAnswer extends Advice {
  key: string;
  version: number;
  created: boolean;
}

export interface FactInput {
  key: string;
  value: string;
  category?: string;
  tags?: string[];
  ttl_seconds?: number;
  if_version?: number;
}

export interface FactFilter {
  prefix?: string;
  category?: string;
  tag?: string;
  source?: string;
}

export type FactSort = 'updated' | 'created' | 'key' | 'expires';

/** Of every read: whose memory, for an admin who looks at somebody else's. */
export interface Reading {
  caller?: string;
  signal?: AbortSignal;
}

const PAGE = 100;
const address = (key: string) => `/memory/facts/${encodeURIComponent(key)}`;

export const listFacts = (
  filter: FactFilter & { sort?: FactSort; expiring_within?: number; cursor?: string; limit?: number },
  { caller, signal }: Reading,
) =>
  callApi<{ facts: Fact[]; next_cursor?: string }>('/memory/facts', {
    query: { limit: PAGE, ...filter, caller },
    signal,
  });

export const searchFacts = (
  filter: FactFilter & { q: string; limit?: number; explain?: '1' },
  { caller, signal }: Reading,
) =>
  callApi<{ results: Hit[]; took_ms: number; abstained: boolean; degraded?: boolean }>('/memory/search', {
    query: { limit: PAGE, ...filter, caller },
    signal,
  });

export const readFact = (key: string, { caller, signal }: Reading) =>
  callApi<Fact>(address(key), { query: { caller }, signal });

export const readHistory = (key: string, { caller, signal }: Reading) =>
  callApi<{ versions: Version[] }>(`${address(key)}/history`, { query: { caller }, signal });

export const readFacets = (prefix: string, { caller, signal }: Reading) =>
  callApi<Facets>('/memory/facets', { query: { prefix, caller }, signal });

export const storeFact = (fact: FactInput) =>
  callApi<StoreAnswer>('/memory/store', { method: 'POST', body: fact });

export const renewFact = (key: string, ttlSeconds: number) =>
  callApi<Fact>(address(key), { method: 'PATCH', body: { ttl_seconds: ttlSeconds } });

/** Whether a key is the server's own: that of a run record, which no fact can have. */
export const isRecordKey = (key: string) => /^(pack|pipeline|plan)_history\//.test(key);

/**
 * One fact with its history, or one run record. Records, and anything of another caller, go by scope: only that way
 * may name them.
 */
export const forgetFact = (key: string, options: { keepalive?: boolean; caller?: string }) => {
  const { keepalive, caller } = options;
  if (caller === undefined && !isRecordKey(key))
    return callApi(address(key), { method: 'DELETE', keepalive });
  return callApi('/memory/forget', { method: 'POST', body: { scope: `key:${key}`, caller }, keepalive });
};
