import { toAppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import type { Config } from '../config/config.ts';
import { dependsOnCurrentKeyOnly, type KeyUse, readKeyUse } from '../key-use.ts';
import { fail, warn } from './check-result.ts';

const NAME = 'Key rotation';

/** Checks which keys the database depends on; no result while there is only one key and it opens everything. */
export async function checkRotation(
  config: Pick<Config, 'db' | 'memoryKeysPrevious'>,
  keyring: Keyring,
): Promise<Check[]> {
  let use: KeyUse;
  try {
    use = await readKeyUse(config, keyring);
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return [fail(NAME, message, hint)];
  }
  const { canary, unreadable, outdated, namespaces } = use;
  const currentId = keyring.currentId.toString('hex');
  if (canary.state !== 'fits') return []; // the check of the key reports it
  const checks: Check[] = [];
  if (unreadable > 0)
    checks.push(
      fail(
        NAME,
        `No configured key opens ${unreadable} of ${counted(namespaces, 'namespace')}.`,
        'Add every earlier key to HELMDECK_MEMORY_KEY_PREVIOUS and restart. If one is lost: "helmdeck doctor --purge-unreadable".',
      ),
    );
  if (canary.keyId !== currentId)
    checks.push(
      warn(
        NAME,
        `The database is at the key ${canary.keyId}, and HELMDECK_MEMORY_KEY is ${currentId}.`,
        'If other nodes have rotated to that key, set it as HELMDECK_MEMORY_KEY here too. Otherwise restart the server: it rotates to yours.',
      ),
    );
  if (outdated > 0 || canary.needed.length > 0)
    checks.push(
      warn(
        NAME,
        `Not finished: ${outdated} of ${counted(namespaces, 'namespace')} still under an earlier key.`,
        'Keep HELMDECK_MEMORY_KEY_PREVIOUS, run the server with both keys and check again.',
      ),
    );
  if (config.memoryKeysPrevious.length > 0 && dependsOnCurrentKeyOnly(use, keyring))
    checks.push(
      warn(
        NAME,
        'Finished: nothing in this database depends on HELMDECK_MEMORY_KEY_PREVIOUS any more.',
        'Run "helmdeck rotate --finish", or remove the variable on every node, and restart.',
      ),
    );
  return checks;
}
