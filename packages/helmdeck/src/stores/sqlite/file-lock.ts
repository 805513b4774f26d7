import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { createPrivateFile } from './driver.ts';

/**
 * Locks `<db>.lock`, so that only one process opens the database. It is a kernel lock, taken through SQLite: it is
 * released when the process dies, however it dies.
 */
export function lockDatabase(dbPath: string): { release(): void } {
  const path = `${dbPath}.lock`;
  createPrivateFile(path);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    db.close();
    throw new AppError('memory_unavailable', 'Another Helmdeck process is using this database.', {
      reason: 'second_process',
      hint: 'Stop the other process, talk to it (HELMDECK_URL), or point HELMDECK_DB at another file.',
      cause: thrown,
    });
  }
  return { release: () => db.close() };
}
