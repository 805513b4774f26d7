import { AppError } from '../../errors.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { RestLog } from '../../surfaces/rest/route.ts';

export interface IntegrityCheck {
  /** Set once the check has found damage. */
  damage(): AppError | undefined;
}

export interface IntegrityCheckOptions {
  /** How long to leave the disk to the first requests. */
  delayMs: number;
  log: RestLog;
  closing: AbortSignal;
}

/**
 * Checks the whole database file once after the start. SQLite has no checksums of its pages: a damaged index would hide
 * facts without an error, and rows alone are authenticated when they are read.
 */
export function startIntegrityCheck(
  path: string,
  { delayMs, log, closing }: IntegrityCheckOptions,
): IntegrityCheck {
  let damage: AppError | undefined;
  const run = () => {
    const worker = startWorker('integrity-worker', import.meta.url, { path });
    const stop = () => void worker.terminate();
    worker.unref();
    worker.on('message', (found: string | undefined) => {
      if (found === undefined) return;
      log.error({ reason: 'damaged' }, 'the database file is damaged: run "helmdeck doctor"');
      damage = new AppError(
        'memory_unavailable',
        'The database file is damaged; some facts may not be found.',
        {
          reason: 'damaged',
          hint: 'Run "helmdeck export" for what can be read, then "helmdeck doctor", and restore a backup with "helmdeck restore".',
        },
      );
    });
    worker.on('error', () => log.warn({}, 'the database file could not be checked'));
    worker.on('exit', () => closing.removeEventListener('abort', stop));
    closing.addEventListener('abort', stop, { once: true });
  };
  const timer = setTimeout(run, delayMs).unref();
  closing.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return { damage: () => damage };
}
