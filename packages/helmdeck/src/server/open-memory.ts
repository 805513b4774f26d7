import { AppError, toAppError } from '../errors.ts';
import { createAccessAudit } from '../memory/access-audit.ts';
import { createChangeFeed } from '../memory/changes.ts';
import { openDirectory } from '../memory/directory.ts';
import { createHotEntries } from '../memory/hot-entries.ts';
import { createKeyring, type Keyring, parseMasterKey } from '../memory/keyring.ts';
import { createLimits } from '../memory/limits.ts';
import type { MemoryParts } from '../memory/memory.ts';
import { createPendingWrites } from '../memory/pending-writes.ts';
import { createReadability } from '../memory/readability.ts';
import { createReceiptSigner, publishReceiptKey } from '../memory/receipts.ts';
import { createRunHistory } from '../memory/run-history.ts';
import { openTokenRegistry } from '../memory/token-registry.ts';
import type { QueueLog } from '../recall/vectors/embed-queue.ts';
import { openStore } from '../stores/open.ts';
import type { OpenMemory } from '../surfaces/rest/route.ts';
import type { Config } from './config.ts';
import { openRecall } from './open-recall.ts';

/** Memory is on, or off with the reason; a second process on the file is the one thing that stops a start. */
export type MemoryState = { on: OpenMemory } | { off: AppError };

export interface OpenMemoryOptions {
  now: () => number;
  /** Hears of trouble in the background; nobody needs to listen. */
  log?: QueueLog;
  onCommit?: (writes: number) => void;
}

/** Keys of a configuration. */
export type KeyConfig = Pick<Config, 'memoryKey' | 'memoryKeysPrevious'>;

export function keyringOf(config: KeyConfig): Keyring {
  // An ephemeral key would re-wrap everything and take it along when the process ends.
  if (config.memoryKey === undefined && config.memoryKeysPrevious.length > 0) {
    throw new AppError(
      'memory_unavailable',
      'HELMDECK_MEMORY_KEY_PREVIOUS is set, but HELMDECK_MEMORY_KEY is not.',
      {
        reason: 'key_missing',
        hint: 'Set HELMDECK_MEMORY_KEY to the new key, and HELMDECK_MEMORY_KEY_PREVIOUS to the one it replaces.',
      },
    );
  }
  return createKeyring({
    current:
      config.memoryKey === undefined ? undefined : parseMasterKey(config.memoryKey, 'HELMDECK_MEMORY_KEY'),
    previous: config.memoryKeysPrevious.map((key) => parseMasterKey(key, 'HELMDECK_MEMORY_KEY_PREVIOUS')),
  });
}

/** The keyring, where one that dies with the process would be of no use. */
export function requireKey(config: KeyConfig): Keyring {
  if (config.memoryKey !== undefined) return keyringOf(config);
  throw new AppError('memory_unavailable', 'No memory key is set, so nobody could ever open the backup.', {
    reason: 'no_key',
    hint: 'Set HELMDECK_MEMORY_KEY, or run "helmdeck init".',
  });
}

export async function openMemory(config: Config, options: OpenMemoryOptions): Promise<MemoryState> {
  if (!config.memoryOn)
    return {
      off: new AppError('memory_unavailable', 'Memory is switched off (HELMDECK_MEMORY=off).', {
        reason: 'disabled',
      }),
    };
  try {
    return { on: await open(config, options) };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.reason === 'second_process') throw error;
    if (error.code === 'memory_unavailable') return { off: error };
    return {
      off: new AppError('memory_unavailable', 'The memory store cannot be opened.', {
        reason: 'cannot_open',
        cause: thrown,
      }),
    };
  }
}

async function open(config: Config, { now, log, onCommit }: OpenMemoryOptions): Promise<OpenMemory> {
  const keyring = keyringOf(config);
  const store = await openStore(config.db, {
    now,
    onCommit,
    onWarning: (warning) => log?.warn({}, warning),
  });
  try {
    const directory = await openDirectory(store, keyring, now);
    const { writesPerSecond, quotaFacts, quotaBytes } = config;
    const limits = createLimits(store, now, { writesPerSecond, quotaFacts, quotaBytes });
    const parts: MemoryParts = {
      store,
      directory,
      limits,
      changes: createChangeFeed(),
      hot: createHotEntries(),
      pending: createPendingWrites(),
      readability: createReadability(store, now),
      belongings: [],
      now,
    };
    const signer = createReceiptSigner(keyring.receiptSeed);
    await publishReceiptKey(parts, signer);
    return {
      parts,
      signer,
      recall: openRecall(config, parts, log ?? { info() {}, warn() {} }),
      audit: createAccessAudit(parts),
      tokens: await openTokenRegistry(parts),
      history: createRunHistory(parts),
    };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}
