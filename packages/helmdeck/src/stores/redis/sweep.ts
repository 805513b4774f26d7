import { KINDS } from '../../memory/entry.ts';
import { type SweptRow, TOMBSTONE_MS } from '../../memory/store.ts';
import type { RedisDriver } from './driver.ts';
import { bucketOf, eachBucket, type RedisKeys } from './keys.ts';
import { unpackRow } from './rows.ts';
import { scripts } from './scripts.ts';

const CHUNK_ROWS = '500';
const times = (nowMs: number) => [String(nowMs), String(nowMs - TOMBSTONE_MS)];

/** Tidying up: what expired, what was erased, tombstones that are too old. */
export function redisSweep(driver: RedisDriver, keys: RedisKeys) {
  /** In chunks, so that others are served in between; may run beside itself. */
  async function removeDropped(ns: Uint8Array): Promise<void> {
    const args = [Buffer.from(ns), CHUNK_ROWS, ...KINDS];
    for (let done = 0; done === 0; )
      done = await driver.run<number>(scripts.removeDropped, keys.tag(bucketOf(ns)), args);
  }

  async function sweepBucket(bucket: number, nowMs: number, limit: number): Promise<SweptRow[]> {
    const swept: SweptRow[] = [];
    for (let more = 1; more === 1; ) {
      const args = [...times(nowMs), String(limit - swept.length)];
      const [left, ...flat] = await driver.run<[number, ...Buffer[]]>(scripts.sweep, keys.tag(bucket), args);
      for (let i = 0; i < flat.length; i += 3)
        swept.push({ ...unpackRow(flat[i + 1]!, flat[i + 2]!), ns: new Uint8Array(flat[i]!) });
      more = swept.length < limit ? left : 0;
    }
    return swept;
  }

  /** Whether anything is due in a bucket, and its erased namespaces. */
  const waiting = (bucket: number, nowMs: number) =>
    driver.run<[number, ...Buffer[]]>(scripts.pendingWork, keys.tag(bucket), times(nowMs));

  return {
    removeDropped,
    async sweep(nowMs: number, limit: number): Promise<SweptRow[]> {
      const swept: SweptRow[] = [];
      const work = await eachBucket((bucket) => waiting(bucket, nowMs));
      for (const [bucket, [due, ...dropped]] of work.entries()) {
        for (const ns of dropped) await removeDropped(ns);
        // Old tombstones are pruned although there is no room for another row.
        if (due === 1)
          for (const row of await sweepBucket(bucket, nowMs, limit - swept.length)) swept.push(row);
      }
      return swept;
    },
  };
}
