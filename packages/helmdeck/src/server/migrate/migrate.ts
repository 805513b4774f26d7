import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Store } from '../../memory/store.ts';
import { openStore } from '../../stores/open.ts';
import type { MigrationReport, OnProgress } from '../../surfaces/cli/deps.ts';
import { withoutCredentials } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';
import { copyStore } from './copy-store.ts';

/** `helmdeck migrate`: copies a database to another back-end. Rows stay sealed: no key is needed, and the same key opens the copy. */
export async function migrateDatabase(
  addresses: { from: string; to: string },
  onProgress: OnProgress,
  onInterrupt: (undo: () => unknown) => () => void,
): Promise<MigrationReport> {
  const { from, to } = addresses;
  assertMigratable(from, to);
  const now = Date.now;
  const source = await openDatabase(from, 'source');
  const open: Store[] = [source];
  // An interruption keeps the rows that were copied: the next run resumes.
  const close = () => Promise.all(open.map((store) => store.close()));
  const unregister = onInterrupt(close);
  try {
    const destination = await openDatabase(to, 'destination');
    open.push(destination);
    const report = await copyStore(source, destination, { now, onProgress });
    return { from: withoutCredentials(from), to: withoutCredentials(to), ...report };
  } finally {
    unregister();
    await close();
  }
}

function assertMigratable(from: string, to: string): void {
  for (const address of [from, to]) {
    if (!address.startsWith('memory:')) continue;
    throw new AppError(
      'invalid_input',
      'A database in RAM is lost when its process ends, so it cannot be migrated.',
      {
        reason: 'not_lasting',
        hint: 'Pass a file, or the address of a database server.',
      },
    );
  }
  if (canonicalAddress(from) === canonicalAddress(to))
    throw new AppError('invalid_input', 'Source and destination are the same database.', {
      reason: 'same_database',
      hint: 'Pass another database with --to.',
    });
  if (isFile(from) && !existsSync(from))
    throw new AppError('not_found', `There is no database at ${from}.`, { hint: 'Check --from.' });
}

/** A canonical form of a database address, to recognise the same database: links resolved, without credentials and options. */
function canonicalAddress(address: string): string {
  if (isFile(address)) {
    const path = resolve(address);
    if (existsSync(path)) return realpathSync(path);
    return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
  }
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port, pathname, searchParams } = new URL(address);
  const scheme = protocol.replace('postgresql:', 'postgres:').replace('rediss:', 'redis:');
  const defaultPort = scheme === 'postgres:' ? '5432' : '6379';
  // These options separate several databases on one server.
  const separators = `${searchParams.get('schema') ?? ''} ${searchParams.get('prefix') ?? ''}`;
  return `${scheme}//${hostname.toLowerCase()}:${port || defaultPort}${pathname.replace(/\/+$/, '')} ${separators}`;
}

async function openDatabase(address: string, role: 'source' | 'destination'): Promise<Store> {
  try {
    return await openStore(address, { now: Date.now });
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.reason !== 'second_process') throw thrown;
    throw new AppError('conflict', `A running server is using the ${role}.`, {
      reason: 'second_process',
      hint: 'Stop the server first: data that it stores during the copy would be lost.',
      cause: thrown,
    });
  }
}
