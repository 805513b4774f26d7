import { chmod, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const PRIVATE_MODE = 0o600;
const DEFAULT_MODE = 0o644;
const STAMP = /^\d{8}T\d{6}Z\.bak$/;

/** The text of a file; undefined if it does not exist. */
export async function readConfig(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw Object.assign(thrown as Error, { path }); // the error of a folder in its place has no path
  }
}

/** The backups of a file that `replaceConfig` made, newest first. */
export async function readBackups(path: string): Promise<string[]> {
  const target = await realpath(path).catch(() => path);
  const names = await backupsOf(target).catch(() => []);
  return Promise.all(names.reverse().map((name) => readFile(join(dirname(target), name), 'utf8')));
}

/** Replaces a file atomically; returns the path of the backup beside it. Without a text it deletes the file, which has nothing to back up. */
export async function replaceConfig(
  path: string,
  text: string | undefined,
  options: { secret: boolean; nowMs: number },
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path); // a symbolic link, for instance to a dotfiles folder, stays one
  const before = await stat(target).catch(() => undefined);
  if (text === undefined) {
    await rm(target, { force: true });
    return undefined;
  }
  const mode = options.secret ? PRIVATE_MODE : (before?.mode ?? DEFAULT_MODE) & 0o777;
  await mkdir(dirname(target), { recursive: true });
  const backup = before && (await writeBackup(target, options.nowMs));
  await writeAtomically(target, text, mode);
  return backup;
}

async function writeBackup(path: string, nowMs: number): Promise<string> {
  const earlier = await backupsOf(path);
  let stampMs = nowMs;
  while (earlier.includes(backupName(path, stampMs))) stampMs += 1_000; // two changes within one second
  const backup = join(dirname(path), backupName(path, stampMs));
  await writeAtomically(backup, await readFile(path), PRIVATE_MODE);
  // Keeps the first backup, from before Helmdeck, and this one; those in between contain old tokens.
  for (const name of earlier.slice(1)) await rm(join(dirname(path), name), { force: true });
  return backup;
}

function backupName(path: string, ms: number): string {
  return `${basename(path)}.${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.bak`;
}

/** Oldest first. Backups of other programs have different names. */
async function backupsOf(path: string): Promise<string[]> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names.filter((name) => name.startsWith(start) && STAMP.test(name.slice(start.length))).sort();
}

/** Writes to a temporary file and renames it. */
async function writeAtomically(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const file = await open(partial, 'w', PRIVATE_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(partial, mode);
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}
