import { parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '../../errors.ts';
import type { BackupJob, BackupOutcome } from './backup-schedule.ts';
import { openBackupPlace } from './backup-target.ts';
import { backupToPlace } from './upload-backup.ts';

// Copying is quick, but the check of the copy and its encryption would hold up every request on the main thread.
const { source, url, keep, atMs } = workerData as BackupJob;
let outcome: BackupOutcome;
try {
  const place = await openBackupPlace(url, source.s3Account);
  const { bytes, rows, removed } = await backupToPlace(source, place, { keep, now: () => atMs });
  outcome = { bytes, rows, removed: removed ?? 0 };
} catch (thrown) {
  const { code, reason, message, hint } = toAppError(thrown);
  const system = (thrown as NodeJS.ErrnoException).code;
  outcome = { problem: { code, reason: reason ?? system, message: `${message} ${hint}` } };
}
parentPort!.postMessage(outcome);
