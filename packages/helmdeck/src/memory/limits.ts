import { AppError } from '../errors.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
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
  /** Reservations that are not settled yet. */
  reservations: number;
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
  // Every write refreshes its bucket, and an idle bucket is full again after two seconds. So an eviction gives away a
  // burst early only if more than 10,000 callers write within those two seconds.
  const buckets = new BoundedMap<string, Bucket>(MAX_TRACKED);
  // One with open reservations is never evicted: a second count beside it would let the caller exceed the quota.
  const rooms = new BoundedMap<string, Room>(MAX_TRACKED, undefined, ({ reservations }) => reservations > 0);
  const freshMs = store.sharing ? SHARED_FRESH_MS : FRESH_MS;

  function roomOf(ns: Uint8Array): Room {
    const known = rooms.get(namespaceMapKey(ns));
    if (known) return known;
    const room: Room = {
      facts: 0,
      bytes: 0,
      heldFacts: 0,
      heldBytes: 0,
      reservations: 0,
      atMs: Number.NEGATIVE_INFINITY,
    };
    rooms.set(namespaceMapKey(ns), room);
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

  return {
    options,
    takeWrites(ns, writes) {
      const rate = options.writesPerSecond;
      if (rate === undefined) return;
      const burst = rate * BURST_SECONDS;
      const known = buckets.get(namespaceMapKey(ns));
      const bucket = known ?? { tokens: burst, atMs: now() };
      if (!known) buckets.set(namespaceMapKey(ns), bucket);
      bucket.tokens = Math.min(burst, bucket.tokens + ((now() - bucket.atMs) / 1000) * rate);
      bucket.atMs = now();
      // A batch larger than the whole burst passes when the bucket is full, and is paid off afterwards.
      if (bucket.tokens < Math.min(writes, burst)) {
        const retryAfterSeconds = Math.max(1, Math.ceil((Math.min(writes, burst) - bucket.tokens) / rate));
        throw new AppError('rate_limited', `More than ${rate} writes a second.`, { retryAfterSeconds });
      }
      bucket.tokens -= writes;
    },
    reserve(ns) {
      const room = roomOf(ns);
      room.reservations++;
      let open = true;
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
          if (open) room.reservations--;
          open = false;
          // What was written stays counted; it is only no longer on its way.
          room.heldFacts -= held.facts;
          room.heldBytes -= held.bytes;
          held = { facts: 0, bytes: 0 };
        },
      };
    },
  };
}
