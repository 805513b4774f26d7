import { groupId, open, rowId } from '../../memory/crypto/sealed.ts';
import { isLive } from '../../memory/entry.ts';
import { findEntry, type Memory, putOp, transact, walkMemory } from '../../memory/memory.ts';

/** The engine's own records of a caller: JSON under an id. */
export type RecordKind = 'job' | 'pipeline' | 'run' | 'procedure';

export interface SaveOptions {
  /** Absent: the record does not expire. */
  ttlSeconds?: number;
  /** Records of one pipeline can be listed together. */
  pipeline?: string;
  /** Only replaces an existing record: one that was erased meanwhile stays erased. */
  mustExist?: boolean;
  /** Replaces an existing record only if this is true of it. */
  onlyOver?: (before: unknown) => boolean;
}

/** Writes a record; returns whether it did. */
export async function saveRecord(
  memory: Memory,
  kind: RecordKind,
  key: string,
  value: object,
  options: SaveOptions = {},
): Promise<boolean> {
  const { ttlSeconds, pipeline, mustExist = false, onlyOver } = options;
  if (mustExist && !(await memory.directory.find(memory.caller))) return false;
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  const reservation = memory.limits.reserve(ns);
  return transact(memory, keysOf, `${ns.toString('hex')} ${kind} ${key}`, async (keys) => {
    const nowMs = memory.now();
    const id = rowId(keys, kind, key);
    const row = await memory.store.get(keys.ns, id);
    const before = row && isLive(row, nowMs) ? row : undefined;
    if (mustExist && !before) return { ops: [], result: false };
    if (before && onlyOver && !onlyOver(JSON.parse(open(keys, before)?.value ?? 'null')))
      return { ops: [], result: false };
    const group = pipeline === undefined ? null : groupId(keys, 'pipeline', pipeline);
    const content = { key, value: JSON.stringify(value) };
    const expiresMs = ttlSeconds === undefined ? null : nowMs + ttlSeconds * 1000;
    const times = { createdMs: before?.createdMs ?? nowMs, updatedMs: nowMs, expiresMs };
    const put = putOp(keys, { id, kind, group, content, ...times }, row);
    await reservation.hold(0, put.type === 'put' ? put.row.body.length : 0);
    return { ops: [put], result: true };
  }).finally(() => reservation.release());
}

export async function findRecord<T>(memory: Memory, kind: RecordKind, key: string): Promise<T | undefined> {
  const entry = await findEntry(memory, kind, key);
  return entry && (JSON.parse(entry.value) as T);
}

/** The caller's records of a kind, the last written first; only those of `pipeline` if given. */
export async function* walkRecords<T>(
  memory: Memory,
  kind: RecordKind,
  options: { pipeline?: string; beforeSeq?: number } = {},
): AsyncGenerator<{ value: T; seq: number }> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return;
  const { pipeline, beforeSeq } = options;
  const group = pipeline === undefined ? undefined : groupId(keys, 'pipeline', pipeline);
  for await (const entry of walkMemory(memory, { kinds: [kind], group, beforeSeq, newestFirst: true }))
    yield { value: JSON.parse(entry.value) as T, seq: entry.seq };
}

export async function deleteRecord(memory: Memory, kind: RecordKind, key: string): Promise<boolean> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys || !(await findEntry(memory, kind, key))) return false;
  return (await memory.store.apply(keys, [{ type: 'delete', id: rowId(keys, kind, key) }])).deleted > 0;
}
