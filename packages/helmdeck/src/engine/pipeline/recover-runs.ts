import { createMemory, type MemoryParts } from '../../memory/memory.ts';
import { walkRecords } from '../../memory/records.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { hasEnded, type RunRecord } from './run-state.ts';

/** Finds runs that an earlier process left in the middle, and says so in them; returns how many there were. */
export async function recoverRuns(parts: MemoryParts, runs: PipelineRuns): Promise<number> {
  let found = 0;
  for (const { ns, kind } of await parts.store.usage(parts.now())) {
    if (kind !== 'run') continue;
    const caller = await parts.directory.callerOf(ns).catch(() => undefined);
    if (!caller) continue;
    const memory = createMemory(parts, caller);
    for await (const { value } of walkRecords<RunRecord>(memory, 'run')) {
      if (hasEnded(value.run.status) || value.processId === runs.processId) continue;
      await runs.markInterrupted(memory, value);
      found++;
    }
  }
  return found;
}
