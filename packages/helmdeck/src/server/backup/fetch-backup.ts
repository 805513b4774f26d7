import { chmodSync, copyFileSync, createReadStream, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { leftoverLogPath } from '../../stores/sqlite/leftover-append-log.ts';
import type { Config } from '../config/config.ts';
import { requireKey } from '../open-memory.ts';
import { backupTarget } from './backup.ts';
import { openBackupTarget } from './backup-target.ts';
import { isSealedBackup, openBackup, SEALED_MAGIC_BYTES } from './sealed-backup.ts';
import { newestFirst } from './upload-backup.ts';

// The first step of a restore: finds a backup and writes it to a local file, decrypted.

/** A backup to restore: a local file or an object in S3. */
export interface FoundBackup {
  address: string;
  /** Set if it is a local file. */
  path?: string;
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/** Finds a backup: `latest` in HELMDECK_BACKUP_URL, an s3:// address, or a file. Throws if a file does not exist. */
export async function findBackup(config: Config, source: string): Promise<FoundBackup> {
  if (source === 'latest' && !existsSync(source)) return latestBackup(config);
  if (source.startsWith('s3:')) {
    const name = basename(source);
    const target = await openBackupTarget(source.slice(0, -name.length - 1), config.s3Account);
    return { address: source, read: () => target.read(name) };
  }
  const path = resolve(source);
  statSync(path); // throws if it does not exist
  return { address: path, path, read: async () => createReadStream(path) };
}

async function latestBackup(config: Config): Promise<FoundBackup> {
  const target = await backupTarget(config);
  const [newest, ...others] = newestFirst(await target.list());
  if (!newest)
    throw new AppError('not_found', `There are no backups in ${target.address}.`, {
      hint: 'Check HELMDECK_BACKUP_URL.',
    });
  const databases = new Set([newest, ...others].map(({ database }) => database));
  if (databases.size > 1)
    throw new AppError('conflict', `There are backups of ${databases.size} databases in ${target.address}.`, {
      reason: 'several_databases',
      hint: 'List them with "helmdeck backup --list" and pass the address of the one to restore.',
    });
  const address = `${target.address.replace(/\/+$/, '')}/${newest.name}`;
  return { address, read: () => target.read(newest.name) };
}

/** Downloads or copies a backup to a local database file, and decrypts it if it is sealed. */
export async function fetchBackup(config: Config, found: FoundBackup, file: string): Promise<void> {
  const { start, chunks } = await peek(await found.read());
  if (isSealedBackup(start)) return write(file, openBackup(chunks, requireKey(config)));
  if (found.path === undefined) return write(file, chunks);
  copyFileSync(found.path, file);
  chmodSync(file, 0o600);
  // A live database copied by hand has its latest commits in its log files.
  if (existsSync(`${found.path}-wal`)) copyFileSync(`${found.path}-wal`, `${file}-wal`);
  if (existsSync(leftoverLogPath(found.path)))
    copyFileSync(leftoverLogPath(found.path), leftoverLogPath(file));
}

/** The first bytes of a stream, and the stream from its beginning. */
async function peek(stream: AsyncIterable<Uint8Array>) {
  const source = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes < SEALED_MAGIC_BYTES; ) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
    bytes += next.value.length;
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
