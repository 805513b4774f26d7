import { chmod, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const OWNER_ONLY = 0o600;
const USUAL = 0o644;
const STAMP = /^\d{8}T\d{6}Z\.bak$/;

/** The text of a file; empty where there is none. */
export async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw Object.assign(thrown as Error, { path }); // a folder in its place is not named by itself
  }
}

/** Replaces a file as a whole, and keeps what was there beside it; returns where. An empty text takes the file away. */
export async function replaceConfig(
  path: string,
  text: string,
  options: { secret: boolean; nowMs: number },
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path); // a link into somebody's dotfiles stays one
  const before = await stat(target).catch(() => undefined);
  const mode = options.secret ? OWNER_ONLY : (before?.mode ?? USUAL) & 0o777;
  await mkdir(dirname(target), { recursive: true });
  const backup = before && (await keepAside(target, options.nowMs));
  if (text === '') await rm(target, { force: true });
  else await writeWhole(target, text, mode);
  return backup;
}

async function keepAside(path: string, nowMs: number): Promise<string> {
  const earlier = await backupsOf(path);
  let stampMs = nowMs;
  while (earlier.includes(backupName(path, stampMs))) stampMs += 1_000; // two changes within one second
  const backup = join(dirname(path), backupName(path, stampMs));
  await writeWhole(backup, await readFile(path), OWNER_ONLY);
  // What was there before Helmdeck came stays; of the later ones, which hold old tokens, only this.
  for (const name of earlier.slice(1)) await rm(join(dirname(path), name), { force: true });
  return backup;
}

function backupName(path: string, ms: number): string {
  return `${basename(path)}.${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.bak`;
}

/** Oldest first. Backups that others made are called differently. */
async function backupsOf(path: string): Promise<string[]> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names.filter((name) => name.startsWith(start) && STAMP.test(name.slice(start.length))).sort();
}

/** The file is the old or the new one, never half of it. */
async function writeWhole(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const file = await open(partial, 'w', OWNER_ONLY);
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
