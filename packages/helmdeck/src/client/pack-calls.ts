import { type OperationCaller, pause } from './call-operation.ts';
import type { Job, Pack, PackResult } from './generated/rest.ts';
import { HelmdeckError } from './helmdeck-error.ts';

export interface PackRunOptions {
  version?: string;
  /** Do not answer from the cache. */
  noCache?: boolean;
  /** Aborting stops the run on the server too. */
  signal?: AbortSignal;
}

export interface PackCalls {
  list(): Promise<Pack[]>;
  /** Runs a pack and waits for its result, also if the server runs it as a job. */
  run(name: string, input?: Record<string, unknown>, options?: PackRunOptions): Promise<PackResult>;
}

const POLL_MS = 500;

export function packCalls(caller: OperationCaller): PackCalls {
  const { call } = caller;
  return {
    list: () => call('GET /api/v1/packs', {}),
    async run(name, input = {}, { version, noCache, signal } = {}) {
      const options = { body: input, headers: noCache ? { 'cache-control': 'no-cache' } : undefined, signal };
      const answer =
        version === undefined
          ? await call('POST /api/v1/packs/{name}', { path: { name }, ...options })
          : await call('POST /api/v1/packs/{name}/{version}', { path: { name, version }, ...options });
      return 'job_id' in answer ? resultOf(caller, answer, signal) : answer;
    },
  };
}

/** Waits for the end of a job; cancels it if the caller stops waiting. */
async function resultOf({ call }: OperationCaller, started: Job, signal?: AbortSignal): Promise<PackResult> {
  const path = { job: started.job_id };
  let job = started;
  try {
    while (job.status === 'running') {
      await pause(POLL_MS, signal);
      job = await call('GET /api/v1/jobs/{job}', { path, signal });
    }
  } catch (thrown) {
    if (signal?.aborted) await call('DELETE /api/v1/jobs/{job}', { path }).catch(() => {});
    throw thrown;
  }
  if (job.result) return job.result;
  const { error } = job;
  throw new HelmdeckError(200, error ?? { error: 'handler_failed', message: `The job was ${job.status}.` });
}
