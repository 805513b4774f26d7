import { AppError } from '../errors.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { type MemoryParts, walkEntries } from '../memory/memory.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { ARTIFACT_POLICY } from './artifact-policy.ts';
import { sealedArtifactOf } from './sealed-artifact.ts';

/** The artifact quota of each caller: as many bytes as for memory, counted separately, and a maximum number. */
export interface ArtifactLimits {
  /** Reserves quota for an artifact before it is written, or rejects with `quota_exceeded`. */
  reserve(keys: NamespaceKeys, bytes: number): Promise<ArtifactReservation>;
  /** Discards the count of a namespace: the next reservation counts again in the store. */
  invalidate(ns: Uint8Array): void;
}

/** Exactly one of the two must be called. */
export interface ArtifactReservation {
  commit(): void;
  release(): void;
}

interface Amount {
  artifacts: number;
  bytes: number;
}

interface Usage {
  /** In the store, as of the last count plus later commits. */
  stored: Amount;
  /** Reserved and not yet in the store. */
  reserved: Amount;
  /** Calls of `reserve` that are neither committed nor released yet. */
  openReservations: number;
  countedMs: number;
  counting?: Promise<void>;
}

const MAX_COUNT_AGE_MS = 30_000;
/** Shorter on a shared store, where other processes write artifacts as well. */
const SHARED_MAX_COUNT_AGE_MS = 1_000;
const MAX_TRACKED_NAMESPACES = 10_000;
const nothing = (): Amount => ({ artifacts: 0, bytes: 0 });

export function createArtifactLimits(parts: MemoryParts): ArtifactLimits {
  // One with open reservations is never evicted: a second count beside it would let the caller exceed the quota.
  const isPinned = ({ openReservations }: Usage) => openReservations > 0;
  const usages = new BoundedMap<string, Usage>(MAX_TRACKED_NAMESPACES, undefined, isPinned);
  const maxCountAgeMs = parts.store.sharing ? SHARED_MAX_COUNT_AGE_MS : MAX_COUNT_AGE_MS;

  function usageOf(ns: Uint8Array): Usage {
    const known = usages.get(namespaceMapKey(ns));
    if (known) return known;
    const usage: Usage = {
      stored: nothing(),
      reserved: nothing(),
      openReservations: 0,
      countedMs: Number.NEGATIVE_INFINITY,
    };
    usages.set(namespaceMapKey(ns), usage);
    return usage;
  }

  /** Counts in the store; concurrent callers share one count. */
  function count(usage: Usage, keys: NamespaceKeys): Promise<void> {
    usage.counting ??= (async () => {
      const stored = nothing();
      for await (const entry of walkEntries(parts, keys, { kinds: ['artifact'] }))
        add(stored, sealedArtifactOf(entry).size);
      Object.assign(usage, { stored, countedMs: parts.now() });
    })().finally(() => {
      usage.counting = undefined;
    });
    return usage.counting;
  }

  /** The quota that one more artifact would exceed. */
  function exceededBy({ stored, reserved }: Usage, ns: Uint8Array, bytes: number): string | undefined {
    const { quotaBytes } = parts.limits.quotaOf(ns);
    if (stored.artifacts + reserved.artifacts + 1 > ARTIFACT_POLICY.maxArtifactsPerCaller)
      return `${ARTIFACT_POLICY.maxArtifactsPerCaller} artifacts`;
    if (quotaBytes !== undefined && stored.bytes + reserved.bytes + bytes > quotaBytes)
      return `${quotaBytes} bytes`;
    return undefined;
  }

  /** Adds to `reserved` in the tick in which the artifact was found to fit, or throws `quota_exceeded`. */
  async function addIfItFits(usage: Usage, keys: NamespaceKeys, bytes: number): Promise<void> {
    if (parts.now() - usage.countedMs >= maxCountAgeMs) await count(usage, keys);
    // Artifacts may have expired or been deleted since the last count: count again before refusing.
    if (exceededBy(usage, keys.ns, bytes)) await count(usage, keys);
    const quota = exceededBy(usage, keys.ns, bytes);
    if (quota) {
      throw new AppError('quota_exceeded', `This artifact would exceed the quota of ${quota}.`, {
        retryAfterSeconds: 60,
        hint: 'Delete artifacts that are no longer needed, or wait until they expire.',
      });
    }
    add(usage.reserved, bytes);
  }

  return {
    async reserve(keys, bytes) {
      const usage = usageOf(keys.ns);
      usage.openReservations++;
      try {
        await addIfItFits(usage, keys, bytes);
      } catch (thrown) {
        usage.openReservations--;
        throw thrown;
      }
      const release = () => {
        usage.openReservations--;
        remove(usage.reserved, bytes);
      };
      return {
        commit() {
          release();
          add(usage.stored, bytes);
        },
        release,
      };
    },
    invalidate(ns) {
      const usage = usages.peek(namespaceMapKey(ns));
      if (usage) usage.countedMs = Number.NEGATIVE_INFINITY;
    },
  };
}

function add(amount: Amount, bytes: number): void {
  amount.artifacts++;
  amount.bytes += bytes;
}

function remove(amount: Amount, bytes: number): void {
  amount.artifacts--;
  amount.bytes -= bytes;
}
