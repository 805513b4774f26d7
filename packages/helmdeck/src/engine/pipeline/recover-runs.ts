import { createMemory, type MemoryParts } from '../../memory/memory.ts';
import { findRecord } from '../history/records.ts';
import { claimRun, leaveRoll, walkRoll } from './active-runs.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { hasEnded, type RunRecord } from './run-state.ts';

/** Finds runs whose process is gone and sees to them; returns how many there were. */
export async function recoverRuns(parts: MemoryParts, runs: PipelineRuns): Promise<number> {
  let found = 0;
  for await (const entry of walkRoll(parts)) {
    if (await parts.leases.isAlive(entry.processId)) continue;
    if (!(await claimRun(parts, entry, parts.leases.processId))) continue;
    const caller = await parts.directory.callerOf(Buffer.from(entry.ns, 'hex')).catch(() => undefined);
    const memory = caller && createMemory(parts, caller);
    const record = memory && (await findRecord<RunRecord>(memory, 'run', entry.runId));
    if (!record || hasEnded(record.run.status)) await leaveRoll(parts, entry.runId);
    else {
      await runs.takeOver(memory, record);
      found++;
    }
  }
  return found;
}
