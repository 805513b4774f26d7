import type { OperationCaller } from './call-operation.ts';
import type {
  BatchResult,
  Confirmed,
  ConfirmInput,
  Deleted,
  Fact,
  FactHistory,
  FactInput,
  FactPage,
  FactPatch,
  Operations,
  ProposedStore,
  StoreAnswer,
} from './generated/rest.ts';
import { HelmdeckError } from './helmdeck-error.ts';

export type FactQuery = NonNullable<Operations['GET /api/v1/memory/facts']['query']>;
export type SearchQuery = Omit<NonNullable<Operations['GET /api/v1/memory/search']['query']>, 'q'>;

interface WriteOptions {
  /** Names this write, so that it takes effect once however often it is sent; made up if absent. */
  idempotencyKey?: string;
}

export interface FactCalls {
  /** Stores a fact, or a new version of it. `status` says whether it is active, waits in the inbox, or was declined. */
  store(fact: FactInput, options?: WriteOptions): Promise<StoreAnswer | ProposedStore>;
  /** Stores up to 500 facts, each on its own. */
  storeMany(facts: FactInput[], options?: WriteOptions): Promise<BatchResult>;
  /** The fact with this key, now, in an earlier version, or as it was; undefined if there is none. */
  get(key: string, query?: { version?: number; as_of?: string }): Promise<Fact | undefined>;
  /** Every fact that matches, page by page as the loop goes on. */
  list(query?: Omit<FactQuery, 'cursor'>): AsyncIterable<Fact>;
  /** One page of them. */
  page(query?: FactQuery): Promise<FactPage>;
  history(key: string): Promise<FactHistory>;
  /** Says that a fact is still true, and renews it. */
  confirm(key: string, input?: ConfirmInput): Promise<Confirmed>;
  /** Changes tags, category or lifetime; the text and its version stay. */
  update(key: string, patch: FactPatch): Promise<Fact>;
  /** Forgets one fact with its history. */
  forget(key: string): Promise<Deleted>;
}

export function factCalls({ call }: OperationCaller): FactCalls {
  const page = (query: FactQuery = {}) => call('GET /api/v1/memory/facts', { query });
  return {
    store: (fact, options) =>
      call('POST /api/v1/memory/store', { body: fact, headers: writeHeaders(options) }),
    storeMany: (facts, options) =>
      call('POST /api/v1/memory/store/batch', { body: { facts }, headers: writeHeaders(options) }),
    async get(key, query = {}) {
      try {
        return await call('GET /api/v1/memory/facts/{key}', { path: { key }, query });
      } catch (thrown) {
        if (thrown instanceof HelmdeckError && thrown.code === 'not_found') return undefined;
        throw thrown;
      }
    },
    async *list(query = {}) {
      let cursor: string | undefined;
      do {
        const { facts, next_cursor } = await page({ limit: MAX_PAGE_FACTS, ...query, cursor });
        yield* facts;
        cursor = next_cursor;
      } while (cursor !== undefined);
    },
    page,
    history: (key) => call('GET /api/v1/memory/facts/{key}/history', { path: { key } }),
    confirm: (key, input = {}) =>
      call('POST /api/v1/memory/facts/{key}/confirm', { path: { key }, body: input }),
    update: (key, patch) => call('PATCH /api/v1/memory/facts/{key}', { path: { key }, body: patch }),
    forget: (key) => call('DELETE /api/v1/memory/facts/{key}', { path: { key } }),
  };
}

const MAX_PAGE_FACTS = 200;

const writeHeaders = ({ idempotencyKey = randomKey() }: WriteOptions = {}) => ({
  'idempotency-key': idempotencyKey,
});

/** `crypto.randomUUID` is missing in pages that were not served over TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
