import type { Worker } from 'node:worker_threads';
import { toAppError } from '../../errors.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { BackupStatus, RestLog } from '../../surfaces/rest/route.ts';
import type { Config } from '../config/config.ts';
import { readDatabaseFile, readSummary } from '../database-file.ts';
import type { BackupMetrics } from '../metrics/backup-metrics.ts';
import { openBackupTarget } from './backup-target.ts';
import { type BackupSource, removeCopy, temporaryCopyPath } from './database-copy.ts';
import { backupsOf } from './upload-backup.ts';

// Scheduled backups: makes one on a worker thread whenever it is due, and retries failed ones.

const CHECK_INTERVAL_MS = 60_000;
/** The delay before a retry, with exponential backoff: one minute, then two, four, … at most an hour. */
const MIN_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/** The workerData of backup-worker.ts. */
export interface BackupJob {
  source: BackupSource;
  url: string;
  keep: number;
  atMs: number;
}

/** The message that backup-worker.ts posts. */
export type BackupOutcome =
  | { bytes: number; rows: number; removed: number }
  | { problem: { code: string; reason: string | undefined; message: string } };

export interface BackupSchedule {
  /** Makes a backup if one is due; undefined if none was. */
  runIfDue(): Promise<BackupOutcome | undefined>;
  status(): NonNullable<BackupStatus['schedule']>;
  stop(): Promise<void>;
}

export interface BackupScheduleOptions {
  now: () => number;
  log: RestLog;
  metrics: BackupMetrics;
}

/**
 * Undefined if no backups are configured. The next one is due one interval after the newest in the target, so a restart
 * does not shift the schedule.
 */
export function startBackupSchedule(
  config: Config,
  options: BackupScheduleOptions,
): BackupSchedule | undefined {
  const { backup } = config;
  if (!backup) return undefined;
  const { now, log, metrics } = options;
  /** Null if there is none yet; undefined until the target was read. */
  let last: { atMs: number; bytes: number } | null | undefined;
  let failedMs: number | null = null;
  let retryMs = MIN_RETRY_MS;
  let notBeforeMs = 0;
  let stopping = false;
  let worker: Worker | undefined;
  metrics.scheduled(backup.everyMs);

  async function readNewest(): Promise<{ atMs: number; bytes: number } | null> {
    const identity = readDatabaseFile(config.db, readSummary).identity ?? '';
    const target = await openBackupTarget(backup!.url, config.s3Account);
    const [newest] = await backupsOf(target, identity);
    if (newest) metrics.succeeded(newest.atMs, newest.bytes);
    return newest ?? null;
  }

  async function runIfDue(): Promise<BackupOutcome | undefined> {
    if (stopping || now() < notBeforeMs) return undefined;
    const outcome = await attempt();
    if (outcome && 'problem' in outcome && !stopping) {
      failedMs = now();
      notBeforeMs = failedMs + retryMs;
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      metrics.failed();
      const { code, reason, message } = outcome.problem;
      log.error({ code, reason }, `THE BACKUP FAILED: ${message}`);
    }
    return outcome;
  }

  async function attempt(): Promise<BackupOutcome | undefined> {
    try {
      if (last === undefined) last = await readNewest();
      const atMs = now();
      if (last && atMs - last.atMs < backup!.everyMs) return undefined;
      const outcome = await runWorker(atMs);
      if ('problem' in outcome) return outcome;
      last = { atMs, bytes: outcome.bytes };
      failedMs = null;
      retryMs = MIN_RETRY_MS;
      metrics.succeeded(atMs, outcome.bytes);
      log.info({ ...outcome }, 'backup completed');
      return outcome;
    } catch (thrown) {
      const { code, reason, message, hint } = toAppError(thrown);
      return { problem: { code, reason, message: `${message} ${hint}` } };
    }
  }

  function runWorker(atMs: number): Promise<BackupOutcome> {
    const { db, memoryKey, memoryKeysPrevious, s3Account } = config;
    const source = { db, memoryKey, memoryKeysPrevious, s3Account };
    const workerData: BackupJob = { source, url: backup!.url, keep: backup!.keep, atMs };
    const started = startWorker('backup-worker', import.meta.url, workerData);
    worker = started;
    return new Promise<BackupOutcome>((resolve, reject) => {
      started.once('message', resolve);
      started.once('error', reject);
      started.once('exit', () => reject(new Error('the backup worker exited without a result')));
    });
  }

  let running: Promise<unknown> = runIfDue();
  const timer = setInterval(() => {
    running = running.then(runIfDue);
  }, CHECK_INTERVAL_MS).unref();
  return {
    runIfDue: () => {
      const result = running.then(runIfDue);
      running = result;
      return result;
    },
    status: () => ({
      address: backup.url,
      everyMs: backup.everyMs,
      keep: backup.keep,
      last: last ?? null,
      failedMs,
    }),
    async stop() {
      stopping = true;
      clearInterval(timer);
      await worker?.terminate(); // safe: a backup appears in the target complete or not at all
      await running;
      if (worker) removeCopy(temporaryCopyPath(config.db));
    },
  };
}
