import { setTimeout as pause } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/server';
import type { Job, Jobs } from '../../../engine/jobs.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../memory/namespace.ts';
import { JOB_SCHEMA } from './tool-schemas.ts';

const JOB_INPUT: Tool['inputSchema'] = {
  type: 'object',
  properties: { job_id: { type: 'string', description: 'As the call that started it answered' } },
  required: ['job_id'],
  additionalProperties: false,
};

/** Tools for jobs; listed if the token may run a pack that runs as a job. */
export const JOB_TOOLS: readonly Tool[] = [
  {
    name: 'job_status',
    title: 'Job status',
    description:
      'How far a job is, and its result once it has one. Waits a little for a job that still runs.',
    inputSchema: JOB_INPUT,
    outputSchema: JOB_SCHEMA,
    annotations: { title: 'Job status', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'job_cancel',
    title: 'Job cancel',
    description: 'Stop a job that still runs.',
    inputSchema: JOB_INPUT,
    outputSchema: JOB_SCHEMA,
    annotations: { title: 'Job cancel', readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
];

/** Long enough for most jobs, and shorter than the request timeout of any client. */
const WAIT_MS = 20_000;
const POLL_INTERVAL_MS = 100;

/** Waits up to `WAIT_MS` for a job to end, and reports its progress. */
export async function awaitJob(
  jobs: Jobs,
  caller: Caller,
  id: string,
  options: { signal: AbortSignal; onProgress?: (progress: { percent: number; message?: string }) => void },
): Promise<Job> {
  const endMs = performance.now() + WAIT_MS;
  let reported: Job['progress'];
  for (;;) {
    const job = await jobs.get(caller, id);
    if (job.status !== 'running' || performance.now() >= endMs || options.signal.aborted) return job;
    if (job.progress && job.progress !== reported) options.onProgress?.(job.progress);
    reported = job.progress;
    await pause(POLL_INTERVAL_MS);
  }
}

export async function callJobTool(
  jobs: Jobs,
  caller: Caller,
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Job> {
  const { job_id: id } = input;
  if (typeof id !== 'string')
    throw new AppError('invalid_input', 'job_id must be a string.', { reason: 'bad_type' });
  return name === 'job_cancel' ? jobs.cancel(caller, id) : awaitJob(jobs, caller, id, { signal });
}
