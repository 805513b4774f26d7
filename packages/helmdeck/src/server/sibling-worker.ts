import { Worker } from 'node:worker_threads';

/** Starts the worker of this name in this folder, as source in development and as build output when installed. */
export function startSiblingWorker(name: string, workerData: unknown): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
