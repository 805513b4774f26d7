import { setTimeout as delay } from 'node:timers/promises';
import { analyse, similarity } from '../advice/conflict/conflict.ts';
import { createRunRecordMove } from '../engine/history/move-run-records.ts';
import { createRunHistory } from '../engine/history/run-history.ts';
import { AppError, toAppError } from '../errors.ts';
import { type Accounts, openAccounts } from '../identity/accounts.ts';
import { createAccessAudit } from '../memory/access-audit.ts';
import { createChangeFeed } from '../memory/changes.ts';
import { checkCanary } from '../memory/crypto/canary.ts';
import { openDirectory } from '../memory/crypto/directory.ts';
import { createKeyring, type Keyring, parseMasterKey } from '../memory/crypto/keyring.ts';
import type { ErasableResources } from '../memory/erase/erasable-resources.ts';
import { createReceiptSigner, publishReceiptKey } from '../memory/erase/receipts.ts';
import { createRecallCounts } from '../memory/facts/recall-counts.ts';
import { createTalkLimit } from '../memory/harvest/talk-limit.ts';
import { createIntegrityCheck } from '../memory/integrity-check.ts';
import { createLimits } from '../memory/limits.ts';
import type { MemoryParts } from '../memory/memory.ts';
import { followRemoteChanges } from '../memory/remote-changes.ts';
import { openSpaces, type Spaces } from '../memory/spaces/spaces.ts';
import type { Store } from '../memory/store.ts';
import { openTokenRegistry } from '../memory/token-registry.ts';
import { createToldNotes } from '../recall/prompt/told-notes.ts';
import { createRecallLog } from '../recall/recall-log.ts';
import type { QueueLog } from '../recall/vectors/embed-queue.ts';
import { createEntryCache } from '../runtime/entry-cache.ts';
import { createPendingWrites } from '../runtime/pending-writes.ts';
import { type ProcessLeases, startProcessLeases } from '../runtime/process-leases.ts';
import { openStore } from '../stores/open.ts';
import type { OpenMemory } from '../surfaces/rest/route.ts';
import type { Config } from './config/config.ts';
import { assertNoEarlierDatabase, isDatabaseFileMissing, markDatabase } from './earlier-database.ts';
import { openSharedCache } from './open-cache.ts';
import { openRecall } from './open-recall.ts';

// Opens memory: the store, its keys, and every service built on them.

/**
 * Memory is on, or off with the reason. Two errors are thrown instead, so that a supervisor restarts the process: a
 * second process on the database file, and a database server that stayed unreachable, or loaded its data, for `waitMs`.
 */
export type MemoryState = { on: OpenMemory } | { off: AppError };

export interface OpenMemoryOptions {
  now: () => number;
  /** For problems in the background. */
  log?: QueueLog;
  onCommit?: (writes: number, seconds: number) => void;
  onCall?: (seconds: number) => void;
  /** The store refuses everything until the process starts again. */
  onStopped?: (error: AppError) => void;
  /** How long to wait for a database server that is unreachable or loads its data. */
  waitMs?: number;
  /** Begin a new memory even if an earlier database was used here and is gone. */
  newMemory?: boolean;
  /** Everything an erase destroys; without it, memory opens for maintenance and cannot erase. */
  erasable?: () => ErasableResources;
}

const RETRY_INTERVAL_MS = 1_000;
const TRANSIENT_REASONS = ['unreachable', 'busy', 'ephemeral_elsewhere', 'io_error'];

/** The memory keys of the configuration. */
export type KeyConfig = Pick<Config, 'memoryKey' | 'memoryKeysPrevious'>;

/** Builds the keyring of the memory keys; without a configured key, with an ephemeral one. */
export function keyringOf(config: KeyConfig): Keyring {
  // An ephemeral key would re-wrap all data keys, which would be lost when the process ends.
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

/** The keyring for a backup; throws without a configured key, because an ephemeral key could never open the backup. */
export function requireKey(config: KeyConfig): Keyring {
  if (config.memoryKey !== undefined) return keyringOf(config);
  throw new AppError('memory_unavailable', 'No memory key is set, so the backup could never be opened.', {
    reason: 'no_key',
    hint: 'Set HELMDECK_MEMORY_KEY, or run "helmdeck init".',
  });
}

/** Opens memory, or returns why it is off. */
export async function openMemory(config: Config, options: OpenMemoryOptions): Promise<MemoryState> {
  if (!config.memoryOn)
    return {
      off: new AppError('memory_unavailable', 'Memory is switched off (HELMDECK_MEMORY=off).', {
        reason: 'disabled',
      }),
    };
  try {
    return { on: await openWithRetries(config, options) };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.reason === 'second_process') throw error;
    if (['unreachable', 'busy'].includes(error.reason ?? '') && options.waitMs !== undefined) throw error;
    if (error.code === 'memory_unavailable') return { off: error };
    return {
      off: new AppError('memory_unavailable', 'The memory store cannot be opened.', {
        reason: 'cannot_open',
        cause: thrown,
      }),
    };
  }
}

/** Retries until `waitMs` is over, because a database server may start later than this process. */
async function openWithRetries(config: Config, options: OpenMemoryOptions): Promise<OpenMemory> {
  const deadlineMs = performance.now() + (options.waitMs ?? 0);
  for (let logged = false; ; logged = true) {
    try {
      return await open(config, options);
    } catch (thrown) {
      const { reason, message } = toAppError(thrown);
      if (!TRANSIENT_REASONS.includes(reason ?? '') || performance.now() > deadlineMs) throw thrown;
      if (!logged) options.log?.warn({ reason }, `${message} Retrying.`);
      await delay(RETRY_INTERVAL_MS);
    }
  }
}

async function open(config: Config, options: OpenMemoryOptions): Promise<OpenMemory> {
  const { now, log, onCommit, onCall, onStopped, erasable = cannotErase } = options;
  const keyring = keyringOf(config);
  let leases: ProcessLeases | undefined;
  if (!options.newMemory && isDatabaseFileMissing(config)) assertNoEarlierDatabase(config);
  const store = await openStore(config.db, {
    now,
    onCommit,
    onCall,
    onStopped,
    onWarning: (warning) => log?.warn({}, warning),
  });
  try {
    leases = await startProcessLeases(store);
    await assertKeyIsShared(store, keyring, leases);
    if (!options.newMemory && (await checkCanary(store, keyring)).state === 'empty')
      assertNoEarlierDatabase(config);
    const opened = await openDirectory(store, keyring, now);
    if (!keyring.ephemeral) markDatabase(config);
    const pending = createPendingWrites();
    const runMove = createRunRecordMove(
      { store, directory: opened, pending, leases, now },
      log ?? { info() {}, warn() {} },
    );
    const { directory } = runMove;
    const { writesPerSecond, quotaFacts, quotaBytes } = config;
    let accounts: Accounts | undefined; // opened below, on what has these limits
    let spaces: Spaces | undefined;
    const quotaOf = (ns: Uint8Array) => accounts?.quotaOf(ns) ?? spaces?.quotaOf(ns);
    const limits = createLimits(store, now, { writesPerSecond, quotaFacts, quotaBytes, quotaOf });
    const shared: Omit<MemoryParts, 'recallCounts'> = {
      store,
      directory,
      limits,
      changes: createChangeFeed(directory.runs.idOf),
      entryCache: createEntryCache(),
      pending,
      integrity: createIntegrityCheck(store, now),
      erasable,
      leases,
      review: config.review,
      gate: {
        mode: config.gate,
        similarityTo(text) {
          const analysed = analyse(text);
          return (other) => similarity(analysed, analyse(other, analysed));
        },
      },
      now,
    };
    const parts: MemoryParts = { ...shared, recallCounts: createRecallCounts(shared) };
    followRemoteChanges(parts);
    const signer = createReceiptSigner(keyring.receiptSeed);
    await publishReceiptKey(parts, signer);
    accounts = await openAccounts(parts);
    const { of: accountOf } = accounts;
    spaces = await openSpaces(parts, (caller) => accountOf(caller)?.groups ?? []);
    const tokens = await openTokenRegistry(parts, accounts.isDisabled);
    if (config.cacheUrl !== undefined)
      parts.cache = openSharedCache(config.cacheUrl, now, log ?? { info() {}, warn() {} });
    return {
      parts,
      signer,
      ...openRecall(config, parts, log ?? { info() {}, warn() {} }),
      audit: createAccessAudit(parts),
      tokens,
      accounts,
      spaces,
      history: createRunHistory(parts),
      recallLog: createRecallLog(parts, config.recallLog),
      toldNotes: createToldNotes(parts),
      talkLimit: createTalkLimit(),
      runMove,
    };
  } catch (thrown) {
    await leases?.stop();
    await store.close();
    throw thrown;
  }
}

function cannotErase(): never {
  throw new TypeError('memory was opened without its list of erasable resources');
}

/** Closes everything that was opened, the store last. */
export async function closeMemory({ recall, runMove, parts }: OpenMemory): Promise<void> {
  await runMove.stop();
  await recall.close();
  await parts.leases.stop();
  await parts.cache?.close();
  await parts.store.close();
}

const EPHEMERAL_LEASE = 'ephemeral key';
const YEAR_MS = 365 * 86_400_000;

/** Throws if processes share the store and one uses an ephemeral key: the others would sweep its rows as orphans. */
async function assertKeyIsShared(store: Store, keyring: Keyring, leases: ProcessLeases): Promise<void> {
  const { sharing } = store;
  if (!sharing) return;
  const holder = await sharing.leaseHolder(EPHEMERAL_LEASE);
  const isHeld = holder !== undefined && (await leases.isAlive(holder));
  const { state } = await checkCanary(store, keyring);
  if (isHeld && (keyring.ephemeral || state === 'ephemeral_orphan')) throw ephemeralElsewhere();
  if (!keyring.ephemeral) return;
  if (holder !== undefined) await sharing.releaseLease(EPHEMERAL_LEASE, holder);
  if (!(await sharing.acquireLease(EPHEMERAL_LEASE, leases.processId, YEAR_MS))) throw ephemeralElsewhere();
}

function ephemeralElsewhere(): AppError {
  return new AppError('memory_unavailable', 'Another process uses this database under an ephemeral key.', {
    reason: 'ephemeral_elsewhere',
    hint: 'Set the same HELMDECK_MEMORY_KEY on every node. A killed process counts as running for 10 seconds.',
  });
}
