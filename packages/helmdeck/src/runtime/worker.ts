import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread from the module `name` in the caller's folder (`import.meta.url`): the TypeScript source in
 * development, the compiled file when installed.
 */
export function startWorker(
  name: string,
  callerUrl: string,
  workerData: unknown,
  env?: WorkerOptions['env'],
): Worker {
  const extension = callerUrl.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${extension}`, callerUrl), {
    workerData,
    env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
