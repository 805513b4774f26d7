import { Worker } from 'node:worker_threads';
import type { CheckpointRequest } from './checkpoint-worker.ts';

/** The main thread's end of the checkpoint worker. */
export interface Checkpointer {
  /** Says that something was committed; a checkpoint follows soon. */
  committed(): void;
  /** Empties the log for good; false when a reader held it open. */
  truncate(): Promise<boolean>;
  close(): Promise<void>;
}

const PAUSE_MS = 200;

export function startCheckpointer(path: string): Checkpointer {
  // The worker sits beside this file, as source in development and as build output when installed.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./checkpoint-worker.${extension}`, import.meta.url), {
    workerData: { path },
  });
  const waiting = new Map<number, (ok: boolean) => void>();
  let number = 0;
  let dirty = false;
  let timer: NodeJS.Timeout | undefined;
  worker.unref();
  worker.on('message', (answer: { number: number; error?: string }) => {
    waiting.get(answer.number)?.(answer.error === undefined);
    waiting.delete(answer.number);
  });
  const giveUp = () => {
    for (const settle of waiting.values()) settle(false);
    waiting.clear();
  };
  worker.on('error', giveUp);
  worker.on('exit', giveUp);

  function ask(mode: CheckpointRequest['mode']): Promise<boolean> {
    number++;
    return new Promise((settle) => {
      waiting.set(number, settle);
      worker.postMessage({ number, mode } satisfies CheckpointRequest);
    });
  }

  async function checkpointSoon(): Promise<void> {
    dirty = false;
    await ask('passive');
    timer = undefined;
    if (dirty) schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(checkpointSoon, PAUSE_MS).unref();
  }

  return {
    committed() {
      dirty = true;
      schedule();
    },
    async truncate() {
      for (let attempt = 0; attempt < 5; attempt++) {
        if (await ask('truncate')) return true;
      }
      return false;
    },
    async close() {
      clearTimeout(timer);
      worker.ref();
      await ask('close');
      await worker.terminate();
    },
  };
}
