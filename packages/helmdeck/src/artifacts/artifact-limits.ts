import { AppError } from '../errors.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { type MemoryParts, walkEntries } from '../memory/memory.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { ARTIFACT_POLICY } from './artifact-policy.ts';
import { sealedArtifactOf } from './sealed-artifact.ts';

/** How much one caller may keep: as many bytes of artifacts as of memory, counted on their own. */
export interface ArtifactLimits {
  /** Counts an artifact in before it is written, or refuses with `quota_exceeded`. */
  take(keys: NamespaceKeys, bytes: number): Promise<Taken>;
  /** Forgets what was counted: the next artifact is counted against the store. */
  forget(ns: Uint8Array): void;
}

/** Room for one artifact; exactly one of the two is called. */
export interface Taken {
  stored(): void;
  notStored(): void;
}

interface Amount {
  artifacts: number;
  bytes: number;
}

interface Room {
  /** In the store, as far as is known. */
  kept: Amount;
  /** On the way there. */
  coming: Amount;
  /** Calls of `take` whose artifact is neither stored nor given up yet. */
  reservations: number;
  countedMs: number;
  counting?: Promise<void>;
}

const FRESH_MS = 30_000;
/** Other processes keep artifacts as well. */
const SHARED_FRESH_MS = 1_000;
const MAX_TRACKED = 10_000;
const nothing = (): Amount => ({ artifacts: 0, bytes: 0 });

export function createArtifactLimits(parts: MemoryParts): ArtifactLimits {
  // One with open reservations is never evicted: a second count beside it would let the caller exceed the quota.
  const rooms = new BoundedMap<string, Room>(MAX_TRACKED, undefined, ({ reservations }) => reservations > 0);
  const freshMs = parts.store.sharing ? SHARED_FRESH_MS : FRESH_MS;

  function roomOf(ns: Uint8Array): Room {
    const known = rooms.get(namespaceMapKey(ns));
    if (known) return known;
    const room: Room = {
      kept: nothing(),
      coming: nothing(),
      reservations: 0,
      countedMs: Number.NEGATIVE_INFINITY,
    };
    rooms.set(namespaceMapKey(ns), room);
    return room;
  }

  /** Counts anew; those who ask at the same time share one count. */
  function count(room: Room, keys: NamespaceKeys): Promise<void> {
    room.counting ??= (async () => {
      const kept = nothing();
      for await (const entry of walkEntries(parts, keys, { kinds: ['artifact'] }))
        add(kept, sealedArtifactOf(entry).size);
      Object.assign(room, { kept, countedMs: parts.now() });
    })().finally(() => {
      room.counting = undefined;
    });
    return room.counting;
  }

  function overflow({ kept, coming }: Room, bytes: number): string | undefined {
    const { quotaBytes } = parts.limits.options;
    if (kept.artifacts + coming.artifacts + 1 > ARTIFACT_POLICY.maxArtifactsPerCaller)
      return `${ARTIFACT_POLICY.maxArtifactsPerCaller} artifacts`;
    if (quotaBytes !== undefined && kept.bytes + coming.bytes + bytes > quotaBytes)
      return `${quotaBytes} bytes`;
    return undefined;
  }

  /** Adds an artifact to `coming` in the tick in which it was found to fit, or refuses with `quota_exceeded`. */
  async function addIfFits(room: Room, keys: NamespaceKeys, bytes: number): Promise<void> {
    if (parts.now() - room.countedMs >= freshMs) await count(room, keys);
    // Artifacts may have expired or been deleted since: count again before refusing.
    if (overflow(room, bytes)) await count(room, keys);
    const full = overflow(room, bytes);
    if (full) {
      throw new AppError('quota_exceeded', `There is no room for this artifact: the quota is ${full}.`, {
        retryAfterSeconds: 60,
        hint: 'Delete artifacts that are no longer needed, or wait until they expire.',
      });
    }
    add(room.coming, bytes);
  }

  return {
    async take(keys, bytes) {
      const room = roomOf(keys.ns);
      room.reservations++;
      try {
        await addIfFits(room, keys, bytes);
      } catch (thrown) {
        room.reservations--;
        throw thrown;
      }
      const release = () => {
        room.reservations--;
        remove(room.coming, bytes);
      };
      return {
        stored() {
          release();
          add(room.kept, bytes);
        },
        notStored: release,
      };
    },
    forget(ns) {
      const room = rooms.get(namespaceMapKey(ns));
      if (room) room.countedMs = Number.NEGATIVE_INFINITY;
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
