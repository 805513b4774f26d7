import { AppError } from '../errors.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { type MemoryParts, walkEntries } from '../memory/memory.ts';
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
  countedMs: number;
  counting?: Promise<void>;
}

const FRESH_MS = 30_000;
/** Other processes keep artifacts as well. */
const SHARED_FRESH_MS = 1_000;
const MAX_TRACKED = 10_000;
const nothing = (): Amount => ({ artifacts: 0, bytes: 0 });

export function createArtifactLimits(parts: MemoryParts): ArtifactLimits {
  const rooms = new Map<string, Room>();
  const freshMs = parts.store.sharing ? SHARED_FRESH_MS : FRESH_MS;

  function roomOf(ns: Uint8Array): Room {
    const known = rooms.get(namespaceMapKey(ns));
    if (known) return known;
    if (rooms.size >= MAX_TRACKED) rooms.delete(rooms.keys().next().value!);
    const room = { kept: nothing(), coming: nothing(), countedMs: Number.NEGATIVE_INFINITY };
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

  return {
    async take(keys, bytes) {
      const room = roomOf(keys.ns);
      if (parts.now() - room.countedMs >= freshMs) await count(room, keys);
      // Expired and deleted ones may just have made room: look again before refusing.
      if (overflow(room, bytes)) await count(room, keys);
      const full = overflow(room, bytes);
      if (full) {
        throw new AppError('quota_exceeded', `There is no room for this artifact: the quota is ${full}.`, {
          retryAfterSeconds: 60,
          hint: 'Delete artifacts that are no longer needed, or wait until they expire.',
        });
      }
      add(room.coming, bytes);
      return {
        stored() {
          remove(room.coming, bytes);
          add(room.kept, bytes);
        },
        notStored: () => remove(room.coming, bytes),
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
