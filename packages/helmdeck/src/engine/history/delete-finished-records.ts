import type { Memory } from '../../memory/memory.ts';
import type { Job } from '../jobs.ts';
import { hasEnded, type RunRecord } from '../pipeline/run-state.ts';
import { deleteRecord, walkRecords } from './records.ts';

/** Deletes the caller's pipeline runs and jobs that have ended: they contain copies of inputs and outputs. */
export async function deleteFinishedRecords(memory: Memory): Promise<void> {
  const runs: string[] = [];
  const jobs: string[] = [];
  for await (const { value } of walkRecords<RunRecord>(memory, 'run'))
    if (hasEnded(value.run.status)) runs.push(value.run.id);
  for await (const { value } of walkRecords<Job>(memory, 'job'))
    if (value.status !== 'running') jobs.push(value.job_id);
  for (const id of runs) await deleteRecord(memory, 'run', id);
  for (const id of jobs) await deleteRecord(memory, 'job', id);
}
