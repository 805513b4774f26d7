import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openS3, type S3Account } from '../../artifacts/s3-client.ts';
import { AppError } from '../../errors.ts';
import { frames } from './sealed-backup.ts';

/** Where backups are stored: a folder, or a prefix of an S3 bucket. */
export interface BackupTarget {
  /** For display; never contains credentials. */
  address: string;
  list(): Promise<StoredBackup[]>;
  /** Atomic: after an error no backup of this name exists. */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): Promise<AsyncIterable<Uint8Array>>;
  delete(name: string): Promise<void>;
}

/** A backup in a target. */
export interface StoredBackup {
  name: string;
  bytes: number;
  /** When it was made; part of its name. */
  atMs: number;
  /** Identifies the database it was made of, also after a key rotation; part of its name. */
  database: string;
}

const NAME = /^helmdeck-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.backup$/;
/** After this time a partial file belongs to a process that was killed. */
const STALE_PARTIAL_MS = 86_400_000;
const DOWNLOAD_TIMEOUT_MS = 6 * 3_600_000;
/** S3 requires at least 5 MiB in every part but the last, and accepts 10,000 parts: 160 GB. */
const PART_BYTES = 16 * 1_048_576;

export function backupName(database: string, atMs: number): string {
  return `helmdeck-${database}-${new Date(atMs).toISOString().replaceAll(/[-:.]/g, '')}.backup`;
}

function parseName(name: string): Pick<StoredBackup, 'database' | 'atMs'> | undefined {
  const match = NAME.exec(name);
  if (!match) return undefined;
  const [, database, year, month, day, hour, minute, second, ms] = match;
  return {
    database: database!,
    atMs: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`),
  };
}

/** Parses `s3://bucket/prefix`. */
export function parseS3Address(address: string): { bucket: string; path: string } | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(address);
  return match ? { bucket: match[1]!, path: (match[2] ?? '').replace(/\/+$/, '') } : undefined;
}

export async function openBackupTarget(address: string, s3: S3Account | undefined): Promise<BackupTarget> {
  if (!address.startsWith('s3:')) return folderTarget(resolve(address));
  const parsed = parseS3Address(address);
  if (!parsed)
    throw new AppError('invalid_input', 'The backup address must look like s3://bucket/prefix.', {
      reason: 'bad_address',
    });
  if (!s3)
    throw new AppError('invalid_input', 'An s3:// address needs HELMDECK_S3_ENDPOINT and its keys.', {
      reason: 'no_s3',
      hint: 'Set HELMDECK_S3_ENDPOINT, HELMDECK_S3_ACCESS_KEY and HELMDECK_S3_SECRET_KEY.',
    });
  return s3Target(address, s3, parsed);
}

function folderTarget(folder: string): BackupTarget {
  return {
    address: folder,
    async list() {
      const names = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return [];
        throw thrown;
      });
      const found = names.map((name) => ({ name, ...parseName(name) }));
      const ours = found.filter((each): each is Omit<StoredBackup, 'bytes'> => each.database !== undefined);
      return Promise.all(
        ours.map(async (each) => ({ ...each, bytes: (await stat(join(folder, each.name))).size })),
      );
    },
    async write(name, chunks) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeStalePartials(folder);
      const path = join(folder, name);
      const partial = `${path}.partial`;
      const file = await open(partial, 'w', 0o600);
      try {
        for await (const chunk of chunks) await file.writeFile(chunk);
        await file.sync();
        await rename(partial, path);
      } catch (thrown) {
        await rm(partial, { force: true });
        throw thrown;
      } finally {
        await file.close();
      }
    },
    read: async (name) => createReadStream(join(folder, name)),
    delete: (name) => rm(join(folder, name), { force: true }),
  };
}

/** Removes partial files of processes that were killed. */
async function removeStalePartials(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.backup.partial'))) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > STALE_PARTIAL_MS) await rm(path, { force: true });
  }
}

async function s3Target(
  address: string,
  account: S3Account,
  { bucket, path }: { bucket: string; path: string },
): Promise<BackupTarget> {
  const s3 = await openS3(account, bucket);
  const prefix = path === '' ? '' : `${path}/`;
  return {
    address,
    async list() {
      const found: StoredBackup[] = [];
      for await (const { key, bytes } of s3.list(prefix)) {
        const name = key.slice(prefix.length);
        const parsed = parseName(name);
        if (parsed) found.push({ name, bytes, ...parsed });
      }
      return found;
    },
    write: (name, chunks) => s3.putParts(prefix + name, parts(chunks)),
    async read(name) {
      const response = await s3.get(prefix + name, DOWNLOAD_TIMEOUT_MS);
      if (response?.body) return response.body;
      throw new AppError('not_found', `There is no backup ${name} in ${address}.`, {
        hint: 'Check the address.',
      });
    },
    delete: (name) => s3.delete(prefix + name),
  };
}

async function* parts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of frames(chunks, PART_BYTES)) yield bytes;
}
