import { availableParallelism } from 'node:os';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import type { Store } from '../memory/store.ts';
import type { CatchUpResult } from '../recall/image/catch-up.ts';
import type { BuiltImage, ImageLoader } from '../recall/image/image-cache.ts';
import { attach, memoryOf } from '../recall/image/image-transfer.ts';
import { RECALL_KINDS } from '../recall/index/documents.ts';
import { startWorker } from '../runtime/worker.ts';
import type {
  ImageRequest,
  ImageResponse,
  JoinRequest,
  MadeImage,
  ReadRequest,
} from './image-loader-worker.ts';

// The main thread's side of the image loader: has images of large namespaces built by `image-loader-worker.ts`.

/** A smaller namespace loads faster on this thread than through the worker. */
const MIN_ROWS = 1_000;
/** Fewer rows are read by one thread before another one has started. */
const MIN_SHARED_ROWS = 20_000;
const MAX_THREADS = 4;
/** A process that runs longer than this starts the worker before it is needed; a short command never does. */
const START_AFTER_MS = 250;

export interface ImageLoaderOptions {
  /** How many threads read large namespaces together; by default one per core, at most four. */
  threads?: number;
  minSharedRows?: number;
}

/** Starts the worker thread, which opens the same database with a connection of its own. */
export function startImageLoader(
  db: string,
  store: Store,
  now: () => number,
  options: ImageLoaderOptions = {},
): ImageLoader {
  const { threads = Math.min(MAX_THREADS, availableParallelism()), minSharedRows = MIN_SHARED_ROWS } =
    options;
  const running = new Set<LoaderThread>();
  let first: LoaderThread | undefined;
  let closed = false;

  function start(): LoaderThread {
    const thread = startThread(db, () => {
      running.delete(thread);
      if (first === thread) first = undefined;
    });
    running.add(thread);
    return thread;
  }

  const firstThread = () => {
    first ??= start();
    return first;
  };

  async function countRows(ns: Uint8Array): Promise<number> {
    let rows = 0;
    for (const usage of await store.usage(now(), ns)) {
      if ((RECALL_KINDS as readonly string[]).includes(usage.kind)) rows += usage.rows;
    }
    return rows;
  }

  /** Has the threads read the rows, and the first one join what they made. */
  async function loadWith(readers: LoaderThread[], keys: NamespaceKeys): Promise<BuiltImage | undefined> {
    const nowMs = now();
    const position = await store.position(keys.ns);
    const claimed = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const request: ReadRequest = { type: 'read', keys, nowMs, untilSeq: position.seq, claimed };
    const made = await Promise.all(readers.map((thread) => thread.ask(request)));
    const result: CatchUpResult = { position, changed: 0, unreadable: 0 };
    for (const read of made.map((each) => each?.read)) {
      if (read?.position.epoch !== position.epoch) return undefined;
      // Another connection may not see yet what is being committed on this one.
      if (read.position.seq < result.position.seq) result.position = read.position;
      result.changed += read.changed;
      result.unreadable += read.unreadable;
    }
    const [largest, ...smaller] = (made as MadeImage[]).sort((a, b) => b.documents - a.documents);
    const images = [largest!, ...smaller.filter(({ documents }) => documents > 0)].map(({ image }) => image);
    if (images.length === 1) return { image: attach(images[0]!), ...result };
    const joined = await readers[0]!.ask({ type: 'join', nowMs, images });
    return joined && { image: attach(joined.image), ...result };
  }

  const starting = setTimeout(firstThread, START_AFTER_MS).unref();
  return {
    async load(keys) {
      const rows = await countRows(keys.ns);
      if (rows < MIN_ROWS || closed) return undefined;
      const mine = firstThread();
      // Loads that run at the same time share the number of threads.
      const free = rows < minSharedRows ? 0 : Math.max(0, threads - running.size);
      const others = Array.from({ length: free }, start);
      try {
        return await loadWith([mine, ...others], keys);
      } finally {
        for (const thread of others) void thread.stop();
      }
    },
    async close() {
      closed = true;
      clearTimeout(starting);
      await Promise.all(Array.from(running, (thread) => thread.stop()));
    },
  };
}

interface LoaderThread {
  /** `undefined` after a failure, or if the thread stopped. */
  ask(request: ReadRequest | JoinRequest): Promise<MadeImage | undefined>;
  stop(): Promise<unknown>;
}

function startThread(db: string, onExit: () => void): LoaderThread {
  const waiting = new Map<number, (made: MadeImage | undefined) => void>();
  let number = 0;
  const worker = startWorker('image-loader-worker', import.meta.url, { db });
  worker.on('message', (response: ImageResponse) => {
    waiting.get(response.number)?.(response.made);
    waiting.delete(response.number);
    if (waiting.size === 0) worker.unref();
  });
  let hasExited = false;
  const died = () => {
    hasExited = true;
    onExit();
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  worker.on('error', died);
  worker.on('exit', died);
  worker.unref(); // after the listeners are added: adding one refs the worker again and keeps a command from ending
  return {
    async ask(request) {
      if (hasExited) return undefined;
      const mine = ++number;
      worker.ref();
      return new Promise((resolve) => {
        waiting.set(mine, resolve);
        const memory = request.type === 'join' ? request.images.flatMap(memoryOf) : [];
        worker.postMessage({ number: mine, ...request } satisfies ImageRequest, memory);
      });
    },
    stop: () => worker.terminate(),
  };
}
