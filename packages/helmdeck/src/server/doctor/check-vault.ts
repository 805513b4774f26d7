import { canaryOf } from '../../memory/crypto/canary.ts';
import { createKeyring, parseMasterKey } from '../../memory/crypto/keyring.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseSummary } from '../database-file.ts';
import { fail, ok, warn } from './check-result.ts';

const NAME = 'Vault';

/** Checks that the configured key opens the vault; no result if there is neither a vault nor a key. */
export async function checkVault(
  { vaultKey, vaultKeysPrevious }: Config,
  { vaultCanary }: Pick<DatabaseSummary, 'vaultCanary'>,
): Promise<Check[]> {
  if (vaultKey === undefined) {
    if (!vaultCanary) return [];
    return [warn(NAME, 'The database contains a vault, but no vault key is set.', 'Set HELMDECK_VAULT_KEY.')];
  }
  const keyring = createKeyring({
    current: parseMasterKey(vaultKey, 'HELMDECK_VAULT_KEY'),
    previous: vaultKeysPrevious.map((key) => parseMasterKey(key, 'HELMDECK_VAULT_KEY_PREVIOUS')),
  });
  const { state } = canaryOf(vaultCanary, keyring);
  if (state === 'empty') return [ok(NAME, 'The vault is empty.')];
  if (state === 'fits') return [ok(NAME, 'The configured key opens it.')];
  if (state === 'damaged')
    return [
      fail(
        NAME,
        'The key is correct, but the key record of the vault is damaged.',
        'Run "helmdeck restore" with a backup; without that record no credential can be read.',
      ),
    ];
  if (state === 'rotation_unfinished')
    return [
      fail(
        NAME,
        'The rotation of its key is not finished, and an earlier key that it needs is not set.',
        'Add that key to HELMDECK_VAULT_KEY_PREVIOUS.',
      ),
    ];
  return [fail(NAME, 'It was written under another key.', 'Set HELMDECK_VAULT_KEY to that key.')];
}
