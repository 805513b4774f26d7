import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
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
  for (const name of missing) writeSecret(dataDir, name, secrets[name]!());
  return missing;
}

/** Sets one secret. The file is replaced by a rename, so a crash leaves either the old or the new one. */
export function writeSecret(dataDir: string, name: string, value: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, SECRETS_FILE);
  const others = readLines(path).filter((line) => !line.startsWith(`${name}=`));
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, `${[...others, `${name}=${value}`].join('\n')}\n`, { mode: 0o600, flush: true });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder); // makes the rename durable
  closeSync(folder);
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return HEADER;
  }
}
