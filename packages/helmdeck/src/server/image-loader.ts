import type { Worker } from 'node:worker_threads';
import type { Store } from '../memory/store.ts';
import type { BuiltImage, ImageLoader } from '../recall/image/image-cache.ts';
import { attach } from '../recall/image/image-transfer.ts';
import { RECALL_KINDS } from '../recall/index/documents.ts';
import { startWorker } from '../runtime/worker.ts';
import type { ImageAnswer, ImageRequest } from './image-loader-worker.ts';

/** A smaller namespace loads faster on this thread than through the worker. */
const MIN_ROWS = 1_000;
/** A process that runs longer than this starts the worker before it is needed; a short command never does. */
const START_AFTER_MS = 250;

/** Builds the images of large namespaces in a worker thread, which opens the same database. */
export function startImageLoader(db: string, store: Store, now: () => number): ImageLoader {
  const waiting = new Map<number, (made: BuiltImage | undefined) => void>();
  let worker: Worker | undefined;
  let number = 0;
  let closed = false;

  function running(): Worker {
    if (worker) return worker;
    const started = startWorker('image-loader-worker', import.meta.url, { db });
    started.on('message', (answer: ImageAnswer) => {
      const { made } = answer;
      waiting.get(answer.number)?.(made && { image: attach(made.parts), ...made.loaded });
      waiting.delete(answer.number);
      if (waiting.size === 0) started.unref();
    });
    const died = () => {
      if (worker === started) worker = undefined;
      for (const resolve of waiting.values()) resolve(undefined);
      waiting.clear();
    };
    started.on('error', died);
    started.on('exit', died);
    started.unref(); // after the listeners are added: adding one refs the worker again and keeps a command from ending
    worker = started;
    return started;
  }

  async function isLarge(ns: Uint8Array): Promise<boolean> {
    let rows = 0;
    for (const usage of await store.usage(now(), ns)) {
      if ((RECALL_KINDS as readonly string[]).includes(usage.kind)) rows += usage.rows;
    }
    return rows >= MIN_ROWS;
  }

  const starting = setTimeout(running, START_AFTER_MS).unref();
  return {
    async load(keys) {
      if (!(await isLarge(keys.ns)) || closed) return undefined;
      const mine = ++number;
      const thread = running();
      thread.ref();
      return new Promise((resolve) => {
        waiting.set(mine, resolve);
        thread.postMessage({ number: mine, keys, nowMs: now() } satisfies ImageRequest);
      });
    },
    async close() {
      closed = true;
      clearTimeout(starting);
      await worker?.terminate();
    },
  };
}
