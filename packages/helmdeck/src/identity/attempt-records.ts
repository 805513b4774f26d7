import { createHash } from 'node:crypto';
import { rowId } from '../memory/crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact } from '../memory/memory.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';

/** The failed attempts of one network, and until when an earlier success exempts it from the shared budget. */
export interface NetworkAttempts {
  count: number;
  lockedUntilMs: number;
  lastMs: number;
  provenUntilMs: number;
}

/** Failures that networks without a success have left between them. */
export interface SharedBudget {
  failures: number;
  atMs: number;
}

export interface AttemptState {
  network: NetworkAttempts;
  /** Undefined until the first failure. */
  shared: SharedBudget | undefined;
}

/** Where attempts are counted. */
export interface AttemptRecords {
  /** Replaces what is known of a network in one step; `change` may throw, and then nothing changes. */
  update(network: string, change: (before: AttemptState) => AttemptState): Promise<void>;
}

const MAX_TRACKED_NETWORKS = 10_000;
const MAX_PROVEN_NETWORKS = 1_000;
export const FAILURE_TTL_MS = 3_600_000;

/** Counts in RAM, for a server that has its database to itself. */
export function attemptsInMemory(now: () => number): AttemptRecords {
  // A network that is locked out is never evicted, so no flood of failures from other networks ends its lock-out.
  const failures = new BoundedMap<string, Omit<NetworkAttempts, 'provenUntilMs'>>(
    MAX_TRACKED_NETWORKS,
    undefined,
    ({ lockedUntilMs }) => now() < lockedUntilMs,
  );
  /** Only a successful login adds one, so a flood of failures evicts none. */
  const proven = new BoundedMap<string, number>(MAX_PROVEN_NETWORKS);
  let shared: SharedBudget | undefined;
  return {
    async update(network, change) {
      const known = failures.peek(network) ?? { count: 0, lockedUntilMs: 0, lastMs: 0 };
      const before = { ...known, provenUntilMs: proven.get(network) ?? 0 };
      const after = change({ network: before, shared });
      shared = after.shared;
      const { provenUntilMs, ...failed } = after.network;
      if (failed.count > 0) failures.set(network, failed);
      else failures.delete(network);
      if (provenUntilMs !== before.provenUntilMs) proven.set(network, provenUntilMs);
    },
  };
}

/**
 * Counts in the database that several nodes share, so that an attacker gains nothing from trying on each of them. Rows
 * hold a keyed hash of the network. `what` keeps attempts at different secrets apart.
 */
export function attemptsInStore(parts: MemoryParts, what: string): AttemptRecords {
  const { system } = parts.directory;
  return {
    update: (network, change) =>
      transact(
        parts,
        async () => system,
        `attempts ${what}`,
        async (keys) => {
          const names = [
            `${what} network ${createHash('sha256').update(network).digest('hex')}`,
            `${what} shared`,
          ];
          const ids = names.map((name) => rowId(keys, 'attempt', name));
          const [own, shared] = await Promise.all(ids.map((id) => readEntry(parts, keys, id)));
          const before: AttemptState = {
            network: own
              ? (JSON.parse(own.value) as NetworkAttempts)
              : { count: 0, lockedUntilMs: 0, lastMs: 0, provenUntilMs: 0 },
            shared: shared && (JSON.parse(shared.value) as SharedBudget),
          };
          const after = change(before);
          const nowMs = parts.now();
          const put = (index: 0 | 1, value: object, expiresMs: number | null) => {
            const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
            const content = { key: names[index]!, value: JSON.stringify(value) };
            const entry = { id: ids[index]!, kind: 'attempt' as const, group: null, content, ...times };
            return putOp(keys, entry, [own, shared][index]);
          };
          const { lastMs, lockedUntilMs, provenUntilMs } = after.network;
          const ops = [
            put(0, after.network, Math.max(lastMs + FAILURE_TTL_MS, lockedUntilMs, provenUntilMs)),
          ];
          if (after.shared && after.shared !== before.shared) ops.push(put(1, after.shared, null));
          return { ops, result: undefined };
        },
      ),
  };
}
