import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SnapshotStore } from '../recall/image/snapshot.ts';
import type { Config } from './config/config.ts';

// Stores the snapshots of search images as files in the data folder.

/** Older files are deleted: an expired fact must not outlive its row for long, even sealed. */
const MAX_AGE_MS = 86_400_000;
const PIECE_BYTES = 1 << 20;

export const snapshotFolder = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'snapshots');

/** One file per namespace, named by its id. The bytes are sealed already. */
export function openSnapshotFiles(folder: string): SnapshotStore & { prune(): Promise<void> } {
  const fileOf = (ns: Uint8Array) => join(folder, `${Buffer.from(ns).toString('hex')}.snapshot`);
  return {
    async *read(ns) {
      const file = await open(fileOf(ns)).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code === 'ENOENT') return undefined;
        throw thrown;
      });
      try {
        const piece = Buffer.allocUnsafeSlow(file ? PIECE_BYTES : 0);
        for (let read = 1; file && read > 0; ) {
          read = (await file.read(piece)).bytesRead;
          yield piece.subarray(0, read);
        }
      } finally {
        await file?.close();
      }
    },
    async write(ns, chunks) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const unfinished = `${fileOf(ns)}.part`;
      try {
        // No fsync: a snapshot truncated by a crash does not open, and the rows are read instead.
        await pipeline(Readable.from(chunks), createWriteStream(unfinished, { mode: 0o600 }));
        await rename(unfinished, fileOf(ns));
      } catch (thrown) {
        // On a full disk a partial file only wastes space.
        await rm(unfinished, { force: true });
        throw thrown;
      }
    },
    async remove(ns) {
      await rm(fileOf(ns), { force: true });
      await rm(`${fileOf(ns)}.part`, { force: true });
    },
    /** Removes old and unfinished files. */
    async prune() {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
        if (Date.now() - mtimeMs > MAX_AGE_MS) await rm(path, { force: true });
      }
    },
  };
}
