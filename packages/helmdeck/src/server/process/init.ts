import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { createKeyring } from '../../memory/crypto/keyring.ts';
import type { InitReport } from '../../surfaces/cli/deps.ts';
import { type Config, type Environment, loadConfig, SECRETS_FILE } from '../config/config.ts';
import { createSecrets } from '../config/secrets-file.ts';
import { isUnderAnotherKey } from '../database-file.ts';

/** Makes the secrets that are neither in the environment nor in the secrets file. */
export async function init(env: Environment, options: { force: boolean }): Promise<InitReport> {
  const { config, effective } = loadConfig(env);
  if (!options.force) await assertKeyNotLost(config);
  const given = new Map(effective.map(({ name, from }) => [name, from]));
  const created = createSecrets(config.dataDir, (name) => given.get(name) !== 'unset');
  const after = loadConfig(env); // what was made must be accepted, too
  const kept = after.effective.filter(({ name, from }) => from === 'secrets file' && !created.includes(name));
  return { file: resolve(config.dataDir, SECRETS_FILE), created, kept: kept.map(({ name }) => name) };
}

/** A new key beside an old database would hide that the old key is what is missing. */
async function assertKeyNotLost(config: Config): Promise<void> {
  if (config.memoryKey !== undefined || !(await isUnderAnotherKey(config, createKeyring({})))) return;
  throw new AppError(
    'memory_unavailable',
    'There is a database already, and the key it was written with is not set.',
    {
      reason: 'wrong_key',
      hint: 'Put its HELMDECK_MEMORY_KEY back. If it is lost: "helmdeck init --force" makes a new one, then "helmdeck doctor --purge-unreadable" clears what only the old one opened.',
    },
  );
}
