import { AppError } from '../errors.ts';
import type { Store } from './store.ts';

export interface LimitOptions {
  /** `undefined` switches a limit off. */
  writesPerSecond?: number;
  quotaFacts?: number;
  quotaBytes?: number;
}

/** What one caller may write: how fast, and how much in all. */
export interface Limits {
  readonly options: LimitOptions;
  /** Takes `writes` from the caller's bucket or refuses with `rate_limited`. */
  takeWrites(ns: Uint8Array, writes: number): void;
  /** Refuses with `quota_exceeded` what would not fit any more. */
  assertRoom(ns: Uint8Array, addFacts: number, addBytes: number): Promise<void>;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Room {
  facts: number;
  bytes: number;
  atMs: number;
}

const BURST_SECONDS = 2;
const MAX_TRACKED = 10_000;
/** Counts are taken from the store this often and carried forward in between. */
const FRESH_MS = 5_000;

export function createLimits(store: Store, now: () => number, options: LimitOptions): Limits {
  const buckets = new Map<string, Bucket>();
  const rooms = new Map<string, Room>();
  const name = (ns: Uint8Array) => Buffer.from(ns.buffer, ns.byteOffset, ns.byteLength).toString('latin1');

  async function readRoom(ns: Uint8Array): Promise<Room> {
    const room = { facts: 0, bytes: 0, atMs: now() };
    for (const usage of await store.usage(now(), ns)) {
      room.bytes += usage.bytes;
      if (usage.kind === 'fact') room.facts += usage.rows;
    }
    bounded(rooms).set(name(ns), room);
    return room;
  }

  function overflow(room: Room, addFacts: number, addBytes: number): string | undefined {
    const { quotaFacts, quotaBytes } = options;
    if (addFacts > 0 && quotaFacts !== undefined && room.facts + addFacts > quotaFacts)
      return `${quotaFacts} facts`;
    if (quotaBytes !== undefined && room.bytes + addBytes > quotaBytes) return `${quotaBytes} bytes`;
    return undefined;
  }

  return {
    options,
    takeWrites(ns, writes) {
      const rate = options.writesPerSecond;
      if (rate === undefined) return;
      const burst = rate * BURST_SECONDS;
      const bucket = buckets.get(name(ns)) ?? { tokens: burst, atMs: now() };
      bucket.tokens = Math.min(burst, bucket.tokens + ((now() - bucket.atMs) / 1000) * rate);
      bucket.atMs = now();
      bounded(buckets).set(name(ns), bucket);
      // A batch larger than the whole burst passes when the bucket is full, and is paid off afterwards.
      if (bucket.tokens < Math.min(writes, burst)) {
        const retryAfterSeconds = Math.max(1, Math.ceil((Math.min(writes, burst) - bucket.tokens) / rate));
        throw new AppError('rate_limited', `More than ${rate} writes a second.`, { retryAfterSeconds });
      }
      bucket.tokens -= writes;
    },
    async assertRoom(ns, addFacts, addBytes) {
      if (options.quotaFacts === undefined && options.quotaBytes === undefined) return;
      const known = rooms.get(name(ns));
      let room = known && now() - known.atMs < FRESH_MS ? known : await readRoom(ns);
      // Expired rows may just have made room: look again before refusing.
      if (overflow(room, addFacts, addBytes)) room = await readRoom(ns);
      const full = overflow(room, addFacts, addBytes);
      if (full)
        throw new AppError('quota_exceeded', `This memory is full: its quota is ${full}.`, {
          retryAfterSeconds: 60,
        });
      room.facts += addFacts;
      room.bytes += addBytes;
    },
  };
}

function bounded<V>(map: Map<string, V>): Map<string, V> {
  if (map.size >= MAX_TRACKED) map.delete(map.keys().next().value!);
  return map;
}
