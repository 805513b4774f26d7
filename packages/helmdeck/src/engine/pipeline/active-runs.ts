import { rowId } from '../../memory/crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from '../../memory/memory.ts';

/**
 * The registry of pipeline runs in progress, in the store, so that every process can find runs whose process is gone.
 */
export interface ActiveRun {
  runId: string;
  /** Namespace of the owner, in hexadecimal. */
  ns: string;
  /** The process that executes the run. */
  processId: string;
}

/** Longer than any run lasts: an entry this old was left behind. */
const TTL_MS = 2 * 86_400_000;
const KIND = 'run';

/** Registers a run, or moves it to another process. */
export async function registerActiveRun(parts: MemoryParts, entry: ActiveRun): Promise<void> {
  await write(parts, entry.runId, () => entry);
}

/** Takes a run over from a process that is gone; false if another process was faster or the run has ended. */
export function claimActiveRun(parts: MemoryParts, entry: ActiveRun, processId: string): Promise<boolean> {
  return write(parts, entry.runId, (current) =>
    current?.processId === entry.processId ? { ...current, processId } : undefined,
  );
}

export async function unregisterActiveRun(parts: MemoryParts, runId: string): Promise<void> {
  const { system } = parts.directory;
  await parts.store.apply(system, [{ type: 'delete', id: rowId(system, KIND, runId) }]);
}

/** Every run that is in progress or was interrupted. */
export async function* walkActiveRuns(parts: MemoryParts): AsyncGenerator<ActiveRun> {
  for await (const { value } of walkEntries(parts, parts.directory.system, { kinds: [KIND] }))
    yield JSON.parse(value) as ActiveRun;
}

function write(
  parts: MemoryParts,
  runId: string,
  change: (current: ActiveRun | undefined) => ActiveRun | undefined,
): Promise<boolean> {
  const { system } = parts.directory;
  return transact(
    parts,
    async () => system,
    `active run ${runId}`,
    async (keys) => {
      const id = rowId(keys, KIND, runId);
      const before = await readEntry(parts, keys, id);
      const next = change(before && (JSON.parse(before.value) as ActiveRun));
      if (!next) return { ops: [], result: false };
      const nowMs = parts.now();
      const times = { createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs, expiresMs: nowMs + TTL_MS };
      const content = { key: runId, value: JSON.stringify(next) };
      return { ops: [putOp(keys, { id, kind: KIND, group: null, content, ...times }, before)], result: true };
    },
  );
}
