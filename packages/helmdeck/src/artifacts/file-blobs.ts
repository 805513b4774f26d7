import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobName, type BlobStore, blobPath, type FoundBlob, parseBlobPath } from './blob-store.ts';

/** A temporary file this old was left behind by a crash. */
const STALE_TEMPORARY_MS = 3_600_000;
const MAX_FOLDER_ATTEMPTS = 20;

/** Stores blobs as files that only the server's user can read: one folder per namespace, one file per artifact. */
export function createFileBlobs(folder: string): BlobStore {
  const pathOf = (name: BlobName) => join(folder, blobPath(name));
  return {
    async write(name, bytes) {
      const path = pathOf(name);
      // Not a blob path, so that a half-written file is never taken for a blob after a crash.
      const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
      try {
        await writeInNewFolder(temporary, bytes);
        await rename(temporary, path);
        await unlessMissing(syncFolder(dirname(path))); // missing: a concurrent delete has removed the blob again
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
    },
    async read(name) {
      return unlessMissing(readFile(pathOf(name)));
    },
    async delete(name) {
      const path = pathOf(name);
      await rm(path, { force: true });
      await rmdir(dirname(path)).catch(() => undefined); // fails unless the folder is empty
    },
    async *list(ns) {
      const own = ns && Buffer.from(ns).toString('hex');
      const names = own === undefined ? await namesIn(folder) : [own];
      for (const each of names) yield* blobsIn(folder, each);
    },
  };
}

async function* blobsIn(folder: string, name: string): AsyncGenerator<FoundBlob> {
  for (const file of await namesIn(join(folder, name))) {
    const path = join(folder, name, file);
    const blob = parseBlobPath(`${name}/${file}`);
    const found = await unlessMissing(stat(path));
    if (blob && found) yield { ...blob, modifiedMs: found.mtimeMs };
    else if (found && file.endsWith('.new') && Date.now() - found.mtimeMs > STALE_TEMPORARY_MS)
      await rm(path, { force: true });
  }
}

/** Creates the folder, again if a concurrent `delete` of its last blob removed it before the file was in it. */
async function writeInNewFolder(path: string, bytes: Uint8Array): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return await writeDurably(path, bytes);
    } catch (thrown) {
      const isFolderGone = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isFolderGone || attempt === MAX_FOLDER_ATTEMPTS) throw thrown;
    }
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await unlessMissing(readdir(folder));
  return entries ?? [];
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
