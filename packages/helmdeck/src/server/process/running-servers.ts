import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/config.ts';
import { userFolder } from './user-folder.ts';

// Where the servers of this user run, so that a command finds them from any folder. One file per server: servers that
// start at the same time need no lock. The files hold no secret; those are in the data folder.

/** A server on this machine. */
export interface RunningServer {
  url: string;
  dataDir: string;
  pid: number;
  startedAt: string;
}

const FOLDER = 'servers';

/** Records a server; returns how to remove the record. Without a writable home there is no record: commands then find the server in its own folder only. */
export function registerServer(env: Environment, server: RunningServer): () => void {
  const home = userFolder(env);
  if (home === undefined) return () => {};
  const folder = join(home, FOLDER);
  const path = join(folder, `${server.pid}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const partial = `${path}.new`;
    const { url, dataDir, pid, startedAt } = server;
    const record = { url, data_dir: dataDir, pid, started_at: startedAt };
    writeFileSync(partial, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    renameSync(partial, path);
  } catch {
    return () => {};
  }
  return () => remove(path);
}

/** The recorded servers whose process is alive; records of the others are removed. */
export function runningServers(env: Environment): RunningServer[] {
  const home = userFolder(env);
  if (home === undefined) return [];
  const folder = join(home, FOLDER);
  const found: RunningServer[] = [];
  for (const name of namesIn(folder)) {
    if (!name.endsWith('.json')) continue;
    const server = readRecord(join(folder, name));
    if (server && isAlive(server.pid)) found.push(server);
    else remove(join(folder, name));
  }
  return found;
}

/** Whether a process exists. One that was killed may have left its port to another program, which must not receive a token. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no server has ever run
  }
}

function readRecord(path: string): RunningServer | undefined {
  try {
    const { url, data_dir, pid, started_at } = JSON.parse(readFileSync(path, 'utf8'));
    const isValid = typeof url === 'string' && typeof data_dir === 'string' && Number.isInteger(pid);
    return isValid ? { url, dataDir: data_dir, pid, startedAt: String(started_at) } : undefined;
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder that became read-only: the record is ignored as soon as the process is gone.
  }
}
