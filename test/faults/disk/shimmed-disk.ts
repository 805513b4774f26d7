import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Compiles and controls disk-shim.c, which stands between a server process and the files of its database.

const SOURCE = fileURLToPath(new URL('./disk-shim.c', import.meta.url));
const PAGE_BYTES = 4_096;
const FILES = ['', '-wal'];

/** Compiles the shim; undefined where that is not possible, which is an error in CI. */
export function compileDiskShim(folder: string): string | undefined {
  const library = join(folder, 'disk-shim.so');
  const options = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread'];
  const compiled = process.platform === 'linux' ? spawnSync('cc', options, { encoding: 'utf8' }) : undefined;
  if (compiled?.status === 0) return library;
  if (process.env.CI === 'true')
    throw new Error(`the disk shim cannot be compiled: ${compiled?.error ?? compiled?.stderr}`);
  return undefined;
}

/** The environment of a server on a shimmed disk. `fail`: which sync of which file fails, such as `wal:7`. */
export function shimmedDisk(library: string, db: string, options: { fail?: string; seed?: number } = {}) {
  return {
    LD_PRELOAD: library,
    DISK_SHIM_DB: db,
    DISK_SHIM_FAIL: options.fail ?? '',
    DISK_SHIM_SEED: String(options.seed ?? 1),
    HELMDECK_DB: db,
  };
}

/** Leaves of the files what was synced. The server must be dead. */
export function cutPower(db: string): void {
  for (const path of FILES.map((suffix) => db + suffix)) {
    if (existsSync(`${path}.disk`)) renameSync(`${path}.disk`, path);
    rmSync(`${path}.dirty`, { force: true });
  }
  rmSync(`${db}-shm`, { force: true });
}

/** Reads every clean page from the disk again, as the kernel does once it has dropped it from its page cache. */
export function dropPageCache(db: string): void {
  for (const path of FILES.map((suffix) => db + suffix).filter((each) => existsSync(`${each}.disk`))) {
    const bytes = readFileSync(path);
    const disk = readFileSync(`${path}.disk`);
    const dirty = readFileSync(`${path}.dirty`);
    for (let page = 0; page * PAGE_BYTES < bytes.length; page++) {
      if (dirty[page]) continue;
      const end = Math.min((page + 1) * PAGE_BYTES, bytes.length);
      bytes.fill(0, page * PAGE_BYTES, end);
      bytes.set(disk.subarray(page * PAGE_BYTES, end), page * PAGE_BYTES);
    }
    writeFileSync(path, bytes);
  }
  rmSync(`${db}-shm`, { force: true });
}

/** While they fail, reads of the database end with EIO. */
export function failReads(db: string, fail: boolean): void {
  if (fail) writeFileSync(`${db}.eio`, '');
  else rmSync(`${db}.eio`, { force: true });
}

/** A copy of the database without its shim, for a look with SQLite. */
export function copyDatabase(db: string, target: string): string {
  for (const suffix of FILES) if (existsSync(db + suffix)) copyFileSync(db + suffix, target + suffix);
  return target;
}
