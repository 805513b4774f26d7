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

/** What one caller may write: a rate limit (token bucket) and a quota of facts and bytes. */
export interface Limits {
  readonly options: LimitOptions;
  /** Takes `writes` tokens from the caller's bucket or throws `rate_limited`. */
  takeWrites(ns: Uint8Array, writes: number): void;
  /** Takes one run from the caller's run bucket, which refills at the same rate, or throws `rate_limited`. */
  takeRun(ns: Uint8Array): void;
  /** A reservation against the quota for one write, held from before its commit until after it. */
  reserve(ns: Uint8Array): Reservation;
}

export interface Reservation {
  /** Reserves this much, replacing the amount held before, or throws `quota_exceeded`. */
  hold(facts: number, bytes: number): Promise<void>;
  /** Ends the reservation, whether the write was committed or failed. Must be called once. */
  release(): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
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

const BURST_SECONDS = 2;
const MAX_NAMESPACES = 10_000;
/** Usage is counted in the store this often and carried forward in between. */
const MAX_AGE_MS = 5_000;
/** On a shared store other processes write as well. */
const SHARED_MAX_AGE_MS = 1_000;

export function createLimits(store: Store, now: () => number, options: LimitOptions): Limits {
  // A bucket that is not full again is never evicted: its caller would get a new burst. Buckets refill within seconds, so
  // the maps exceed their limit only by the callers of the last seconds.
  const burst = (options.writesPerSecond ?? 0) * BURST_SECONDS;
  const isFull = (bucket: Bucket) => refilled(bucket) >= burst;
  const writeBuckets = new BoundedMap<string, Bucket>(MAX_NAMESPACES, undefined, (each) => !isFull(each));
  const runBuckets = new BoundedMap<string, Bucket>(MAX_NAMESPACES, undefined, (each) => !isFull(each));
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
          if (kind === 'fact') usage.facts += rows;
        }
      })
      .finally(() => {
        usage.counting = undefined;
      });
    return usage.counting;
  }

  /** The quota that this much more would exceed, if any. */
  function exceededQuota(usage: QuotaUsage, addFacts: number, addBytes: number): string | undefined {
    const { quotaFacts, quotaBytes } = options;
    if (addFacts > 0 && quotaFacts !== undefined && usage.facts + addFacts > quotaFacts)
      return `${quotaFacts} facts`;
    if (quotaBytes !== undefined && usage.bytes + addBytes > quotaBytes) return `${quotaBytes} bytes`;
    return undefined;
  }

  function refilled({ tokens, atMs }: Bucket): number {
    return Math.min(burst, tokens + ((now() - atMs) / 1000) * (options.writesPerSecond ?? 0));
  }

  function take(
    buckets: BoundedMap<string, Bucket>,
    ns: Uint8Array,
    count: number,
    what: 'writes' | 'runs',
  ): void {
    const rate = options.writesPerSecond;
    if (rate === undefined) return;
    const known = buckets.get(namespaceMapKey(ns));
    const bucket = known ?? { tokens: burst, atMs: now() };
    if (!known) buckets.set(namespaceMapKey(ns), bucket);
    bucket.tokens = refilled(bucket);
    bucket.atMs = now();
    // A batch larger than the burst passes when the bucket is full and leaves it negative.
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
          if (options.quotaFacts === undefined && options.quotaBytes === undefined) return;
          setHeld(0, 0);
          if (now() - usage.countedMs >= maxAgeMs) await count(usage, ns);
          // Rows may have expired since: count again before refusing.
          if (exceededQuota(usage, facts, bytes)) await count(usage, ns);
          const quota = exceededQuota(usage, facts, bytes);
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
