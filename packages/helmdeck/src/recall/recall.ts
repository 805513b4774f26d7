import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import type { FactPage, PageRequest } from '../memory/facts/fact-pages.ts';
import type { Facets, FactOutline, FactSpan } from '../memory/facts/overview.ts';
import type { FactFilter } from '../memory/facts/read-facts.ts';
import type { Memory, MemoryParts } from '../memory/memory.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { createImage, type Image } from './image/image.ts';
import { createImageCache, type ImageCache, type ImageCacheOptions } from './image/image-cache.ts';
import { type RecallKind, RUN_RECALL_KINDS } from './index/documents.ts';
import { facetsOf, outlineOf, pageOf, spanOf } from './overview.ts';
import { type Found, type Hit, mergeFound, type SearchRequest, searchImage } from './search.ts';
import type { Thesaurus } from './text/thesaurus.ts';
import type { QueueLog } from './vectors/embed-queue.ts';
import type { Embedder } from './vectors/embedder.ts';
import { createEmbedding, type Embedding } from './vectors/embedding.ts';

export interface RecallOptions
  extends Pick<ImageCacheOptions, 'maxBytes' | 'shelf' | 'loader' | 'onForgotten' | 'onProblem'> {
  thesaurus: Thesaurus;
  /** Called after a search with the texts its caller was shown. */
  onRecalled?: (ns: Uint8Array, texts: readonly string[]) => void;
  embedder?: Embedder;
  log: QueueLog;
}

export interface Answer extends Found {
  /** Vectors are on, but the query's did not come in time: the answer is by words alone. */
  degraded?: true;
}

/** Finds what a caller stored, from a few words. */
export interface Recall {
  /** The images that searches run on. */
  readonly images: ImageCache;
  search(memory: Memory, request: SearchRequest): Promise<Answer>;
  /** Counts by category, tag, source and child prefix. */
  facets(memory: Memory, prefix: string): Promise<Facets>;
  /** Categories with counts and newest keys. */
  outline(memory: Memory): Promise<FactOutline>;
  /** Facts that pass a filter, in any order, page by page. */
  list(memory: Memory, filter: FactFilter, page: PageRequest): Promise<FactPage>;
  /** How far the facts reach in time, and how far they can be found by meaning. */
  span(memory: Memory): Promise<FactSpan>;
  status(): ReturnType<ImageCache['status']> & { embeddings?: ReturnType<Embedding['status']> };
  /** Upkeep that can wait: snapshots, images nobody uses. */
  tidy(): Promise<void>;
  /** Drops the images and the snapshots of a caller whose main namespace this was; it is erased. */
  drop(ns: Uint8Array): Promise<void>;
  /** When nothing waits to be embedded any more. */
  embedded(): Promise<void>;
  close(): Promise<void>;
}

/** Several stores in a row are embedded together. */
const EMBED_PAUSE_MS = 250;
/** Only the first hits: nobody feeds back a list of hundreds. */
const MAX_RECALLED_TEXTS = 20;

const isRunKind = (kind: RecallKind) => (RUN_RECALL_KINDS as readonly RecallKind[]).includes(kind);

/** A vector of another dimension than the facts' own is near to none of them. */
function fits(image: Image, vector: Float32Array | undefined): boolean {
  const dimensions = image.vectors()?.dimensions;
  return dimensions === undefined || dimensions === vector?.length;
}

/** What is told of the embedder to those whose facts it embeds. */
function embeddingsNow(embedding: Embedding) {
  const { model, state, lastError, problem } = embedding.status();
  const stuck = state === 'backing_off' && lastError ? sentences(lastError.message, lastError.fix) : problem;
  return { model, state, ...(stuck === undefined ? {} : { problem: stuck }) };
}

const sentences = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');

export function createRecall(parts: MemoryParts, options: RecallOptions): Recall {
  const { thesaurus, embedder, log, onRecalled, ...imageOptions } = options;
  const embedding = embedder && createEmbedding(parts, embedder, log);
  const images = createImageCache(parts, { ...imageOptions, embedding });
  const due = new Map<string, NodeJS.Timeout>();
  parts.changes.subscribeToAll((ns, { type }) => {
    if (type === 'erase') void drop(ns);
    else if (type === 'forget') void dropSnapshots(ns);
    else if (type === 'store' && embedding) embedSoon(ns);
  });

  async function drop(ns: Uint8Array): Promise<void> {
    await images.drop(ns);
    await images.drop(parts.directory.runs.idOf(ns));
  }

  async function dropSnapshots(ns: Uint8Array): Promise<void> {
    await images.dropSnapshot(ns);
    await images.dropSnapshot(parts.directory.runs.idOf(ns));
  }

  /** Looks at a namespace a moment after it changed, which has its new facts embedded. */
  function embedSoon(ns: Uint8Array): void {
    const name = namespaceMapKey(ns);
    if (due.has(name)) return;
    const look = async () => {
      due.delete(name);
      const keys = await parts.directory.findById(ns);
      if (keys) await images.current(keys);
    };
    due.set(name, setTimeout(() => void look().catch(() => {}), EMBED_PAUSE_MS).unref());
  }

  function reportRecalled(ns: Uint8Array, hits: readonly Hit[]): void {
    if (!onRecalled) return;
    const texts = hits.slice(0, MAX_RECALLED_TEXTS).map((hit) => hit.document.value);
    setImmediate(() => onRecalled(ns, texts)); // after the response, which need not wait for it
  }

  async function searchFacts(keys: NamespaceKeys, request: SearchRequest, nowMs: number): Promise<Answer> {
    const asks = embedding && request.text.trim() !== '';
    const vector = asks ? await embedding.ofQuery(keys, request.text) : undefined;
    const image = await images.current(keys);
    const isOther = vector instanceof Float32Array && !fits(image, vector);
    if (isOther) images.remakeVectors(keys);
    const near = vector === 'degraded' || isOther ? undefined : vector;
    const found = searchImage(image, request, thesaurus, nowMs, near);
    return asks && !near ? { ...found, degraded: true } : found;
  }

  /** Run records have an image of their own, and no vectors. */
  async function searchRuns(keys: NamespaceKeys, request: SearchRequest, nowMs: number): Promise<Found> {
    return searchImage(await images.current(keys), request, thesaurus, nowMs);
  }

  async function imageOf(memory: Memory): Promise<Image> {
    const keys = await memory.directory.find(memory.caller);
    return keys ? images.current(keys) : createImage();
  }

  return {
    images,
    async search(memory, request) {
      const { kinds = ['fact'] } = request;
      const { caller, directory } = memory;
      const keys = kinds.includes('fact') ? await directory.find(caller) : undefined;
      const runsKeys = kinds.some(isRunKind) ? await directory.runs.find(caller) : undefined;
      const facts = keys && (await searchFacts(keys, request, memory.now()));
      const runs = runsKeys && (await searchRuns(runsKeys, request, memory.now()));
      const nothing = { hits: [], abstained: request.text.trim() !== '' };
      const found = facts && runs ? mergeFound(facts, runs, request) : (facts ?? runs ?? nothing);
      if (!request.unnoted && found.hits.length > 0) reportRecalled(directory.idOf(caller), found.hits);
      return facts?.degraded ? { ...found, degraded: true } : found;
    },
    facets: async (memory, prefix) => facetsOf(await imageOf(memory), memory.now, prefix),
    outline: async (memory) => outlineOf(await imageOf(memory), memory.now),
    list: async (memory, filter, page) => pageOf(await imageOf(memory), memory.now, filter, page),
    span: async (memory) => spanOf(await imageOf(memory), memory.now, embedding && embeddingsNow(embedding)),
    status: () => ({ ...images.status(), ...(embedding ? { embeddings: embedding.status() } : {}) }),
    tidy: images.tidy,
    drop,
    async embedded() {
      await embedding?.drained();
    },
    async close() {
      for (const timer of due.values()) clearTimeout(timer);
      await embedding?.close();
      await images.close();
    },
  };
}
