import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { DataFiles } from './data-files.ts';
import { ioError } from './driver.ts';

/** Long enough for most passing errors of a disk or of a network volume. */
const RETRY_MS = 100;
/** How long the result of reading the whole file is trusted. */
const VERDICT_MS = 10_000;

/**
 * Retries work once that failed to read the file. SQLite reports a page that the disk cannot read as damage, just like a
 * page with wrong content, so an error that stays is called damage only if the disk can read every byte of the file.
 */
export function createReadRetry(files: Pick<DataFiles, 'canRead'>) {
  let verdict: Promise<boolean> | undefined;
  let verdictAtMs = 0;

  function canRead(): Promise<boolean> {
    if (!verdict || performance.now() - verdictAtMs > VERDICT_MS) {
      verdictAtMs = performance.now();
      verdict = files.canRead();
    }
    return verdict;
  }

  return async function retryRead<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown;
    }
    await delay(RETRY_MS);
    try {
      return await work();
    } catch (thrown) {
      throw isDamage(thrown) && !(await canRead()) ? ioError(thrown) : thrown;
    }
  };
}

const isDamage = (thrown: unknown) => thrown instanceof AppError && thrown.reason === 'damaged';
const mayPass = (thrown: unknown) =>
  isDamage(thrown) || (thrown instanceof AppError && thrown.reason === 'io_error');
