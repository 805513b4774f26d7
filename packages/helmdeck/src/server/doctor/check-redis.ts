import { toAppError } from '../../errors.ts';
import { SYSTEM_NS, VAULT_REALM } from '../../memory/crypto/namespace-record.ts';
import { examineRedis } from '../../stores/redis/store.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import type { DatabaseSummary } from '../database-file.ts';
import { fail, ok, warn } from './check-result.ts';

export const isRedis = (address: string) => /^rediss?:/.test(address);

/** Checks that a Redis server responds, that its version is supported and how durable its writes are; reads the canaries. */
export async function checkRedis(
  name: string,
  address: string,
): Promise<{ checks: Check[]; summary?: Pick<DatabaseSummary, 'canary' | 'vaultCanary'> }> {
  try {
    const namespaces = [SYSTEM_NS, VAULT_REALM.system];
    const { version, warning, records } = await examineRedis(address, { namespaces });
    const responds = `Redis ${version} responds.`;
    const check =
      warning === undefined
        ? ok(name, `${responds} Every acknowledged write is on its disk.`)
        : warn(name, `${responds} ${warning}`, 'docs/howto/redis.md lists which writes can be lost.');
    return { checks: [check], summary: { canary: records[0], vaultCanary: records[1] } };
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return { checks: [fail(name, message, hint)] };
  }
}

/** Checks that the shared pack cache responds; its durability does not matter. */
export async function checkSharedCache(address: string | undefined): Promise<Check[]> {
  if (address === undefined) return [];
  const name = 'Pack cache';
  try {
    const { version } = await examineRedis(address, { cacheOnly: true });
    return [ok(name, `Shared: Redis ${version} responds.`)];
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return [warn(name, `${message} Packs run without the shared cache.`, hint)];
  }
}
