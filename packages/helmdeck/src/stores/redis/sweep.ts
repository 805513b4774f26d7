import { KINDS } from '../../memory/entry.ts';
import { type SweptRow, TOMBSTONE_MS } from '../../memory/store.ts';
import type { RedisDriver } from './driver.ts';
import { bucketOf, eachBucket, type RedisKeys } from './keys.ts';
import { unpackRow } from './rows.ts';
import { scripts } from './scripts.ts';

const REMOVE_CHUNK_ROWS = '500';
/** Now, and the time up to which tombstones are pruned. */
const sweepTimes = (nowMs: number) => [String(nowMs), String(nowMs - TOMBSTONE_MS)];

/** Removes expired rows, the rows of dropped namespaces, and old tombstones. */
export function redisSweep(driver: RedisDriver, keys: RedisKeys) {
  /** Works in chunks, so that Redis serves other clients in between. Concurrent runs are harmless. */
  async function removeDropped(ns: Uint8Array): Promise<void> {
    const args = [Buffer.from(ns), REMOVE_CHUNK_ROWS, ...KINDS];
    for (let done = 0; done === 0; )
      done = await driver.run<number>(scripts.removeDropped, keys.tag(bucketOf(ns)), args);
  }

  async function sweepBucket(bucket: number, nowMs: number, limit: number): Promise<SweptRow[]> {
    const swept: SweptRow[] = [];
    for (let more = 1; more === 1; ) {
      const args = [...sweepTimes(nowMs), String(limit - swept.length)];
      const [hasMore, ...flat] = await driver.run<[number, ...Buffer[]]>(
        scripts.sweep,
        keys.tag(bucket),
        args,
      );
      for (let i = 0; i < flat.length; i += 3)
        swept.push({ ...unpackRow(flat[i + 1]!, flat[i + 2]!), ns: new Uint8Array(flat[i]!) });
      more = swept.length < limit ? hasMore : 0;
    }
    return swept;
  }

  /** Whether anything is due in a bucket (1 or 0), and its dropped namespaces. */
  const pendingWork = (bucket: number, nowMs: number) =>
    driver.run<[number, ...Buffer[]]>(scripts.pendingWork, keys.tag(bucket), sweepTimes(nowMs));

  return {
    removeDropped,
    async sweep(nowMs: number, limit: number): Promise<SweptRow[]> {
      const swept: SweptRow[] = [];
      const buckets = await eachBucket((bucket) => pendingWork(bucket, nowMs));
      for (const [bucket, [isDue, ...dropped]] of buckets.entries()) {
        for (const ns of dropped) await removeDropped(ns);
        // Also with a limit of 0: old tombstones are pruned even then.
        if (isDue === 1)
          for (const row of await sweepBucket(bucket, nowMs, limit - swept.length)) swept.push(row);
      }
      return swept;
    },
  };
}
