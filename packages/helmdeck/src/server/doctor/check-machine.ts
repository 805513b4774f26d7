import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSafeSqlite, sqliteVersion } from '../../stores/sqlite/driver.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { byteSize } from '../../surfaces/cli/terminal/duration.ts';
import { SECRETS_FILE } from '../config/config.ts';
import { fail, ok, warn } from './check-result.ts';

const LITTLE_SPACE_BYTES = 1_000_000_000;
const NO_SPACE_BYTES = 50_000_000;
const OTHERS = 0o077;

export function checkRuntime(): Check[] {
  const node = process.versions.node;
  const sqlite = sqliteVersion();
  return [
    isTestedNode(node)
      ? ok('Node', `Version ${node}.`)
      : warn(
          'Node',
          `Version ${node} is not one Helmdeck is tested on.`,
          'Use Node 24.21 or later, or 22.23.3.',
        ),
    isSafeSqlite(sqlite)
      ? ok('SQLite', `Version ${sqlite}.`)
      : fail('SQLite', `Version ${sqlite} can lose data under load.`, 'Use Node 24.21 or later.'),
  ];
}

/** The same as `engines` in package.json. */
function isTestedNode(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major === 22) return minor > 23 || (minor === 23 && patch >= 3);
  return major > 24 || (major === 24 && minor >= 21);
}

export function checkDataFolder(dataDir: string): Check[] {
  const name = 'Data folder';
  if (!existsSync(dataDir))
    return [
      ok(name, `${dataDir} is not there yet; the first start makes it.`),
      checkSpace(firstExisting(dataDir)),
    ];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail(name, `${dataDir} cannot be written.`, 'Give it to the user that runs Helmdeck.')];
  }
  const mode = statSync(dataDir).mode & OTHERS;
  const folder =
    mode === 0
      ? ok(name, `${dataDir} is yours alone.`)
      : warn(name, `Others can look into ${dataDir}.`, `Run: chmod 700 ${dataDir}`);
  return [folder, checkSpace(dataDir)];
}

function checkSpace(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${byteSize(free)} free.`;
  if (free < NO_SPACE_BYTES) return fail('Disk', message, 'Free some space: writes are about to fail.');
  return free < LITTLE_SPACE_BYTES ? warn('Disk', message, 'Free some space soon.') : ok('Disk', message);
}

function firstExisting(folder: string): string {
  return existsSync(folder) ? folder : firstExisting(dirname(folder));
}

export function checkSecretsFile(dataDir: string): Check[] {
  const path = join(dataDir, SECRETS_FILE);
  if (!existsSync(path)) return [];
  const others = statSync(path).mode & OTHERS;
  if (others === 0) return [ok('Secrets file', `${path} is yours alone.`)];
  return [fail('Secrets file', `Others can read ${path}.`, `Run: chmod 600 ${path}`)];
}
