import { AppError } from '../errors.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
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
  /** The same for one run of a pack: as many a second as writes, from a bucket of its own. */
  takeRun(ns: Uint8Array): void;
  /** Room for one write, held from before its commit until after it. */
  reserve(ns: Uint8Array): Reservation;
}

export interface Reservation {
  /** Holds this much instead of what was held before, or refuses with `quota_exceeded`. */
  hold(facts: number, bytes: number): Promise<void>;
  /** Says that the write is done, or that it will not be. */
  settle(): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** What a namespace holds as far as is known, and what of it is still on its way to the store. */
interface Room {
  facts: number;
  bytes: number;
  heldFacts: number;
  heldBytes: number;
  atMs: number;
  reading?: Promise<void>;
}

const BURST_SECONDS = 2;
const MAX_TRACKED = 10_000;
/** Counts are taken from the store this often and carried forward in between. */
const FRESH_MS = 5_000;
/** Other processes write as well. */
const SHARED_FRESH_MS = 1_000;

export function createLimits(store: Store, now: () => number, options: LimitOptions): Limits {
  const writeBuckets = new Map<string, Bucket>();
  const runBuckets = new Map<string, Bucket>();
  const rooms = new Map<string, Room>();
  const freshMs = store.sharing ? SHARED_FRESH_MS : FRESH_MS;

  function roomOf(ns: Uint8Array): Room {
    const known = rooms.get(namespaceMapKey(ns));
    if (known) return known;
    const room: Room = { facts: 0, bytes: 0, heldFacts: 0, heldBytes: 0, atMs: Number.NEGATIVE_INFINITY };
    bounded(rooms).set(namespaceMapKey(ns), room);
    return room;
  }

  /** Counts anew; callers that ask at the same time share one reading. */
  function read(room: Room, ns: Uint8Array): Promise<void> {
    room.reading ??= store
      .usage(now(), ns)
      .then((usages) => {
        room.facts = room.heldFacts;
        room.bytes = room.heldBytes;
        room.atMs = now();
        for (const { kind, rows, bytes } of usages) {
          room.bytes += bytes;
          if (kind === 'fact') room.facts += rows;
        }
      })
      .finally(() => {
        room.reading = undefined;
      });
    return room.reading;
  }

  function overflow(room: Room, addFacts: number, addBytes: number): string | undefined {
    const { quotaFacts, quotaBytes } = options;
    if (addFacts > 0 && quotaFacts !== undefined && room.facts + addFacts > quotaFacts)
      return `${quotaFacts} facts`;
    if (quotaBytes !== undefined && room.bytes + addBytes > quotaBytes) return `${quotaBytes} bytes`;
    return undefined;
  }

  function take(buckets: Map<string, Bucket>, ns: Uint8Array, count: number, what: 'writes' | 'runs'): void {
    const rate = options.writesPerSecond;
    if (rate === undefined) return;
    const burst = rate * BURST_SECONDS;
    const bucket = buckets.get(namespaceMapKey(ns)) ?? { tokens: burst, atMs: now() };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now() - bucket.atMs) / 1000) * rate);
    bucket.atMs = now();
    bounded(buckets).set(namespaceMapKey(ns), bucket);
    // A batch larger than the whole burst passes when the bucket is full, and is paid off afterwards.
    if (bucket.tokens < Math.min(count, burst)) {
      const retryAfterSeconds = Math.max(1, Math.ceil((Math.min(count, burst) - bucket.tokens) / rate));
      throw new AppError('rate_limited', `More than ${rate} ${what} a second.`, { retryAfterSeconds });
    }
    bucket.tokens -= count;
  }

  return {
    options,
    takeWrites: (ns, writes) => take(writeBuckets, ns, writes, 'writes'),
    takeRun: (ns) => take(runBuckets, ns, 1, 'runs'),
    reserve(ns) {
      const room = roomOf(ns);
      let held = { facts: 0, bytes: 0 };
      const take = (facts: number, bytes: number) => {
        room.facts += facts - held.facts;
        room.bytes += bytes - held.bytes;
        room.heldFacts += facts - held.facts;
        room.heldBytes += bytes - held.bytes;
        held = { facts, bytes };
      };
      return {
        async hold(facts, bytes) {
          if (options.quotaFacts === undefined && options.quotaBytes === undefined) return;
          take(0, 0);
          if (now() - room.atMs >= freshMs) await read(room, ns);
          // Expired rows may just have made room: look again before refusing.
          if (overflow(room, facts, bytes)) await read(room, ns);
          const full = overflow(room, facts, bytes);
          if (full) {
            const message = `This memory is full: its quota is ${full}.`;
            throw new AppError('quota_exceeded', message, { retryAfterSeconds: 60 });
          }
          take(facts, bytes);
        },
        settle() {
          // What was written stays counted; it is only no longer on its way.
          room.heldFacts -= held.facts;
          room.heldBytes -= held.bytes;
          held = { facts: 0, bytes: 0 };
        },
      };
    },
  };
}

function bounded<V>(map: Map<string, V>): Map<string, V> {
  if (map.size >= MAX_TRACKED) map.delete(map.keys().next().value!);
  return map;
}
