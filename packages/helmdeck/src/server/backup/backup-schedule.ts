import type { Worker } from 'node:worker_threads';
import { toAppError } from '../../errors.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { RestLog } from '../../surfaces/rest/route.ts';
import type { Config } from '../config/config.ts';
import { lookInto, readContents } from '../doctor/database-file.ts';
import type { BackupMetrics } from '../metrics/backup-metrics.ts';
import { openBackupPlace } from './backup-target.ts';
import { type BackupSource, copyName, removeCopy } from './database-copy.ts';
import { backupsOf } from './upload-backup.ts';

const LOOK_EVERY_MS = 60_000;
/** After a failure it is tried again after a minute, then after two, four, … at most an hour. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;

/** What the worker is told. */
export interface BackupJob {
  source: BackupSource;
  url: string;
  keep: number;
  atMs: number;
}

/** What the worker answers. */
export type BackupOutcome =
  | { bytes: number; rows: number; removed: number }
  | { problem: { code: string; reason: string | undefined; message: string } };

export interface BackupSchedule {
  /** Makes a backup if one is due; says what came of it. */
  look(): Promise<BackupOutcome | undefined>;
  stop(): Promise<void>;
}

export interface BackupScheduleOptions {
  now: () => number;
  log: RestLog;
  metrics: BackupMetrics;
}

/** Makes backups in a thread of its own; when the next one is due is told by the newest at the place, so restarts change nothing. */
export function startBackupSchedule(
  config: Config,
  options: BackupScheduleOptions,
): BackupSchedule | undefined {
  const { backup } = config;
  if (!backup) return undefined;
  const { now, log, metrics } = options;
  let lastMs: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  let notBeforeMs = 0;
  let stopping = false;
  let worker: Worker | undefined;
  metrics.scheduled(backup.everyMs);

  async function newestMs(): Promise<number> {
    const identity = lookInto(config.db, readContents).identity ?? '';
    const place = await openBackupPlace(backup!.url, config.s3Account);
    const [newest] = await backupsOf(place, identity);
    if (newest) metrics.succeeded(newest.atMs, newest.bytes);
    return newest?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  async function look(): Promise<BackupOutcome | undefined> {
    if (stopping || now() < notBeforeMs) return undefined;
    const outcome = await attempt();
    if (outcome && 'problem' in outcome && !stopping) {
      notBeforeMs = now() + retryMs;
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      metrics.failed();
      const { code, reason, message } = outcome.problem;
      log.error({ code, reason }, `THE BACKUP FAILED: ${message}`);
    }
    return outcome;
  }

  async function attempt(): Promise<BackupOutcome | undefined> {
    try {
      lastMs ??= await newestMs();
      const atMs = now();
      if (atMs - lastMs < backup!.everyMs) return undefined;
      const outcome = await runWorker(atMs);
      if ('problem' in outcome) return outcome;
      lastMs = atMs;
      retryMs = FIRST_RETRY_MS;
      metrics.succeeded(atMs, outcome.bytes);
      log.info({ ...outcome }, 'a backup was made');
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
      started.once('exit', () => reject(new Error('the thread of the backup ended')));
    });
  }

  let running: Promise<unknown> = look();
  const timer = setInterval(() => {
    running = running.then(look);
  }, LOOK_EVERY_MS).unref();
  return {
    look: () => {
      const mine = running.then(look);
      running = mine;
      return mine;
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await worker?.terminate(); // what it began is thrown away: a backup appears whole or not at all
      await running;
      if (worker) removeCopy(copyName(config.db));
    },
  };
}
