import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import type { BatchResult, FactInput, Helmdeck } from '../../client/index.ts';
import { matchesCondition, matchesFilter } from './filters.ts';
import { assertNamespace, factKeyOf, itemOf, prefixOf, UNINDEXED } from './item-facts.ts';

export interface HelmdeckStoreOptions {
  /** How long an item is kept after it was put: an hour to a year; the server's default is 90 days. */
  ttlSeconds?: number;
}

const CATEGORY = 'langgraph';
const MIN_TTL_SECONDS = 3_600;
const MAX_TTL_SECONDS = 31_536_000;
const MAX_SEARCH_HITS = 100;
const MAX_BATCH = 500;

/** A LangGraph store in Helmdeck: each item is a fact. */
export class HelmdeckStore extends BaseStore {
  readonly #helmdeck: Helmdeck;
  readonly #ttlSeconds: number | undefined;

  constructor(helmdeck: Helmdeck, { ttlSeconds }: HelmdeckStoreOptions = {}) {
    super();
    if (ttlSeconds !== undefined && !(ttlSeconds >= MIN_TTL_SECONDS && ttlSeconds <= MAX_TTL_SECONDS))
      throw new RangeError(
        `Helmdeck keeps nothing forever: ttlSeconds must be from ${MIN_TTL_SECONDS} (one hour) to ${MAX_TTL_SECONDS} (one year).`,
      );
    this.#helmdeck = helmdeck;
    this.#ttlSeconds = ttlSeconds;
  }

  /** As in LangGraph's own stores, reads see what was there before the batch, and the last put of an item wins. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = operations.filter((operation) => 'value' in operation);
    for (const { namespace } of puts) assertNamespace(namespace);
    const results = await Promise.all(
      operations.map((operation) => {
        if ('value' in operation) return undefined;
        if ('namespacePrefix' in operation) return this.#search(operation);
        if ('key' in operation) return this.#find(operation);
        return this.#namespaces(operation);
      }),
    );
    await this.#write(puts);
    return results as OperationResults<Op>;
  }

  async #find({ namespace, key }: GetOperation): Promise<Item | null> {
    const fact = await this.#helmdeck.facts.get(factKeyOf(namespace, key));
    return (fact && itemOf(fact)) ?? null;
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { filter, limit = 10, offset = 0 } = operation;
    const found: SearchItem[] = [];
    for await (const item of this.#candidates(operation)) {
      if (found.length >= offset + limit) break;
      if (matchesFilter(item.value, filter)) found.push(item);
    }
    return found.slice(offset, offset + limit);
  }

  /** The items under a prefix: with a query those that fit it, best first, else the most recently put first. */
  async *#candidates({ namespacePrefix, query }: SearchOperation): AsyncGenerator<SearchItem> {
    const { facts, search } = this.#helmdeck;
    const prefix = prefixOf(namespacePrefix);
    if (query === undefined || query === '') {
      for await (const fact of facts.list({ prefix })) {
        const item = itemOf(fact);
        if (item) yield item;
      }
      return;
    }
    const { results } = await search(query, { prefix, limit: MAX_SEARCH_HITS });
    for (const { key, score, tags } of results) {
      const fact = tags.includes(UNINDEXED) ? undefined : await facts.get(key);
      const item = fact && itemOf(fact);
      if (item) yield { ...item, score };
    }
  }

  async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const found = new Map<string, string[]>();
    for await (const fact of this.#helmdeck.facts.list({ prefix: prefixOf([]) })) {
      const namespace = itemOf(fact)?.namespace;
      if (!namespace || !matchConditions.every((condition) => matchesCondition(namespace, condition)))
        continue;
      const cut = namespace.slice(0, maxDepth);
      found.set(prefixOf(cut), cut);
    }
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, namespace]) => namespace);
    return sorted.slice(offset ?? 0, limit === undefined ? undefined : (offset ?? 0) + limit);
  }

  async #write(puts: readonly PutOperation[]): Promise<void> {
    const last = new Map(puts.map((put) => [factKeyOf(put.namespace, put.key), put]));
    const facts: FactInput[] = [];
    const deleted: string[] = [];
    for (const [key, { value, index }] of last) {
      if (value === null) deleted.push(key);
      else {
        const tags = index === false ? [UNINDEXED] : [];
        facts.push({
          key,
          value: JSON.stringify(value),
          category: CATEGORY,
          tags,
          ttl_seconds: this.#ttlSeconds,
        });
      }
    }
    for (let start = 0; start < facts.length; start += MAX_BATCH) {
      const { results } = await this.#helmdeck.facts.storeMany(facts.slice(start, start + MAX_BATCH));
      assertStored(results);
    }
    await Promise.all(deleted.map((key) => this.#helmdeck.facts.forget(key)));
  }
}

/** Throws unless every item was stored: LangGraph would take a refused or a proposed one for stored. */
function assertStored(results: BatchResult['results']): void {
  const problems = results.flatMap((result) => {
    if ('error' in result) return [[result.message, result.hint].filter(Boolean).join(' ')];
    if (result.status === 'declined') return ['A person declined this text before.'];
    return result.status === 'active' ? [] : ["It waits in Helmdeck's inbox for a person to decide."];
  });
  if (problems.length === 0) return;
  throw new Error(`${problems.length} of ${results.length} items were not stored: ${problems[0]}`);
}
