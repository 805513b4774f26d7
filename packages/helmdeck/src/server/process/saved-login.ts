import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { ServerAccess } from '../../surfaces/cli/deps.ts';
import type { Environment } from '../config/config.ts';
import { userFolder } from './user-folder.ts';

// The server and token of `helmdeck login`, in a file that only this user can read.

const FILE = 'login.json';

export function readLogin(env: Environment): ServerAccess | undefined {
  const path = pathOf(env);
  if (path === undefined) return undefined;
  try {
    const { url, token } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof url === 'string' && typeof token === 'string'
      ? { url, token, addressFrom: 'login' }
      : undefined;
  } catch {
    return undefined; // not logged in
  }
}

/** Returns the path of the file. */
export function saveLogin(env: Environment, { url, token }: { url: string; token: string }): string {
  const path = pathOf(env);
  const folder = userFolder(env);
  if (path === undefined || folder === undefined)
    throw new AppError('invalid_input', 'There is no home folder to save the login in.', {
      reason: 'no_home',
      hint: 'Set HOME, or use HELMDECK_URL and HELMDECK_TOKEN instead.',
    });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}.new`;
  writeFileSync(partial, `${JSON.stringify({ url, token })}\n`, { mode: 0o600, flush: true });
  chmodSync(partial, 0o600);
  renameSync(partial, path);
  return path;
}

export function deleteLogin(env: Environment): void {
  const path = pathOf(env);
  if (path !== undefined) rmSync(path, { force: true });
}

function pathOf(env: Environment): string | undefined {
  const folder = userFolder(env);
  return folder === undefined ? undefined : join(folder, FILE);
}
