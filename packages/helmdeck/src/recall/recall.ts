import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import type { FactPage, PageRequest } from '../memory/facts/fact-pages.ts';
import type { Facets, FactOutline, FactSpan } from '../memory/facts/overview.ts';
import type { FactFilter } from '../memory/facts/read-facts.ts';
import type { Memory, MemoryParts } from '../memory/memory.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { createImage, type Image } from './image/image.ts';
import { createImageCache, type ImageCache, type ImageCacheOptions } from './image/image-cache.ts';
import { type RecallKind, RUN_RECALL_KINDS } from './index/documents.ts';
import { nearKeys } from './near-keys.ts';
import { facetsOf, type Overview, outlineOf, overviewOf, pageOf, spanOf } from './overview.ts';
import { prepareMeanings } from './ranking/meaning.ts';
import {
  confidentFacts,
  type Hit,
  mergeResults,
  type SearchRequest,
  type SearchResult,
  searchImage,
} from './search.ts';
import type { QueueLog } from './vectors/embed-queue.ts';
import type { Embedder } from './vectors/embedder.ts';
import { createEmbedding, type Embedding } from './vectors/embedding.ts';
import type { Wordbook } from './words/wordbook.ts';

export interface RecallOptions
  extends Pick<ImageCacheOptions, 'maxBytes' | 'snapshots' | 'loader' | 'onForgotten' | 'onProblem'> {
  wordbook: Wordbook;
  /** Called after a search with the texts its caller was shown. */
  onRecalled?: (ns: Uint8Array, texts: readonly string[]) => void;
  embedder?: Embedder;
  log: QueueLog;
}

export interface Answer extends SearchResult {
  /** Embeddings are on, but the query's vector did not arrive in time: the result is by words alone. */
  degraded?: true;
}

export type FacetSearch = Pick<SearchRequest, 'text' | 'unnoted'>;

/** Search over callers' memories: finds facts and run records from a few words, and computes overviews from the same images. */
export interface Recall {
  /** The images that searches run on. */
  readonly images: ImageCache;
  /** Searches, and returns what `use` makes of the result. The searches of a caller run one after another. */
  search<T>(memory: Memory, request: SearchRequest, use: (answer: Answer) => T | Promise<T>): Promise<T>;
  /** Facts that match a filter, newest and most recalled first: what there is to say without a query. */
  overview<T>(
    memory: Memory,
    filter: Pick<FactFilter, 'prefix' | 'category' | 'tag'>,
    limit: number,
    use: (overview: Overview) => T | Promise<T>,
  ): Promise<T>;
  /** Keys that a key which no fact has may stand for, most similar first. */
  nearKeys(memory: Memory, key: string): Promise<string[]>;
  /** Searches facts by words alone with each request; what `choose` returns as hits counts as recalled. */
  searchEach<T extends { hits: readonly Hit[] }>(
    memory: Memory,
    requests: readonly SearchRequest[],
    choose: (results: SearchResult[]) => T,
  ): Promise<T>;
  /** Counts by category, tag, source and child prefix, of all facts or of those that match `text` confidently. */
  facets(memory: Memory, filter: FactFilter, search?: FacetSearch): Promise<Facets>;
  /** Categories with counts and newest keys. */
  outline(memory: Memory): Promise<FactOutline>;
  /** Facts that match a filter, page by page, in the order the page asks for. */
  list(memory: Memory, filter: FactFilter, page: PageRequest): Promise<FactPage>;
  /** The oldest fact, the next expiry and the progress of embedding. */
  span(memory: Memory): Promise<FactSpan>;
  status(): ReturnType<ImageCache['status']> & { embeddings?: ReturnType<Embedding['status']> };
  /** Periodic upkeep: writes snapshots, drops idle images. */
  tidy(): Promise<void>;
  /** Drops the images and snapshots of an erased caller, given the id of its main namespace. */
  drop(ns: Uint8Array): Promise<void>;
  /** Resolves when no fact is queued for embedding. */
  embedded(): Promise<void>;
  close(): Promise<void>;
}

/** Stores within this time are embedded together. */
const EMBED_PAUSE_MS = 250;
/** A search takes one read per result that it may return, at most this many. */
const MAX_SEARCH_COST = 100;
/** Counting the matches of a query takes as many reads as a search of the default size. */
const FACET_SEARCH_COST = 20;
/** So do the short searches for the parts of a prompt, which return a few hits. */
const SEARCH_EACH_COST = 20;
/** Only the first hits: no client stores back a list of hundreds. */
const MAX_RECALLED_TEXTS = 20;

const isRunKind = (kind: RecallKind) => (RUN_RECALL_KINDS as readonly RecallKind[]).includes(kind);

/** Whether a vector has the dimension of the facts' vectors; otherwise the two cannot be compared. */
function fits(image: Image, vector: Float32Array | undefined): boolean {
  const dimensions = image.vectors()?.dimensions;
  return dimensions === undefined || dimensions === vector?.length;
}

/** The state of the embedder as its callers see it. */
function embeddingsState(embedding: Embedding) {
  const { model, state, lastError, problem } = embedding.status();
  const stuck =
    state === 'backing_off' && lastError ? joinSentences(lastError.message, lastError.fix) : problem;
  return { model, state, ...(stuck === undefined ? {} : { problem: stuck }) };
}

const joinSentences = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');

export function createRecall(parts: MemoryParts, options: RecallOptions): Recall {
  const { wordbook, embedder, log, onRecalled, ...imageOptions } = options;
  const embedding = embedder && createEmbedding(parts, embedder, log);
  const images = createImageCache(parts, { ...imageOptions, embedding });
  const embedTimers = new Map<string, NodeJS.Timeout>();
  parts.changes.subscribeToAll((ns, { type }) => {
    if (type === 'erase') void drop(ns);
    else if (type === 'forget') void dropSnapshots(ns);
    else if (type === 'store' && embedding) scheduleEmbedding(ns);
  });

  async function drop(ns: Uint8Array): Promise<void> {
    await images.drop(ns);
    await images.drop(parts.directory.runs.idOf(ns));
  }

  async function dropSnapshots(ns: Uint8Array): Promise<void> {
    await images.dropSnapshot(ns);
    await images.dropSnapshot(parts.directory.runs.idOf(ns));
  }

  /** Brings an image up to date shortly after a store; that queues its new facts for embedding. */
  function scheduleEmbedding(ns: Uint8Array): void {
    const name = namespaceMapKey(ns);
    if (embedTimers.has(name)) return;
    const catchUp = async () => {
      embedTimers.delete(name);
      const keys = await parts.directory.findById(ns);
      if (keys) await images.current(keys);
    };
    embedTimers.set(name, setTimeout(() => void catchUp().catch(() => {}), EMBED_PAUSE_MS).unref());
  }

  function reportRecalled(ns: Uint8Array, hits: readonly Hit[]): void {
    if (!onRecalled) return;
    const texts = hits.slice(0, MAX_RECALLED_TEXTS).map((hit) => hit.document.value);
    setImmediate(() => onRecalled(ns, texts)); // after the response, which need not wait for it
  }

  type QueryVector = Awaited<ReturnType<Embedding['ofQuery']>> | undefined;

  async function queryVector(keys: NamespaceKeys, text: string): Promise<QueryVector> {
    return embedding && text.trim() !== '' ? embedding.ofQuery(keys, text) : undefined;
  }

  /** The image to search. */
  async function searchable(keys: NamespaceKeys): Promise<Image> {
    const image = await images.current(keys);
    const preparation = prepareMeanings(image, wordbook.words);
    if (!preparation) return image;
    await preparation;
    return images.current(keys); // others may have written meanwhile
  }

  /** The image to search and, if it came in time and is of the facts' model, the query's vector. */
  async function prepareSearch(keys: NamespaceKeys, vector: QueryVector) {
    const image = await searchable(keys);
    const isOtherModel = vector instanceof Float32Array && !fits(image, vector);
    if (isOtherModel) images.remakeVectors(keys);
    const usable = vector === 'degraded' || isOtherModel ? undefined : vector;
    return { image, vector: usable, isDegraded: vector !== undefined && !usable };
  }

  async function searchFacts(
    keys: NamespaceKeys,
    request: SearchRequest,
    nowMs: number,
    queried: QueryVector,
  ): Promise<Answer> {
    const { image, vector, isDegraded } = await prepareSearch(keys, queried);
    const found = searchImage(image, request, wordbook, nowMs, vector);
    return isDegraded ? { ...found, degraded: true } : found;
  }

  /** Run records have an image of their own, and no vectors. */
  async function searchRuns(
    keys: NamespaceKeys,
    request: SearchRequest,
    nowMs: number,
  ): Promise<SearchResult> {
    return searchImage(await searchable(keys), request, wordbook, nowMs);
  }

  async function imageOf(memory: Memory): Promise<Image> {
    const keys = await memory.directory.find(memory.caller);
    return keys ? images.current(keys) : createImage();
  }

  return {
    images,
    async search(memory, request, use) {
      const { kinds = ['fact'] } = request;
      const { caller, directory, limits } = memory;
      // An admin's search must not use up the rate of the caller whose memory it is.
      if (!request.unnoted)
        limits.takeReads(directory.idOf(caller), Math.min(request.limit, MAX_SEARCH_COST));
      const keys = kinds.includes('fact') ? await directory.find(caller) : undefined;
      const runsKeys = kinds.some(isRunKind) ? await directory.runs.find(caller) : undefined;
      const vector = keys && (await queryVector(keys, request.text));
      return limits.readLarge(directory.idOf(caller), async () => {
        const facts = keys && (await searchFacts(keys, request, memory.now(), vector));
        const runs = runsKeys && (await searchRuns(runsKeys, request, memory.now()));
        const nothing = { hits: [], abstained: request.text.trim() !== '' };
        const found = facts && runs ? mergeResults(facts, runs, request) : (facts ?? runs ?? nothing);
        if (!request.unnoted && found.hits.length > 0) reportRecalled(directory.idOf(caller), found.hits);
        return use(facts?.degraded ? { ...found, degraded: true } : found);
      });
    },
    async overview(memory, filter, limit, use) {
      const { caller, directory, limits } = memory;
      limits.takeReads(directory.idOf(caller), Math.min(limit, MAX_SEARCH_COST));
      const countOf = await memory.recallCounts.read(caller);
      return limits.readLarge(directory.idOf(caller), async () => {
        const found = await overviewOf(await imageOf(memory), memory.now, filter, limit, countOf);
        reportRecalled(directory.idOf(caller), found.hits);
        return use(found);
      });
    },
    nearKeys: async (memory, key) => nearKeys(await imageOf(memory), key, wordbook, memory.now()),
    async searchEach(memory, requests, choose) {
      const { caller, directory, limits } = memory;
      limits.takeReads(directory.idOf(caller), SEARCH_EACH_COST);
      const keys = await directory.find(caller);
      const image = keys && (await searchable(keys));
      const nothing: SearchResult = { hits: [], abstained: true };
      const nowMs = memory.now();
      const yieldIfDue = createYielder();
      const results: SearchResult[] = [];
      for (const request of requests) {
        await yieldIfDue();
        results.push(image ? searchImage(image, request, wordbook, nowMs) : nothing);
      }
      const chosen = choose(results);
      if (chosen.hits.length > 0) reportRecalled(directory.idOf(caller), chosen.hits);
      return chosen;
    },
    async facets(memory, filter, search) {
      const { caller, directory, limits } = memory;
      const keys = search && (await directory.find(caller));
      if (!keys) return facetsOf(await imageOf(memory), memory, filter);
      if (!search.unnoted) limits.takeReads(keys.ns, FACET_SEARCH_COST);
      const { image, vector } = await prepareSearch(keys, await queryVector(keys, search.text));
      const found = confidentFacts(image, search.text, wordbook, memory.now(), vector);
      return facetsOf(image, memory, filter, found);
    },
    outline: async (memory) => outlineOf(await imageOf(memory), memory.now),
    list: async (memory, filter, page) => pageOf(await imageOf(memory), memory, filter, page),
    span: async (memory) =>
      spanOf(await imageOf(memory), memory.now, embedding && embeddingsState(embedding)),
    status: () => ({ ...images.status(), ...(embedding ? { embeddings: embedding.status() } : {}) }),
    tidy: images.tidy,
    drop,
    async embedded() {
      await embedding?.drained();
    },
    async close() {
      for (const timer of embedTimers.values()) clearTimeout(timer);
      await embedding?.close();
      await images.close();
    },
  };
}
