import { AppError } from '../errors.ts';
import type { RowReads, Store } from '../memory/store.ts';

export interface OpenStoreOptions {
  now: () => number;
  /** Told after each commit how many writes shared it. */
  onCommit?: (writes: number) => void;
  /** Told what an operator should know about the server behind the address. */
  onWarning?: (warning: string) => void;
}

/** Opens the back-end a database address names; each is loaded only when it is asked for. */
export async function openStore(address: string, options: OpenStoreOptions): Promise<Store> {
  const scheme = schemeOf(address);
  if (scheme === 'memory') return (await import('./in-memory/store.ts')).createInMemoryStore(options);
  if (scheme === 'postgres' || scheme === 'postgresql')
    return (await import('./postgres/store.ts')).openPostgresStore(address, options);
  if (scheme === undefined) return (await import('./sqlite/store.ts')).openSqliteStore(address, options);
  if (scheme === 'redis' || scheme === 'rediss')
    return (await import('./redis/store.ts')).openRedisStore(address, options);
  throw new AppError('memory_unavailable', `There is no back-end for "${scheme}:" databases.`, {
    reason: 'unknown_backend',
    hint: 'Set HELMDECK_DB to a file path, to postgres://…, redis://… or to memory:',
  });
}

/** Opens a database a second time in the same process, on another thread that only reads it. Not for `memory:`. */
export async function openReader(
  address: string,
  now: () => number,
): Promise<RowReads & { close(): void | Promise<void> }> {
  if (schemeOf(address) !== undefined) return openStore(address, { now });
  return (await import('./sqlite/reads.ts')).openSqliteReader(address);
}

/** None for the path of a file. */
const schemeOf = (address: string) => /^([a-z]+):/.exec(address)?.[1];
