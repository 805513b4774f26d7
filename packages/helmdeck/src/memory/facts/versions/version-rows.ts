import { type NamespaceKeys, rowId } from '../../crypto/sealed.ts';
import type { Entry } from '../../entry.ts';
import { putOp } from '../../memory.ts';
import type { Op } from '../../store.ts';
import { FACT_POLICY } from '../validate-fact.ts';

// Older values of a fact: rows that are children of its row, and are deleted with it.

/** The id of the row that holds an older version of a fact. */
export function versionRowId(keys: NamespaceKeys, key: string, version: number): Buffer {
  return rowId(keys, 'version', `${version}:${key}`);
}

export const valueAtMs = (entry: Entry) => entry.valueAtMs ?? entry.updatedMs;

/** The fact that a version row belongs to, and the number that the row gets. */
interface VersionPlace {
  fact: { key: string; id: Buffer };
  version: number;
}

/** Puts a value as an older version; `row` is the row that has this number now. */
export function versionPut(
  keys: NamespaceKeys,
  { fact, version }: VersionPlace,
  old: Entry,
  row: { rev: number } | undefined,
): Op {
  const { value, category, tags, project, source, trust, confirmedAtMs, confirmedBy, promotedFrom } = old;
  const atMs = valueAtMs(old);
  const content = {
    key: fact.key,
    value,
    category,
    tags,
    project,
    source,
    trust,
    version,
    valueAtMs: atMs,
    confirmedAtMs,
    confirmedBy,
    promotedFrom,
  };
  const id = versionRowId(keys, fact.key, version);
  const times = { createdMs: atMs, updatedMs: atMs, expiresMs: null };
  return putOp(keys, { id, kind: 'version', group: fact.id, content, ...times }, row);
}

/** Copies the current value to a version row and deletes the oldest one: at most 20 versions with the current one. */
export function versionOps(keys: NamespaceKeys, before: Entry): Op[] {
  const version = before.version ?? 1;
  const put = versionPut(keys, { fact: before, version }, before, undefined);
  const oldest = version + 1 - FACT_POLICY.maxVersions;
  return oldest < 1 ? [put] : [put, { type: 'delete', id: versionRowId(keys, before.key, oldest) }];
}
