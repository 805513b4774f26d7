import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../runtime/worker.ts';
import type { CheckpointReply, CheckpointRequest } from './checkpoint-worker.ts';

/** Runs checkpoints on a worker thread: on the main thread, their fsyncs were the whole latency tail. */
export interface Checkpointer {
  /** Call after a commit: a passive checkpoint follows within a second. */
  committed(): void;
  /** Makes no more checkpoints. */
  stop(): void;
  /** Checkpoints everything and truncates the WAL to zero bytes; false when a reader kept it open. */
  truncate(): Promise<boolean>;
  close(): Promise<void>;
}

const CHECKPOINT_INTERVAL_MS = 1_000;
const TRUNCATE_ATTEMPTS = 20;
const TRUNCATE_RETRY_MS = 50;

/**
 * `onSyncFailure` is called if a sync of a checkpoint fails; no more checkpoints should follow. Each checkpoint runs inside
 * `around`, which may refuse it.
 */
export function startCheckpointer(
  path: string,
  onSyncFailure: () => void,
  around: (work: () => Promise<boolean>) => Promise<boolean>,
): Checkpointer {
  const waiting = new Map<number, (ok: boolean) => void>();
  let worker: Worker | undefined;
  let number = 0;
  let dirty = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  /** The worker thread; a new one if the last one died, because without checkpoints the WAL only grows. */
  function running(): Worker {
    if (worker) return worker;
    const started = startWorker('checkpoint-worker', import.meta.url, { path });
    started.unref();
    started.on('message', ({ number, failure }: CheckpointReply) => {
      if (failure === 'sync') onSyncFailure();
      waiting.get(number)?.(failure === undefined);
      waiting.delete(number);
    });
    const died = () => {
      if (worker === started) worker = undefined;
      for (const resolve of waiting.values()) resolve(false);
      waiting.clear();
    };
    started.on('error', died);
    started.on('exit', died);
    worker = started;
    return started;
  }

  function request(mode: CheckpointRequest['mode']): Promise<boolean> {
    const mine = ++number;
    return new Promise((resolve) => {
      waiting.set(mine, resolve);
      running().postMessage({ number: mine, mode } satisfies CheckpointRequest);
    });
  }

  async function checkpoint(): Promise<void> {
    dirty = false;
    await around(() => request('passive')).catch(() => false); // the store reports why
    timer = undefined;
    if (dirty) schedule();
  }

  function schedule(): void {
    if (!closed) timer ??= setTimeout(checkpoint, CHECKPOINT_INTERVAL_MS).unref();
  }

  function stop(): void {
    closed = true;
    clearTimeout(timer);
  }

  running();
  return {
    committed() {
      dirty = true;
      schedule();
    },
    stop,
    async truncate() {
      for (let attempt = 0; attempt < TRUNCATE_ATTEMPTS && !closed; attempt++) {
        if (await around(() => request('truncate')).catch(() => false)) return true;
        await delay(TRUNCATE_RETRY_MS);
      }
      return false;
    },
    async close() {
      stop();
      if (!worker) return;
      worker.ref();
      await request('close');
      await worker?.terminate();
    },
  };
}
