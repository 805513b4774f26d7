import { AppError } from '../errors.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { createTurns, type InTurn } from '../runtime/turns.ts';
import { type Kind, PROPOSAL_KINDS } from './entry.ts';
import type { Store } from './store.ts';

export interface LimitOptions {
  /** `undefined` switches a limit off. Reads are limited at `READS_PER_WRITE` times this rate. */
  writesPerSecond?: number;
  quotaFacts?: number;
  quotaBytes?: number;
  /** The quotas of one caller, where they differ. */
  quotaOf?: (ns: Uint8Array) => Quota | undefined;
}

export interface Quota {
  quotaFacts?: number;
  quotaBytes?: number;
}

/** What one caller may do: rate limits (token buckets) of writes, runs and reads, and a quota of facts and bytes. */
export interface Limits {
  /** What applies to a caller. */
  quotaOf(ns: Uint8Array): Quota;
  /** Takes `writes` tokens from the caller's bucket or throws `rate_limited`. */
  takeWrites(ns: Uint8Array, writes: number): void;
  /** Takes one run from the caller's run bucket, which refills at the same rate, or throws `rate_limited`. */
  takeRun(ns: Uint8Array): void;
  /** Takes `reads` tokens from the caller's read bucket or throws `rate_limited`. */
  takeReads(ns: Uint8Array, reads: number): void;
  /** Large reads of a caller run one after another: together their values would fill the server's RAM. */
  readLarge: InTurn;
  /** A reservation against the quota for one write, held from before its commit until after it. */
  reserve(ns: Uint8Array): Reservation;
}

export interface Reservation {
  /** Reserves this much, replacing the amount held before, or throws `quota_exceeded`. */
  hold(facts: number, bytes: number): Promise<void>;
  /** Ends the reservation, whether the write was committed or failed. Must be called once. */
  release(): void;
}

/** A namespace's usage as last counted, plus everything written or reserved since. */
interface QuotaUsage {
  facts: number;
  bytes: number;
  /** The part of `facts` and `bytes` that is reserved but not known to be in the store. */
  reservedFacts: number;
  reservedBytes: number;
  openReservations: number;
  countedMs: number;
  counting?: Promise<void>;
}

/** What waits in the inbox counts as facts do. */
export const QUOTA_KINDS: readonly Kind[] = ['fact', ...PROPOSAL_KINDS];
const BURST_SECONDS = 2;
/** A read costs the server a fraction of a write, and agents read far more than they write. */
const READS_PER_WRITE = 10;
const MAX_NAMESPACES = 10_000;
/** Usage is counted in the store this often and carried forward in between. */
const MAX_AGE_MS = 5_000;
/** On a shared store other processes write as well. */
const SHARED_MAX_AGE_MS = 1_000;

export function createLimits(store: Store, now: () => number, options: LimitOptions): Limits {
  const { writesPerSecond } = options;
  const readsPerSecond = writesPerSecond === undefined ? undefined : writesPerSecond * READS_PER_WRITE;
  // Usage with open reservations is never evicted: a second count beside it would let the caller exceed the quota.
  const usages = new BoundedMap<string, QuotaUsage>(
    MAX_NAMESPACES,
    undefined,
    ({ openReservations }) => openReservations > 0,
  );
  const maxAgeMs = store.sharing ? SHARED_MAX_AGE_MS : MAX_AGE_MS;

  function usageOf(ns: Uint8Array): QuotaUsage {
    const known = usages.get(namespaceMapKey(ns));
    if (known) return known;
    const usage: QuotaUsage = {
      facts: 0,
      bytes: 0,
      reservedFacts: 0,
      reservedBytes: 0,
      openReservations: 0,
      countedMs: Number.NEGATIVE_INFINITY,
    };
    usages.set(namespaceMapKey(ns), usage);
    return usage;
  }

  /** Counts usage in the store; concurrent calls share one count. */
  function count(usage: QuotaUsage, ns: Uint8Array): Promise<void> {
    usage.counting ??= store
      .usage(now(), ns)
      .then((counts) => {
        usage.facts = usage.reservedFacts;
        usage.bytes = usage.reservedBytes;
        usage.countedMs = now();
        for (const { kind, rows, bytes } of counts) {
          usage.bytes += bytes;
          if (QUOTA_KINDS.includes(kind)) usage.facts += rows;
        }
      })
      .finally(() => {
        usage.counting = undefined;
      });
    return usage.counting;
  }

  /** The quota that this much more would exceed, if any. */
  function exceededQuota(
    usage: QuotaUsage,
    { quotaFacts, quotaBytes }: Quota,
    addFacts: number,
    addBytes: number,
  ): string | undefined {
    if (addFacts > 0 && quotaFacts !== undefined && usage.facts + addFacts > quotaFacts)
      return quotaFacts === 1 ? '1 fact' : `${quotaFacts} facts`;
    if (quotaBytes !== undefined && usage.bytes + addBytes > quotaBytes) return `${quotaBytes} bytes`;
    return undefined;
  }

  function quotaOf(ns: Uint8Array): Quota {
    const own = options.quotaOf?.(ns);
    return {
      quotaFacts: own?.quotaFacts ?? options.quotaFacts,
      quotaBytes: own?.quotaBytes ?? options.quotaBytes,
    };
  }

  const takeRuns = tokenBuckets(writesPerSecond, 'runs', now);
  return {
    quotaOf,
    takeWrites: tokenBuckets(writesPerSecond, 'writes', now),
    takeRun: (ns) => takeRuns(ns, 1),
    takeReads: tokenBuckets(readsPerSecond, 'reads', now),
    readLarge: createTurns(),
    reserve(ns) {
      const usage = usageOf(ns);
      usage.openReservations++;
      let isOpen = true;
      let held = { facts: 0, bytes: 0 };
      const setHeld = (facts: number, bytes: number) => {
        usage.facts += facts - held.facts;
        usage.bytes += bytes - held.bytes;
        usage.reservedFacts += facts - held.facts;
        usage.reservedBytes += bytes - held.bytes;
        held = { facts, bytes };
      };
      return {
        async hold(facts, bytes) {
          const limit = quotaOf(ns);
          if (limit.quotaFacts === undefined && limit.quotaBytes === undefined) return;
          setHeld(0, 0);
          if (now() - usage.countedMs >= maxAgeMs) await count(usage, ns);
          // Rows may have expired since: count again before refusing.
          if (exceededQuota(usage, limit, facts, bytes)) await count(usage, ns);
          const quota = exceededQuota(usage, limit, facts, bytes);
          if (quota) {
            const message = `This memory is full: its quota is ${quota}.`;
            throw new AppError('quota_exceeded', message, { retryAfterSeconds: 60 });
          }
          setHeld(facts, bytes);
        },
        release() {
          if (isOpen) usage.openReservations--;
          isOpen = false;
          // Committed writes stay counted in `facts` and `bytes`.
          usage.reservedFacts -= held.facts;
          usage.reservedBytes -= held.bytes;
          held = { facts: 0, bytes: 0 };
        },
      };
    },
  };
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** One token bucket per caller: returns the function that takes tokens from a caller's, or throws `rate_limited`. */
function tokenBuckets(
  rate: number | undefined,
  what: 'writes' | 'runs' | 'reads',
  now: () => number,
): (ns: Uint8Array, count: number) => void {
  if (rate === undefined) return () => {};
  const burst = rate * BURST_SECONDS;
  // A clock that was set back adds nothing, but must not take tokens away for as long as it is behind.
  const refilled = ({ tokens, atMs }: Bucket, nowMs: number) =>
    Math.min(burst, tokens + (Math.max(0, nowMs - atMs) / 1000) * rate);
  // A bucket that is not full again is never evicted: its caller would get a new burst. Buckets refill within seconds, so
  // the map exceeds its limit only by the callers of the last seconds.
  const buckets = new BoundedMap<string, Bucket>(
    MAX_NAMESPACES,
    undefined,
    (bucket) => refilled(bucket, now()) < burst,
  );
  return (ns, count) => {
    const name = namespaceMapKey(ns);
    const nowMs = now();
    let bucket = buckets.get(name);
    if (!bucket) {
      bucket = { tokens: burst, atMs: nowMs };
      buckets.set(name, bucket);
    }
    bucket.tokens = refilled(bucket, nowMs);
    bucket.atMs = nowMs;
    // A batch larger than the burst passes when the bucket is full and leaves it negative.
    const needed = Math.min(count, burst);
    if (bucket.tokens < needed) {
      const retryAfterSeconds = Math.max(1, Math.ceil((needed - bucket.tokens) / rate));
      throw new AppError('rate_limited', `More than ${rate} ${what} a second.`, { retryAfterSeconds });
    }
    bucket.tokens -= count;
  };
}
