import { rowId } from '../../memory/crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from '../../memory/memory.ts';

/** A run that is going on, as all processes on a store know it. */
export interface ActiveRun {
  runId: string;
  /** Of its owner, in hexadecimal. */
  ns: string;
  /** Which process does it. */
  processId: string;
}

/** Longer than any run; what is left of one after that is nobody's. */
const KEEP_MS = 2 * 86_400_000;
const KIND = 'run';

/** Enters a run, or says that another process does it now. */
export async function enterRoll(parts: MemoryParts, entry: ActiveRun): Promise<void> {
  await write(parts, entry.runId, () => entry);
}

/** Takes a run over from a process that is gone; false when another process was faster or it has ended. */
export function claimRun(parts: MemoryParts, entry: ActiveRun, processId: string): Promise<boolean> {
  return write(parts, entry.runId, (now) =>
    now?.processId === entry.processId ? { ...now, processId } : undefined,
  );
}

export async function leaveRoll(parts: MemoryParts, runId: string): Promise<void> {
  const { system } = parts.directory;
  await parts.store.apply(system, [{ type: 'delete', id: rowId(system, KIND, runId) }]);
}

/** Every run that is going on, or was cut off. */
export async function* walkRoll(parts: MemoryParts): AsyncGenerator<ActiveRun> {
  for await (const { value } of walkEntries(parts, parts.directory.system, { kinds: [KIND] }))
    yield JSON.parse(value) as ActiveRun;
}

function write(
  parts: MemoryParts,
  runId: string,
  change: (now: ActiveRun | undefined) => ActiveRun | undefined,
): Promise<boolean> {
  const { system } = parts.directory;
  return transact(
    parts,
    async () => system,
    `roll ${runId}`,
    async (keys) => {
      const id = rowId(keys, KIND, runId);
      const before = await readEntry(parts, keys, id);
      const next = change(before && (JSON.parse(before.value) as ActiveRun));
      if (!next) return { ops: [], result: false };
      const nowMs = parts.now();
      const times = { createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs, expiresMs: nowMs + KEEP_MS };
      const content = { key: runId, value: JSON.stringify(next) };
      return { ops: [putOp(keys, { id, kind: KIND, group: null, content, ...times }, before)], result: true };
    },
  );
}
