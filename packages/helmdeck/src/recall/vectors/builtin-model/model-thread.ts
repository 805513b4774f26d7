import type { Worker } from 'node:worker_threads';
import { installHint } from '../../../runtime/install-hint.ts';
import { startWorker } from '../../../runtime/worker.ts';
import { EmbeddingError } from '../embedder.ts';
import type { BuiltinResponse, BuiltinWorkerData } from './builtin-embedder-worker.ts';

/** A worker thread with the built-in model, started by the first text and replaced if it dies or hangs. */
export interface ModelThread {
  /** The vectors of texts, in the order in which they were passed; rejects with an `EmbeddingError`. */
  vectorsOf(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array>[];
  /** While held, it finishes the text in progress, but begins no other. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

export interface ModelThreadOptions extends BuiltinWorkerData {
  /** A thread that answers nothing for this long is replaced. */
  hangMs: number;
}

interface Task {
  text: string;
  resolve(vector: Float32Array): void;
  reject(error: EmbeddingError): void;
}

export function createModelThread({ hangMs, ...data }: ModelThreadOptions): ModelThread {
  let waiting: Task[] = [];
  /** The text that the worker has. */
  let current: Task | undefined;
  let isHeld = false;
  let worker: Worker | undefined;
  let hangTimer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Starts a worker if there is none, or the last one died. */
  function ensureWorker(): Worker {
    if (worker) return worker;
    // With an empty environment: the worker must not see the keys in it.
    const started = startWorker('builtin-embedder-worker', import.meta.url, data, {});
    started.on('message', (message: BuiltinResponse) => {
      if (started !== worker) return;
      if ('unusable' in message) return stop(unusable(message.unusable, data.model));
      finish(message);
      next();
    });
    const onDeath = () => {
      if (started === worker) stop(stopped());
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    worker = started;
    return started;
  }

  function finish(message: Exclude<BuiltinResponse, { unusable: unknown }>): void {
    const task = current;
    current = undefined;
    if ('vector' in message) task?.resolve(message.vector);
    else task?.reject(new EmbeddingError('rubbish', 'The built-in model could not read a text.'));
  }

  /** Gives up the worker and fails the text it has; the others get a new one, unless the package is unusable. */
  function stop(error: EmbeddingError): void {
    const last = worker;
    worker = undefined;
    const failed = current ? [current] : [];
    current = undefined;
    if (error.kind === 'refused') failed.push(...waiting.splice(0));
    for (const task of failed) task.reject(error);
    void last?.terminate();
    next();
  }

  /** Sends the next text to the worker, and watches that it answers. */
  function next(): void {
    if (current || closed) return;
    clearTimeout(hangTimer);
    current = isHeld ? undefined : waiting.shift();
    if (!current) {
      worker?.unref(); // an idle worker must not keep the process alive
      return;
    }
    const started = ensureWorker();
    started.ref();
    started.postMessage(current.text);
    hangTimer = setTimeout(() => stop(stopped()), hangMs).unref();
  }

  return {
    vectorsOf(texts, signal) {
      if (closed || signal?.aborted) return texts.map(() => Promise.reject(cancelled()));
      const mine = new Set<Task>();
      const cancel = () => {
        waiting = waiting.filter((task) => !mine.has(task));
        for (const task of mine) task.reject(cancelled());
      };
      signal?.addEventListener('abort', cancel, { once: true });
      const vectors = texts.map(
        (text) =>
          new Promise<Float32Array>((resolve, reject) => {
            const task: Task = { text, resolve, reject };
            mine.add(task);
            waiting.push(task);
          }),
      );
      next();
      // The rest is of no use once one has failed.
      void Promise.all(vectors)
        .catch(cancel)
        .finally(() => signal?.removeEventListener('abort', cancel));
      return vectors;
    },

    hold(held) {
      isHeld = held;
      next();
    },

    async close() {
      closed = true;
      clearTimeout(hangTimer);
      const unfinished = waiting.splice(0);
      if (current) unfinished.push(current);
      current = undefined;
      for (const task of unfinished) task.reject(cancelled());
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}

const cancelled = () => new EmbeddingError('timeout', 'The embedding was cancelled.');
const stopped = () =>
  new EmbeddingError('unreachable', 'The thread of the built-in model stopped; it is restarted.');

function unusable(why: 'missing' | 'broken' | 'no_simd', model: string): EmbeddingError {
  if (why === 'no_simd')
    return new EmbeddingError(
      'refused',
      'The built-in model needs WebAssembly SIMD, which is not available.',
      {
        fix: 'Use an embeddings endpoint instead, or another processor.',
      },
    );
  const fix = installHint(model);
  return why === 'missing'
    ? new EmbeddingError('refused', 'The package of the built-in model is not installed.', {
        fix,
      })
    : new EmbeddingError('refused', 'The package of the built-in model cannot be loaded.', {
        fix,
      });
}
