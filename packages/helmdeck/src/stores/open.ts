import { AppError } from '../errors.ts';
import type { RowReads, Store } from '../memory/store.ts';

export interface OpenStoreOptions {
  now: () => number;
  /** Called after each commit with the number of batches in it, and how long the disk or the server took. */
  onCommit?: (writes: number, seconds: number) => void;
  /** PostgreSQL, Redis: called after each call to the server, failed ones included, with its time in the queue. */
  onCall?: (seconds: number) => void;
  /** Called with what an operator should know about the database. */
  onWarning?: (warning: string) => void;
  /** SQLite: a sync failed, and the store refuses everything from now on. The process should end and start again. */
  onStopped?: (error: AppError) => void;
}

/** Opens the database at an address. The module of a back-end is loaded only when its scheme is used. */
export async function openStore(address: string, options: OpenStoreOptions): Promise<Store> {
  const scheme = schemeOf(address);
  if (scheme === 'memory') return (await import('./in-memory/store.ts')).createInMemoryStore(options);
  if (scheme === 'postgres' || scheme === 'postgresql')
    return (await import('./postgres/store.ts')).openPostgresStore(address, options);
  if (scheme === undefined) return (await import('./sqlite/store.ts')).openSqliteStore(address, options);
  if (scheme === 'redis' || scheme === 'rediss')
    return (await import('./redis/store.ts')).openRedisStore(address, options);
  throw new AppError('memory_unavailable', `Helmdeck does not support "${scheme}:" databases.`, {
    reason: 'unknown_backend',
    hint: 'Set HELMDECK_DB to a file path, to postgres://…, redis://… or to memory:',
  });
}

/** Opens a database read-only on a second thread of a process that has it open. Not for `memory:`. */
export async function openReader(
  address: string,
  now: () => number,
): Promise<RowReads & { close(): void | Promise<void> }> {
  if (schemeOf(address) !== undefined) return openStore(address, { now });
  return (await import('./sqlite/reads.ts')).openSqliteReader(address);
}

/** `undefined` for the path of a file. */
const schemeOf = (address: string) => /^([a-z]+):/.exec(address)?.[1];
