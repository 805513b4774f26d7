import type { Change } from './changes.ts';
import { type NamespaceKeys, open } from './crypto/sealed.ts';
import { isLive, type Kind, PROPOSAL_KINDS } from './entry.ts';
import type { MemoryParts } from './memory.ts';
import type { Notice, Row } from './store.ts';

const PAGE_ROWS = 200;
const REPORTED_KINDS: readonly Kind[] = ['fact', 'audit.pack', 'audit.pipeline', ...PROPOSAL_KINDS];

/**
 * Emits the changes that other processes make on a shared store to the listeners of this one. They differ from local
 * changes in two ways: a deletion does not name its key, because the deleted row is all that named it; and when notices
 * may have been lost, every listener gets a `forget` without a key, which means that anything may have changed.
 */
export function followRemoteChanges(parts: MemoryParts): () => void {
  const { store, changes, directory, now } = parts;

  async function report({ ns, afterSeq, seq, deleted = 0 }: Notice): Promise<void> {
    if (seq === 0) {
      directory.forgetKeys(ns);
      changes.emit(ns, { type: 'erase', atMs: now() });
      return;
    }
    const listened = changes.listenedAs(ns);
    if (!listened) return;
    if (deleted > 0)
      changes.emit(listened, { type: afterSeq === seq ? 'expire' : 'forget', deleted, atMs: now() });
    const keys = afterSeq < seq ? await directory.findById(ns) : undefined;
    if (keys) await reportRows(keys, listened, afterSeq, seq);
  }

  async function reportRows(
    keys: NamespaceKeys,
    listened: Uint8Array,
    afterSeq: number,
    seq: number,
  ): Promise<void> {
    const range = { kinds: REPORTED_KINDS, afterSeq, beforeSeq: seq + 1, limit: PAGE_ROWS };
    const page = await store.scan(keys.ns, range);
    for (const row of page) {
      const change = changeOf(row, open(keys, row), now());
      if (change) changes.emit(listened, change);
    }
    if (page.length === PAGE_ROWS) await reportRows(keys, listened, page.at(-1)!.seq, seq);
  }

  const reportLostNotices = () => changes.emitToAll({ type: 'forget', atMs: now() });
  const stop = store.sharing?.watch((notice) => {
    if (notice) void report(notice).catch(reportLostNotices);
    else reportLostNotices();
  });
  return stop ?? (() => {});
}

function changeOf(row: Row, entry: ReturnType<typeof open>, nowMs: number): Change | undefined {
  if (!entry || !isLive(row, nowMs)) return undefined;
  const { key, version } = entry;
  if (row.kind === 'fact') return { type: 'store', kind: row.kind, key, version, atMs: row.updatedMs };
  // Without its key: that is shown in the inbox only.
  if (PROPOSAL_KINDS.some((kind) => kind === row.kind)) return { type: 'proposal', atMs: row.updatedMs };
  return { type: 'run', kind: row.kind, key, atMs: row.updatedMs };
}
