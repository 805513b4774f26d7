import { toAppError } from '../errors.ts';
import { examineRedis } from '../stores/redis.ts';
import type { Check } from '../surfaces/cli/deps.ts';
import { fail, ok, warn } from './finding.ts';

export const isRedis = (address: string) => /^rediss?:/.test(address);

/** Whether a Redis answers, is one that Helmdeck takes, and how well it keeps what it acknowledged. */
export async function checkRedis(name: string, address: string): Promise<Check> {
  try {
    const { version, warning } = await examineRedis(address);
    const answers = `Redis ${version} answers.`;
    if (warning === undefined) return ok(name, `${answers} Every acknowledged write is on its disk.`);
    return warn(name, `${answers} ${warning}`, 'See docs/howto/redis.md on what can be lost when.');
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return fail(name, message, hint);
  }
}

/** Whether the shared cache of packs answers; what it may lose is nobody's loss. */
export async function checkSharedCache(address: string | undefined): Promise<Check[]> {
  if (address === undefined) return [];
  const name = 'Pack cache';
  try {
    const { version } = await examineRedis(address, true);
    return [ok(name, `Shared: Redis ${version} answers.`)];
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return [warn(name, `${message} Packs run without the shared cache.`, hint)];
  }
}
