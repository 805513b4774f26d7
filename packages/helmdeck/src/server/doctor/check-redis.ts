import { toAppError } from '../../errors.ts';
import { SYSTEM_NS, VAULT_REALM } from '../../memory/crypto/namespace-record.ts';
import { examineRedis } from '../../stores/redis/store.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import type { DatabaseSummary } from '../database-file.ts';
import { fail, ok, warn } from './check-result.ts';

export const isRedis = (address: string) => /^rediss?:/.test(address);

/** Whether a Redis answers, is one that Helmdeck takes, how well it keeps what it acknowledged, and whose it is. */
export async function checkRedis(
  name: string,
  address: string,
): Promise<{ checks: Check[]; contents?: Pick<DatabaseSummary, 'canary' | 'vaultCanary'> }> {
  try {
    const namespaces = [SYSTEM_NS, VAULT_REALM.system];
    const { version, warning, records } = await examineRedis(address, { namespaces });
    const answers = `Redis ${version} answers.`;
    const check =
      warning === undefined
        ? ok(name, `${answers} Every acknowledged write is on its disk.`)
        : warn(name, `${answers} ${warning}`, 'See docs/howto/redis.md on what can be lost when.');
    return { checks: [check], contents: { canary: records[0], vaultCanary: records[1] } };
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return { checks: [fail(name, message, hint)] };
  }
}

/** Whether the shared cache of packs answers; what it may lose is nobody's loss. */
export async function checkSharedCache(address: string | undefined): Promise<Check[]> {
  if (address === undefined) return [];
  const name = 'Pack cache';
  try {
    const { version } = await examineRedis(address, { cacheOnly: true });
    return [ok(name, `Shared: Redis ${version} answers.`)];
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return [warn(name, `${message} Packs run without the shared cache.`, hint)];
  }
}
