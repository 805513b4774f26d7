import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ConnectRecord } from '../connect-record.ts';
import { writeAtomically } from './write-atomically.ts';

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

/** Writes a file atomically; returns the path of the backup beside it. A file with a token becomes private. */
export async function replaceConfig(
  path: string,
  text: string,
  { secret, nowMs, record }: { secret: boolean; nowMs: number; record: ConnectRecord },
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path); // a symbolic link, for instance to a dotfiles folder, stays one
  const before = await stat(target).catch(() => undefined);
  const modeBefore = (before?.mode ?? DEFAULT_MODE) & 0o777;
  const mode = secret ? PRIVATE_MODE : modeBefore;
  if (before && mode !== modeBefore) record.noteMode(target, modeBefore);
  const createdFolder = await mkdir(dirname(target), { recursive: true });
  if (createdFolder !== undefined) record.noteFolders(target, createdFolder);
  const backup = before && (await writeBackup(target, nowMs));
  await writeAtomically(target, text, mode);
  return backup;
}

/** Writes a file without Helmdeck's part, or deletes it if it has no text; also undoes what was done to its mode and folders. */
export async function restoreConfig(
  path: string,
  text: string | undefined,
  { nowMs, record }: { nowMs: number; record: ConnectRecord },
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path);
  const noted = record.takeMode(target);
  if (text === undefined) {
    await rm(target, { force: true }); // it has nothing to back up
    await record.deleteEmptyFolders(target);
    return undefined;
  }
  const mode = (await stat(target)).mode & 0o777;
  const backup = await writeBackup(target, nowMs);
  // Another mode than the one that `connect` gave it is the user's.
  await writeAtomically(target, text, (mode === PRIVATE_MODE && noted) || mode);
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
