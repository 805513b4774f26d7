import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSafeSqlite, sqliteVersion } from '../../stores/sqlite/driver.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { byteSize } from '../../surfaces/cli/terminal/duration.ts';
import { SECRETS_FILE } from '../config/config.ts';
import { fail, ok, warn } from './check-result.ts';

// Checks of the machine: versions of Node and SQLite, data folder, disk space, secrets file.

const LOW_SPACE_BYTES = 1_000_000_000;
const CRITICAL_SPACE_BYTES = 50_000_000;
const GROUP_AND_OTHERS = 0o077;

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

/** Must match `engines` in package.json. */
function isTestedNode(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major === 22) return minor > 23 || (minor === 23 && patch >= 3);
  return major > 24 || (major === 24 && minor >= 21);
}

export function checkDataFolder(dataDir: string): Check[] {
  const name = 'Data folder';
  if (!existsSync(dataDir))
    return [
      ok(name, `${dataDir} does not exist yet; the first start creates it.`),
      checkSpace(nearestExisting(dataDir)),
    ];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail(name, `${dataDir} cannot be written.`, 'Make the user that runs Helmdeck its owner.')];
  }
  const mode = statSync(dataDir).mode & GROUP_AND_OTHERS;
  const folder =
    mode === 0
      ? ok(name, `Only you can access ${dataDir}.`)
      : warn(name, `Other users can access ${dataDir}.`, `Run: chmod 700 ${dataDir}`);
  return [folder, checkSpace(dataDir)];
}

function checkSpace(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${byteSize(free)} free.`;
  if (free < CRITICAL_SPACE_BYTES) return fail('Disk', message, 'Free some space: writes are about to fail.');
  return free < LOW_SPACE_BYTES ? warn('Disk', message, 'Free some space soon.') : ok('Disk', message);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

export function checkSecretsFile(dataDir: string): Check[] {
  const path = join(dataDir, SECRETS_FILE);
  if (!existsSync(path)) return [];
  const mode = statSync(path).mode & GROUP_AND_OTHERS;
  if (mode === 0) return [ok('Secrets file', `Only you can access ${path}.`)];
  return [fail('Secrets file', `Other users can access ${path}.`, `Run: chmod 600 ${path}`)];
}
