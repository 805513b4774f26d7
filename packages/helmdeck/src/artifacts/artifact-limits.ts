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
  countedMs: number;
  counting?: Promise<void>;
}

const MAX_COUNT_AGE_MS = 30_000;
/** Shorter on a shared store, where other processes write artifacts as well. */
const SHARED_MAX_COUNT_AGE_MS = 1_000;
const MAX_TRACKED_NAMESPACES = 10_000;
const nothing = (): Amount => ({ artifacts: 0, bytes: 0 });

export function createArtifactLimits(parts: MemoryParts): ArtifactLimits {
  const usages = new BoundedMap<string, Usage>(MAX_TRACKED_NAMESPACES);
  const maxCountAgeMs = parts.store.sharing ? SHARED_MAX_COUNT_AGE_MS : MAX_COUNT_AGE_MS;

  function usageOf(ns: Uint8Array): Usage {
    const known = usages.get(namespaceMapKey(ns));
    if (known) return known;
    const usage = { stored: nothing(), reserved: nothing(), countedMs: Number.NEGATIVE_INFINITY };
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
  function exceededBy({ stored, reserved }: Usage, bytes: number): string | undefined {
    const { quotaBytes } = parts.limits.options;
    if (stored.artifacts + reserved.artifacts + 1 > ARTIFACT_POLICY.maxArtifactsPerCaller)
      return `${ARTIFACT_POLICY.maxArtifactsPerCaller} artifacts`;
    if (quotaBytes !== undefined && stored.bytes + reserved.bytes + bytes > quotaBytes)
      return `${quotaBytes} bytes`;
    return undefined;
  }

  return {
    async reserve(keys, bytes) {
      const usage = usageOf(keys.ns);
      if (parts.now() - usage.countedMs >= maxCountAgeMs) await count(usage, keys);
      // Artifacts may have expired or been deleted since the last count: count again before refusing.
      if (exceededBy(usage, bytes)) await count(usage, keys);
      const quota = exceededBy(usage, bytes);
      if (quota) {
        throw new AppError('quota_exceeded', `This artifact would exceed the quota of ${quota}.`, {
          retryAfterSeconds: 60,
          hint: 'Delete artifacts that are no longer needed, or wait until they expire.',
        });
      }
      add(usage.reserved, bytes);
      return {
        commit() {
          remove(usage.reserved, bytes);
          add(usage.stored, bytes);
        },
        release: () => remove(usage.reserved, bytes),
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
