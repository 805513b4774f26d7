import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { assertKeyFits } from '../../memory/crypto/canary.ts';
import { createKeyring, type Keyring, parseMasterKey } from '../../memory/crypto/keyring.ts';
import type { KeyRotationReport } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import {
  type Config,
  type Environment,
  type LoadedConfig,
  loadConfig,
  SECRETS_FILE,
} from '../config/config.ts';
import { writeSecrets } from '../config/secrets-file.ts';
import { dependsOnCurrentKeyOnly, readKeyUse } from '../key-use.ts';
import { keyringOf } from '../open-memory.ts';

// `helmdeck rotate`: changes the memory key in the secrets file of this data folder. The server re-wraps the data keys
// when it starts with the changed file.

const KEY = 'HELMDECK_MEMORY_KEY';
const PREVIOUS = 'HELMDECK_MEMORY_KEY_PREVIOUS';

/** Makes a new key and keeps the one it replaces as the previous key. */
export async function beginRotation(env: Environment): Promise<KeyRotationReport> {
  const loaded = loadConfig(env);
  const { config } = loaded;
  if (config.memoryKey === undefined)
    throw refusal('no_key', 'No memory key is set, so there is nothing to rotate.', 'Run "helmdeck init".');
  assertInSecretsFile(loaded, KEY);
  if (config.memoryKeysPrevious.length > 0)
    throw refusal(
      'rotation_under_way',
      `${PREVIOUS} is set: a rotation has begun and is not finished.`,
      'Restart the server with both keys, then run "helmdeck rotate --finish".',
    );
  const keyring = keyringOf(config);
  const { canary, unreadable } = await readKeyUse(config, keyring);
  assertKeyFits(canary, keyring);
  if (unreadable > 0)
    throw refusal(
      'unreadable',
      `The key does not open ${unreadable} of the namespaces in the database.`,
      'Run "helmdeck doctor", and rotate when it finds no problem with the key.',
    );
  const next = randomBytes(32).toString('hex');
  writeSecrets(config.dataDir, { [KEY]: next, [PREVIOUS]: config.memoryKey });
  return {
    file: secretsFile(config),
    key_id: idOf(createKeyring({ current: parseMasterKey(next, KEY) })),
    previous_key_ids: [idOf(keyring)],
    finished: false,
  };
}

/** Removes the previous keys, if nothing in the database depends on them. */
export async function finishRotation(env: Environment): Promise<KeyRotationReport> {
  const loaded = loadConfig(env);
  const { config } = loaded;
  if (config.memoryKeysPrevious.length === 0)
    throw refusal(
      'no_rotation',
      `${PREVIOUS} is not set: no rotation is under way.`,
      'Begin with "helmdeck rotate".',
    );
  assertInSecretsFile(loaded, PREVIOUS);
  const keyring = keyringOf(config);
  const use = await readKeyUse(config, keyring);
  assertKeyFits(use.canary, keyring);
  if (!dependsOnCurrentKeyOnly(use, keyring)) {
    const count = use.unreadable + use.outdated;
    throw refusal(
      'rotation_unfinished',
      count > 0
        ? `Not under the new key yet: ${count} of ${counted(use.namespaces, 'namespace')}.`
        : 'The server has not rotated the database to the new key yet.',
      use.unreadable > 0
        ? 'Run "helmdeck doctor": no configured key opens some of them. Nothing was changed.'
        : 'Restart the server with both keys, wait a moment and run this again. Nothing was changed.',
    );
  }
  const previous = config.memoryKeysPrevious.map((key) =>
    createKeyring({ current: parseMasterKey(key, PREVIOUS) }),
  );
  writeSecrets(config.dataDir, { [PREVIOUS]: undefined });
  return {
    file: secretsFile(config),
    key_id: idOf(keyring),
    previous_key_ids: previous.map(idOf),
    finished: true,
  };
}

/** Throws unless the secrets file decides the value: a change there would otherwise have no effect. */
function assertInSecretsFile({ config, effective }: LoadedConfig, name: string): void {
  const from = effective.find((setting) => setting.name === name)?.from;
  if (from === 'secrets file') return;
  throw refusal(
    'key_elsewhere',
    `${name} comes from ${from === 'file' ? 'a file of its own' : `the ${from}`}, not from ${secretsFile(config)}.`,
    'Change it where it is set, by the steps in docs/howto/rotate-the-key.md. Nothing was changed.',
  );
}

const secretsFile = (config: Config) => resolve(config.dataDir, SECRETS_FILE);
const idOf = (keyring: Keyring) => keyring.currentId.toString('hex');

function refusal(reason: string, message: string, hint: string): AppError {
  return new AppError('conflict', message, { reason, hint });
}
