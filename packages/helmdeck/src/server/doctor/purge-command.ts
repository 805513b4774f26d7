import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import type { Store } from '../../memory/store.ts';
import { openStore } from '../../stores/open.ts';
import type { OnProgress, OrphanedRows } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import type { Config } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';
import { closeMemory, keyringOf, openMemory } from '../open-memory.ts';
import { deleteOrphanedRows, surveyOrphanedRows } from './orphaned-rows.ts';

// `helmdeck doctor --purge-unreadable`: counts orphaned rows for the confirmation, then deletes them.

/** Counts the rows and namespaces that a purge would delete. */
export async function countOrphanedRows(config: Config, onProgress: OnProgress): Promise<OrphanedRows> {
  return withStore(config, async (store, keyring) => {
    const { everything, namespaces, rows } = await surveyOrphanedRows(store, keyring, onProgress);
    return { everything, namespaces, rows };
  });
}

/** Deletes all orphaned rows, then opens memory once: that creates a new canary if needed, and records the purge in the audit log. */
export async function purgeOrphanedRows(config: Config, onProgress: OnProgress): Promise<OrphanedRows> {
  const removed = await withStore(config, (store, keyring) => deleteOrphanedRows(store, keyring, onProgress));
  const state = await openMemory(config, { now: Date.now, newMemory: removed.everything });
  if ('off' in state) throw state.off;
  try {
    const detail = `${counted(removed.rows, 'row')} ${counted(removed.namespaces, 'namespace')} unreadable`;
    await state.on.audit.record({ action: 'purge', actor: config.adminUsername, detail });
  } finally {
    await closeMemory(state.on);
  }
  return removed;
}

async function withStore<T>(
  config: Config,
  work: (store: Store, keyring: Keyring) => Promise<T>,
): Promise<T> {
  if (config.memoryKey === undefined) {
    throw new AppError(
      'memory_unavailable',
      'No memory key is set, so every row would count as unreadable.',
      {
        reason: 'no_key',
        hint: 'Set HELMDECK_MEMORY_KEY, or create a new one with "helmdeck init --force", and run the command again.',
      },
    );
  }
  const keyring = keyringOf(config);
  if (isFile(config.db) && !existsSync(config.db))
    throw new AppError('not_found', 'There is no database yet.', { hint: 'Check HELMDECK_DB.' });
  const store = await openStore(config.db, { now: Date.now });
  try {
    return await work(store, keyring);
  } finally {
    await store.close();
  }
}
