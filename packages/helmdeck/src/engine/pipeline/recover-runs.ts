import { createMemory, type MemoryParts } from '../../memory/memory.ts';
import { findRecord } from '../history/records.ts';
import { claimActiveRun, unregisterActiveRun, walkActiveRuns } from './active-runs.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { hasEnded, type RunRecord } from './run-state.ts';

/** Finds runs whose process is gone and takes them over; returns how many there were. */
export async function recoverRuns(parts: MemoryParts, runs: PipelineRuns): Promise<number> {
  let recovered = 0;
  for await (const entry of walkActiveRuns(parts)) {
    if (await parts.leases.isAlive(entry.processId)) continue;
    if (!(await claimActiveRun(parts, entry, parts.leases.processId))) continue;
    const caller = await parts.directory.callerOf(Buffer.from(entry.ns, 'hex')).catch(() => undefined);
    const memory = caller && createMemory(parts, caller);
    const record = memory && (await findRecord<RunRecord>(memory, 'run', entry.runId));
    if (!record || hasEnded(record.run.status)) await unregisterActiveRun(parts, entry.runId);
    else {
      await runs.takeOver(memory, record);
      recovered++;
    }
  }
  return recovered;
}
