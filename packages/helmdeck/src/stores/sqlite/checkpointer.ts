import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../runtime/worker.ts';
import type { CheckpointRequest } from './checkpoint-worker.ts';

/** The main thread's end of the checkpoint worker. */
export interface Checkpointer {
  /** Says that something was committed; a checkpoint follows soon. */
  committed(): void;
  /** Whether one is under way. */
  isAtWork(): boolean;
  /** Empties the log for good; false when a reader held it open. */
  truncate(): Promise<boolean>;
  close(): Promise<void>;
}

const PAUSE_MS = 1_000;
const TRUNCATE_ATTEMPTS = 20;
const TRUNCATE_PAUSE_MS = 50;

/** SQLite begins its log anew only with a transaction that finds all of it copied: `makeWay` ends one that is open. */
export function startCheckpointer(path: string, makeWay: () => void): Checkpointer {
  const waiting = new Map<number, (ok: boolean) => void>();
  let worker: Worker | undefined;
  let number = 0;
  let dirty = false;
  let atWork = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  /** The worker; a new one if the last one died, because without checkpoints the log only grows. */
  function running(): Worker {
    if (worker) return worker;
    const started = startWorker('checkpoint-worker', import.meta.url, { path });
    started.unref();
    started.on('message', (answer: { number: number; error?: string }) => {
      waiting.get(answer.number)?.(answer.error === undefined);
      waiting.delete(answer.number);
    });
    const died = () => {
      if (worker === started) worker = undefined;
      for (const settle of waiting.values()) settle(false);
      waiting.clear();
    };
    started.on('error', died);
    started.on('exit', died);
    worker = started;
    return started;
  }

  function ask(mode: CheckpointRequest['mode']): Promise<boolean> {
    const mine = ++number;
    return new Promise((settle) => {
      waiting.set(mine, settle);
      running().postMessage({ number: mine, mode } satisfies CheckpointRequest);
    });
  }

  async function checkpointSoon(): Promise<void> {
    makeWay();
    dirty = false;
    atWork = true;
    await ask('passive');
    atWork = false;
    timer = undefined;
    if (dirty) schedule();
  }

  function schedule(): void {
    if (!closed) timer ??= setTimeout(checkpointSoon, PAUSE_MS).unref();
  }

  running();
  return {
    committed() {
      dirty = true;
      schedule();
    },
    isAtWork: () => atWork,
    async truncate() {
      for (let attempt = 0; attempt < TRUNCATE_ATTEMPTS; attempt++) {
        if (await ask('truncate')) return true;
        await delay(TRUNCATE_PAUSE_MS);
      }
      return false;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      if (!worker) return;
      worker.ref();
      await ask('close');
      await worker?.terminate();
    },
  };
}
