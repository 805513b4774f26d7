import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Store } from '../../memory/store.ts';
import { openStore } from '../../stores/open.ts';
import type { MigrationReport, OnProgress } from '../../surfaces/cli/deps.ts';
import { withoutCredentials } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';
import { copyStore } from './copy-store.ts';

/** Copies a database to another back-end, sealed as it is: no key is needed, and the same key opens the copy. */
export async function migrateDatabase(
  addresses: { from: string; to: string },
  onProgress: OnProgress,
  onInterrupt: (undo: () => unknown) => () => void,
): Promise<MigrationReport> {
  const { from, to } = addresses;
  assertUsable(from, to);
  const now = Date.now;
  const source = await openEnd(from, 'source');
  const open: Store[] = [source];
  // What was copied stays: the next run goes on with it.
  const close = () => Promise.all(open.map((store) => store.close()));
  const unregister = onInterrupt(close);
  try {
    const destination = await openEnd(to, 'destination');
    open.push(destination);
    const report = await copyStore(source, destination, { now, onProgress });
    return { from: withoutCredentials(from), to: withoutCredentials(to), ...report };
  } finally {
    unregister();
    await close();
  }
}

function assertUsable(from: string, to: string): void {
  for (const address of [from, to]) {
    if (!address.startsWith('memory:')) continue;
    throw new AppError(
      'invalid_input',
      'A database in memory ends with its process: there is nothing to move.',
      {
        reason: 'not_lasting',
        hint: 'Name a file, or the address of a database server.',
      },
    );
  }
  if (placeOf(from) === placeOf(to))
    throw new AppError('invalid_input', 'Source and destination are the same database.', {
      reason: 'same_database',
      hint: 'Name another one with --to.',
    });
  if (isFile(from) && !existsSync(from))
    throw new AppError('not_found', `There is no database at ${from}.`, { hint: 'Check --from.' });
}

/** Where a database is, whatever the way it is written: without credentials and options, links followed. */
function placeOf(address: string): string {
  if (isFile(address)) {
    const path = resolve(address);
    if (existsSync(path)) return realpathSync(path);
    return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
  }
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port, pathname, searchParams } = new URL(address);
  const scheme = protocol.replace('postgresql:', 'postgres:').replace('rediss:', 'redis:');
  const usual = scheme === 'postgres:' ? '5432' : '6379';
  // What keeps several databases apart that share a server.
  const apart = `${searchParams.get('schema') ?? ''} ${searchParams.get('prefix') ?? ''}`;
  return `${scheme}//${hostname.toLowerCase()}:${port || usual}${pathname.replace(/\/+$/, '')} ${apart}`;
}

async function openEnd(address: string, end: 'source' | 'destination'): Promise<Store> {
  try {
    return await openStore(address, { now: Date.now });
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.reason !== 'second_process') throw thrown;
    throw new AppError('conflict', `A running server is using the ${end}.`, {
      reason: 'second_process',
      hint: 'Stop the server first: what it stores during the copy would be lost.',
      cause: thrown,
    });
  }
}
