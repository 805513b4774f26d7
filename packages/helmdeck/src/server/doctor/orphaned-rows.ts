import { AppError } from '../../errors.ts';
import { checkCanary } from '../../memory/crypto/canary.ts';
import { type Directory, openDirectory } from '../../memory/crypto/directory.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import { everyNamespace, isSystem, MEMORY_REALM, recordKeys } from '../../memory/crypto/namespace-record.ts';
import { type NamespaceKeys, open } from '../../memory/crypto/sealed.ts';
import { everyRow } from '../../memory/every-row.ts';
import type { NamespaceRecord, Row, Store } from '../../memory/store.ts';
import type { OnProgress, OrphanedRows } from '../../surfaces/cli/deps.ts';

// Orphaned rows and namespaces: those that no key of the keyring decrypts, because the key is lost or they are damaged.

const DELETE_BATCH_ROWS = 200;

export interface OrphanSurvey extends OrphanedRows {
  totalRows: number;
  totalNamespaces: number;
}

/** Counts orphaned rows and namespaces; changes nothing. */
export async function surveyOrphanedRows(
  store: Store,
  keyring: Keyring,
  onProgress: OnProgress,
): Promise<OrphanSurvey> {
  const directory = await openDirectoryIfKeyFits(store, keyring);
  const survey: OrphanSurvey = {
    everything: false,
    namespaces: 0,
    rows: 0,
    totalRows: 0,
    totalNamespaces: 0,
  };
  for await (const record of everyNamespace(store)) {
    const keys = directory && recordKeys(keyring, record);
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

/** Deletes damaged rows and namespaces whose key is lost; everything, if the key of the canary is lost. */
export async function deleteOrphanedRows(
  store: Store,
  keyring: Keyring,
  onProgress: OnProgress,
): Promise<OrphanedRows> {
  const directory = await openDirectoryIfKeyFits(store, keyring);
  const removed: OrphanedRows = { everything: false, namespaces: 0, rows: 0 };
  const lost: NamespaceRecord[] = [];
  for await (const record of everyNamespace(store)) {
    const keys = directory && recordKeys(keyring, record);
    if (keys) removed.rows += await deleteRows(store, keys);
    else lost.push(record);
    onProgress(removed.rows);
  }
  // The canary is deleted last, so that after an interruption the key is still recognised as lost.
  lost.sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)));
  for (const record of lost) {
    removed.rows += await store.dropNamespace(record.ns);
    removed.namespaces++;
    onProgress(removed.rows);
  }
  removed.everything = !directory && lost.length > 0;
  await directory?.rotate(); // nothing needs a lost key any more, so the canary must not ask for it
  return removed;
}

/** Undefined if the key of the directory is lost: then no caller's namespace can be found. */
async function openDirectoryIfKeyFits(store: Store, keyring: Keyring): Promise<Directory | undefined> {
  const { state } = await checkCanary(store, keyring);
  if (state !== 'fits' && state !== 'rotation_unfinished') return undefined;
  try {
    return await openDirectory(store, keyring, Date.now, MEMORY_REALM, { keysMayBeLost: true });
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'directory_damaged') return undefined;
    throw thrown;
  }
}

/** Deletes the rows of a namespace that do not decrypt; returns how many are gone, with their history. */
async function deleteRows(store: Store, keys: NamespaceKeys): Promise<number> {
  const damaged: Uint8Array[] = [];
  let before = 0;
  for await (const row of everyRow(store, keys.ns)) {
    before++;
    if (!opens(keys, row)) damaged.push(row.id);
  }
  if (damaged.length === 0) return 0;
  for (let at = 0; at < damaged.length; at += DELETE_BATCH_ROWS) {
    const ids = damaged.slice(at, at + DELETE_BATCH_ROWS);
    await store.apply(
      keys,
      ids.map((id) => ({ type: 'delete', id })),
    );
  }
  // Deleting a row also deletes its history, so only a second count is exact.
  let after = 0;
  for await (const _ of everyRow(store, keys.ns)) after++;
  return before - after;
}

function opens(keys: NamespaceKeys, row: Row): boolean {
  return open(keys, row) !== undefined;
}
