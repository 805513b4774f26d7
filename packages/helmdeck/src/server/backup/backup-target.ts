import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openS3, type S3Account } from '../../artifacts/s3-client.ts';
import { AppError } from '../../errors.ts';
import { frames } from './sealed-backup.ts';

/** A backup as it lies in its place. */
export interface KeptBackup {
  name: string;
  bytes: number;
  /** When it was made, from its name. */
  atMs: number;
  /** Which database it is of; the same after a rotation, and different for every other database. */
  database: string;
}

/** Where backups are kept: a folder or a part of a bucket. */
export interface BackupPlace {
  /** For people; never with credentials. */
  address: string;
  list(): Promise<KeptBackup[]>;
  /** All of it or nothing. */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): Promise<AsyncIterable<Uint8Array>>;
  delete(name: string): Promise<void>;
}

const NAME = /^helmdeck-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.backup$/;
/** S3 wants at least 5 MiB in every part but the last, and takes 10,000 of them: 160 GB. */
const STALE_MS = 86_400_000;
const DOWNLOAD_MS = 6 * 3_600_000;
const PART_BYTES = 16 * 1_048_576;

export function backupName(database: string, atMs: number): string {
  return `helmdeck-${database}-${new Date(atMs).toISOString().replaceAll(/[-:.]/g, '')}.backup`;
}

function parseName(name: string): Pick<KeptBackup, 'database' | 'atMs'> | undefined {
  const match = NAME.exec(name);
  if (!match) return undefined;
  const [, database, year, month, day, hour, minute, second, ms] = match;
  return {
    database: database!,
    atMs: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`),
  };
}

/** `s3://bucket/prefix` and nothing else is S3. */
export function parseS3Address(address: string): { bucket: string; path: string } | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(address);
  return match ? { bucket: match[1]!, path: (match[2] ?? '').replace(/\/+$/, '') } : undefined;
}

export async function openBackupPlace(address: string, s3: S3Account | undefined): Promise<BackupPlace> {
  if (!address.startsWith('s3:')) return folderPlace(resolve(address));
  const parsed = parseS3Address(address);
  if (!parsed)
    throw new AppError('invalid_input', 'The address of the backup is not like s3://bucket/prefix.', {
      reason: 'bad_address',
    });
  if (!s3)
    throw new AppError('invalid_input', 'An s3:// address needs HELMDECK_S3_ENDPOINT and its keys.', {
      reason: 'no_s3',
      hint: 'Set HELMDECK_S3_ENDPOINT, HELMDECK_S3_ACCESS_KEY and HELMDECK_S3_SECRET_KEY.',
    });
  return s3Place(address, s3, parsed);
}

function folderPlace(folder: string): BackupPlace {
  return {
    address: folder,
    async list() {
      const names = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return [];
        throw thrown;
      });
      const found = names.map((name) => ({ name, ...parseName(name) }));
      const ours = found.filter((each): each is Omit<KeptBackup, 'bytes'> => each.database !== undefined);
      return Promise.all(
        ours.map(async (each) => ({ ...each, bytes: (await stat(join(folder, each.name))).size })),
      );
    },
    async write(name, chunks) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeStale(folder);
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

/** What a killed process left half written belongs to nobody. */
async function removeStale(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.backup.partial'))) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}

async function s3Place(
  address: string,
  account: S3Account,
  { bucket, path }: { bucket: string; path: string },
): Promise<BackupPlace> {
  const s3 = await openS3(account, bucket);
  const prefix = path === '' ? '' : `${path}/`;
  return {
    address,
    async list() {
      const found: KeptBackup[] = [];
      for await (const { key, bytes } of s3.list(prefix)) {
        const name = key.slice(prefix.length);
        const parsed = parseName(name);
        if (parsed) found.push({ name, bytes, ...parsed });
      }
      return found;
    },
    write: (name, chunks) => s3.putParts(prefix + name, parts(chunks)),
    async read(name) {
      const answer = await s3.get(prefix + name, DOWNLOAD_MS);
      if (answer?.body) return answer.body;
      throw new AppError('not_found', `There is no such object: ${name}.`, { hint: 'Check the address.' });
    },
    delete: (name) => s3.delete(prefix + name),
  };
}

async function* parts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of frames(chunks, PART_BYTES)) yield bytes;
}
