import { parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '../../errors.ts';
import type { BackupJob, BackupOutcome } from './backup-schedule.ts';
import { openBackupTarget } from './backup-target.ts';
import { uploadBackup } from './upload-backup.ts';

// Worker thread of backup-schedule.ts: on the main thread, checking and encrypting the copy would block every request.

const { source, url, keep, atMs } = workerData as BackupJob;
let outcome: BackupOutcome;
try {
  const target = await openBackupTarget(url, source.s3Account);
  const { bytes, rows, removed } = await uploadBackup(source, target, { keep, now: () => atMs });
  outcome = { bytes, rows, removed: removed ?? 0 };
} catch (thrown) {
  const { code, reason, message, hint } = toAppError(thrown);
  const errno = (thrown as NodeJS.ErrnoException).code;
  outcome = { problem: { code, reason: reason ?? errno, message: `${message} ${hint}` } };
}
parentPort!.postMessage(outcome);
