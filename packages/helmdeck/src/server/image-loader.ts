import type { Worker } from 'node:worker_threads';
import type { Store } from '../memory/store.ts';
import type { BuiltImage, ImageLoader } from '../recall/image/image-cache.ts';
import { putTogether } from '../recall/image/image-transfer.ts';
import { RECALL_KINDS } from '../recall/index/documents.ts';
import { startWorker } from '../runtime/worker.ts';
import type { ImageAnswer, ImageRequest } from './image-loader-worker.ts';

/** Fewer rows are loaded on the spot sooner than they could be handed over. */
const LEAST_ROWS = 1_000;
/** Whatever runs longer than a moment has the thread before it is needed. */
const START_AFTER_MS = 250;

/** Has the images of large namespaces made by a thread of its own, which reads the same database. */
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
      waiting.get(answer.number)?.(made && { image: putTogether(made.parts), ...made.loaded });
      waiting.delete(answer.number);
      if (waiting.size === 0) started.unref();
    });
    const died = () => {
      if (worker === started) worker = undefined;
      for (const settle of waiting.values()) settle(undefined);
      waiting.clear();
    };
    started.on('error', died);
    started.on('exit', died);
    started.unref(); // not before somebody listens: that would take it back, and keep a command from ending
    worker = started;
    return started;
  }

  async function isLarge(ns: Uint8Array): Promise<boolean> {
    let rows = 0;
    for (const usage of await store.usage(now(), ns)) {
      if ((RECALL_KINDS as readonly string[]).includes(usage.kind)) rows += usage.rows;
    }
    return rows >= LEAST_ROWS;
  }

  const starting = setTimeout(running, START_AFTER_MS).unref();
  return {
    async load(keys) {
      if (!(await isLarge(keys.ns)) || closed) return undefined;
      const mine = ++number;
      const thread = running();
      thread.ref();
      return new Promise((settle) => {
        waiting.set(mine, settle);
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
