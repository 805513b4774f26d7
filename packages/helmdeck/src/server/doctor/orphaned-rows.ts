import { AppError } from '../../errors.ts';
import type { Directory } from '../../memory/crypto/directory.ts';
import { checkCanary, openDirectory } from '../../memory/crypto/directory.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import { everyNamespace, isSystem, opensNamespace } from '../../memory/crypto/namespace-record.ts';
import { type NamespaceKeys, open } from '../../memory/crypto/sealed.ts';
import { everyRow } from '../../memory/every-row.ts';
import type { NamespaceRecord, Row, Store } from '../../memory/store.ts';
import type { OnProgress, Unreadable } from '../../surfaces/cli/deps.ts';

const DELETES_AT_ONCE = 200;

export interface Survey extends Unreadable {
  totalRows: number;
  totalNamespaces: number;
}

/** Counts what the keyring does not open; changes nothing. */
export async function surveyOrphanedRows(
  store: Store,
  keyring: Keyring,
  onProgress: OnProgress,
): Promise<Survey> {
  const directory = await openDirectoryIfKeyFits(store, keyring);
  const survey: Survey = { everything: false, namespaces: 0, rows: 0, totalRows: 0, totalNamespaces: 0 };
  for await (const record of everyNamespace(store)) {
    const keys =
      directory && opensNamespace(keyring, record) ? await directory.findById(record.ns) : undefined;
    survey.totalNamespaces++;
    if (!keys) survey.namespaces++;
    for await (const row of everyRow(store, record.ns)) {
      survey.totalRows++;
      if (!keys || !opens(keys, row)) survey.rows++;
      onProgress(survey.totalRows);
    }
  }
  survey.everything = !directory && survey.totalNamespaces > 0;
  return survey;
}

/** Deletes what the keyring does not open: rows, namespaces whose key is lost, or all of it when the canary's is. */
export async function deleteOrphanedRows(
  store: Store,
  keyring: Keyring,
  onProgress: OnProgress,
): Promise<Unreadable> {
  const directory = await openDirectoryIfKeyFits(store, keyring);
  const removed: Unreadable = { everything: false, namespaces: 0, rows: 0 };
  const lost: NamespaceRecord[] = [];
  for await (const record of everyNamespace(store)) {
    const keys =
      directory && opensNamespace(keyring, record) ? await directory.findById(record.ns) : undefined;
    if (keys) removed.rows += await removeRows(store, keys);
    else lost.push(record);
    onProgress(removed.rows);
  }
  // The canary goes last: an interrupted purge of a lost key is still seen as one.
  lost.sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)));
  for (const record of lost) {
    removed.rows += await store.dropNamespace(record.ns);
    removed.namespaces++;
    onProgress(removed.rows);
  }
  removed.everything = !directory && lost.length > 0;
  return removed;
}

/** The directory, or nothing when its own key is lost: then no namespace can be found by its caller any more. */
async function openDirectoryIfKeyFits(store: Store, keyring: Keyring): Promise<Directory | undefined> {
  if ((await checkCanary(store, keyring)).state !== 'fits') return undefined;
  try {
    return await openDirectory(store, keyring, Date.now);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'directory_damaged') return undefined;
    throw thrown;
  }
}

async function removeRows(store: Store, keys: NamespaceKeys): Promise<number> {
  const damaged: Uint8Array[] = [];
  let before = 0;
  for await (const row of everyRow(store, keys.ns)) {
    before++;
    if (!opens(keys, row)) damaged.push(row.id);
  }
  if (damaged.length === 0) return 0;
  for (let at = 0; at < damaged.length; at += DELETES_AT_ONCE) {
    const ids = damaged.slice(at, at + DELETES_AT_ONCE);
    await store.apply(
      keys,
      ids.map((id) => ({ type: 'delete', id })),
    );
  }
  // A row takes its history with it, so counting again is the only exact count.
  let after = 0;
  for await (const _ of everyRow(store, keys.ns)) after++;
  return before - after;
}

function opens(keys: NamespaceKeys, row: Row): boolean {
  return open(keys, row) !== undefined;
}
