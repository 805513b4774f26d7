import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { createKeyring } from '../../memory/crypto/keyring.ts';
import type { InitReport } from '../../surfaces/cli/deps.ts';
import { type Config, type Environment, loadConfig, SECRETS_FILE } from '../config/config.ts';
import { createSecrets } from '../config/secrets-file.ts';
import { isUnderAnotherKey } from '../database-file.ts';
import { keyringOf } from '../open-memory.ts';

/** `helmdeck init`: creates the secrets that are neither in the environment nor in the secrets file. */
export async function init(env: Environment, options: { force: boolean }): Promise<InitReport> {
  const { config, effective } = loadConfig(env);
  if (!options.force) await assertKeyNotLost(config);
  const sources = new Map(effective.map(({ name, from }) => [name, from]));
  const created = createSecrets(config.dataDir, (name) => sources.get(name) !== 'unset');
  const after = loadConfig(env); // also validates the new secrets
  const kept = after.effective.filter(({ name, from }) => from === 'secrets file' && !created.includes(name));
  return {
    file: resolve(config.dataDir, SECRETS_FILE),
    created,
    kept: kept.map(({ name }) => name),
    key_id: keyIdOf(after.config),
  };
}

function keyIdOf(config: Config): string | null {
  try {
    return keyringOf(config).currentId.toString('hex');
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'key_invalid') return null; // "helmdeck doctor" reports it
    throw thrown;
  }
}

/** Throws if a database exists whose key is not set: a new key would hide that the old one is missing. */
async function assertKeyNotLost(config: Config): Promise<void> {
  if (config.memoryKey !== undefined || !isUnderAnotherKey(config, createKeyring({}))) return;
  throw new AppError(
    'memory_unavailable',
    'A database already exists, but the key it was written with is not set.',
    {
      reason: 'wrong_key',
      hint: 'Set HELMDECK_MEMORY_KEY to that key. If it is lost: "helmdeck init --force" creates a new one, then "helmdeck doctor --purge-unreadable" deletes the data that only the old one opens.',
    },
  );
}
