import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SECRETS_FILE } from './config.ts';

// Writes the secrets file in the data folder; `config.ts` reads it.

const HEADER = [
  '# Secrets of this Helmdeck server, created on its first start. Keep this file, and back it up separately from the database:',
  '# without HELMDECK_MEMORY_KEY no stored data can be read.',
];

/** Creates the secrets that are missing in `secrets.env`, which only its owner can read; returns the names of those it created. */
export function createSecrets(dataDir: string, alreadySet: (name: string) => boolean): string[] {
  const secrets: Record<string, () => string> = {
    HELMDECK_MEMORY_KEY: () => randomBytes(32).toString('hex'),
    HELMDECK_VAULT_KEY: () => randomBytes(32).toString('hex'),
    HELMDECK_JWT_SECRET: () => randomBytes(32).toString('hex'),
    HELMDECK_ADMIN_PASSWORD: () => randomBytes(12).toString('base64url'),
  };
  const missing = Object.keys(secrets).filter((name) => !alreadySet(name));
  if (missing.length > 0)
    writeSecrets(dataDir, Object.fromEntries(missing.map((name) => [name, secrets[name]!()])));
  return missing;
}

/**
 * Sets secrets, and removes those without a value. The file is replaced by a rename, and both it and its folder are
 * flushed: a crash or a power cut leaves either the old file or the new one.
 */
export function writeSecrets(dataDir: string, secrets: Readonly<Record<string, string | undefined>>): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, SECRETS_FILE);
  const others = readLines(path).filter((line) => !(nameIn(line) in secrets));
  const lines = Object.entries(secrets).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${[...others, ...lines].join('\n')}\n`, { mode: 0o600, flush: true });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
  flushFolder(dataDir);
}

/** The variable that a line of the file sets; '' for a comment. */
const nameIn = (line: string) => /^\s*(HELMDECK_[A-Z0-9_]+)=/.exec(line)?.[1] ?? '';

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return HEADER;
  }
}
