import { type NamespaceKeys, open } from '../../crypto/sealed.ts';
import type { Entry } from '../../entry.ts';
import type { Memory } from '../../memory.ts';
import type { Op, Row } from '../../store.ts';
import { FACT_POLICY } from '../validate-fact.ts';
import { valueAtMs, versionPut, versionRowId } from './version-rows.ts';

// A write with `replaces` makes several facts one: the others go, and their values become versions of the one that stays.

/** The fact that stays, as it is before the write. */
export interface RemainingFact {
  key: string;
  id: Buffer;
  /** Its row, which may have expired. */
  row: Row | undefined;
  before: Entry | undefined;
}

/**
 * Deletes the replaced facts and numbers all older values by their time: at most 20 versions with the new one. The
 * deletions come first, so that the image of recall does not take the write for that of a single row.
 */
export async function joinHistories(
  memory: Memory,
  keys: NamespaceKeys,
  fact: RemainingFact,
  replaced: readonly Entry[],
): Promise<{ version: number; ops: Op[] }> {
  const { before } = fact;
  const ownRows = fact.row ? await versionRows(memory, keys, fact.id) : [];
  // Versions of an expired value are gone with it; their rows are only overwritten or deleted.
  const values = before ? [...entriesOf(keys, ownRows), before] : [];
  for (const each of replaced)
    values.push(...entriesOf(keys, await versionRows(memory, keys, each.id)), each);
  const kept = values
    .sort((a, b) => valueAtMs(a) - valueAtMs(b) || (a.version ?? 1) - (b.version ?? 1))
    .slice(1 - FACT_POLICY.maxVersions);
  const version = [before, ...replaced].reduce((sum, each) => sum + (each?.version ?? 0), 1);

  const free = new Map(ownRows.map((row) => [idText(row.id), row]));
  const puts = kept.map((old, at) => {
    const number = version - kept.length + at;
    const id = idText(versionRowId(keys, fact.key, number));
    const row = free.get(id);
    free.delete(id);
    return versionPut(keys, { fact, version: number }, old, row);
  });
  const deletes = [...replaced, ...free.values()].map(
    ({ id, rev }): Op => ({ type: 'delete', id, ifRev: rev }),
  );
  return { version, ops: [...deletes, ...puts] };
}

const idText = (id: Uint8Array) => Buffer.from(id).toString('latin1');

const versionRows = (memory: Memory, keys: NamespaceKeys, group: Buffer) =>
  memory.store.scan(keys.ns, { kinds: ['version'], group, limit: 2 * FACT_POLICY.maxVersions });

/** An unreadable version is lost with the rest of its row. */
const entriesOf = (keys: NamespaceKeys, rows: readonly Row[]) => rows.flatMap((row) => open(keys, row) ?? []);
