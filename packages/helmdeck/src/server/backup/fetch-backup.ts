import { chmodSync, copyFileSync, createReadStream, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { leftoverLogPath } from '../../stores/sqlite/leftover-append-log.ts';
import type { Config } from '../config/config.ts';
import { requireKey } from '../open-memory.ts';
import { configuredPlace } from './backup.ts';
import { openBackupPlace } from './backup-target.ts';
import { isSealedBackup, openBackup, SEALED_MAGIC_BYTES } from './sealed-backup.ts';
import { newestFirst } from './upload-backup.ts';

/** A backup that exists, wherever it is. */
export interface ChosenBackup {
  address: string;
  /** A path, when it is a file of this machine. */
  path?: string;
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/** Finds `latest` at the configured place, an s3:// address, or a file. */
export async function findBackup(config: Config, source: string): Promise<ChosenBackup> {
  if (source === 'latest' && !existsSync(source)) return latestBackup(config);
  if (source.startsWith('s3:')) {
    const name = basename(source);
    const place = await openBackupPlace(source.slice(0, -name.length - 1), config.s3Account);
    return { address: source, read: () => place.read(name) };
  }
  const path = resolve(source);
  statSync(path);
  return { address: path, path, read: async () => createReadStream(path) };
}

async function latestBackup(config: Config): Promise<ChosenBackup> {
  const place = await configuredPlace(config);
  const [newest, ...others] = newestFirst(await place.list());
  if (!newest)
    throw new AppError('not_found', `There is no backup at ${place.address}.`, {
      hint: 'Check HELMDECK_BACKUP_URL.',
    });
  const databases = new Set([newest, ...others].map(({ database }) => database));
  if (databases.size > 1)
    throw new AppError('conflict', `There are backups of ${databases.size} databases at ${place.address}.`, {
      reason: 'several_databases',
      hint: 'List them with "helmdeck backup --list" and name the one to restore.',
    });
  const address = `${place.address.replace(/\/+$/, '')}/${newest.name}`;
  return { address, read: () => place.read(newest.name) };
}

/** Brings a backup to this machine as a plain database file; the backup itself is only read. */
export async function fetchBackup(config: Config, chosen: ChosenBackup, target: string): Promise<void> {
  const { start, chunks } = await peek(await chosen.read());
  if (isSealedBackup(start)) return write(target, openBackup(chunks, requireKey(config)));
  if (chosen.path === undefined) return write(target, chunks);
  copyFileSync(chosen.path, target);
  chmodSync(target, 0o600);
  // Somebody may have copied a live database by hand, with its logs; they belong to it.
  if (existsSync(`${chosen.path}-wal`)) copyFileSync(`${chosen.path}-wal`, `${target}-wal`);
  if (existsSync(leftoverLogPath(chosen.path)))
    copyFileSync(leftoverLogPath(chosen.path), leftoverLogPath(target));
}

/** The first bytes of a stream, and the stream from its beginning. */
async function peek(stream: AsyncIterable<Uint8Array>) {
  const source = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let held = 0; held < SEALED_MAGIC_BYTES; ) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
    held += next.value.length;
  }
  const start = Buffer.concat(first);
  const chunks = async function* () {
    yield start;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  };
  return { start, chunks: chunks() };
}

async function write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}
