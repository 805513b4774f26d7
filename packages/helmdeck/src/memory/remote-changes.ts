import type { Change } from './changes.ts';
import { type NamespaceKeys, open } from './crypto/sealed.ts';
import { isLive, type Kind } from './entry.ts';
import type { MemoryParts } from './memory.ts';
import type { Notice, Row } from './store.ts';

const PAGE_ROWS = 200;
const TOLD: readonly Kind[] = ['fact', 'audit.pack', 'audit.pipeline'];

/**
 * Makes what other processes on the store change known to the listeners of this one. They can tell the difference in two
 * ways: a deletion does not say which key it was, because a row that is gone has none; and when notices may have been
 * lost, everybody hears that anything may have been forgotten.
 */
export function followRemoteChanges(parts: MemoryParts): () => void {
  const { store, changes, directory, now } = parts;

  async function tell({ ns, afterSeq, seq, deleted = 0 }: Notice): Promise<void> {
    if (seq === 0) {
      directory.forgetKeys(ns);
      changes.emit(ns, { type: 'erase', atMs: now() });
      return;
    }
    if (!changes.hasListeners(ns)) return;
    if (deleted > 0) changes.emit(ns, { type: afterSeq === seq ? 'expire' : 'forget', deleted, atMs: now() });
    const keys = afterSeq < seq ? await directory.findById(ns) : undefined;
    if (keys) await tellOfRows(keys, afterSeq, seq);
  }

  async function tellOfRows(keys: NamespaceKeys, afterSeq: number, seq: number): Promise<void> {
    const page = await store.scan(keys.ns, { kinds: TOLD, afterSeq, beforeSeq: seq + 1, limit: PAGE_ROWS });
    for (const row of page) {
      const change = changeOf(row, open(keys, row), now());
      if (change) changes.emit(keys.ns, change);
    }
    if (page.length === PAGE_ROWS) await tellOfRows(keys, page.at(-1)!.seq, seq);
  }

  const tellOfAnything = () => changes.emitToAll({ type: 'forget', atMs: now() });
  const stop = store.sharing?.watch((notice) => {
    if (notice) void tell(notice).catch(tellOfAnything);
    else tellOfAnything();
  });
  return stop ?? (() => {});
}

function changeOf(row: Row, entry: ReturnType<typeof open>, nowMs: number): Change | undefined {
  if (!entry || !isLive(row, nowMs)) return undefined;
  const { key, version } = entry;
  if (row.kind === 'fact') return { type: 'store', kind: row.kind, key, version, atMs: row.updatedMs };
  return { type: 'run', kind: row.kind, key, atMs: row.updatedMs };
}
