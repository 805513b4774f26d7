import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sharing } from '../memory/store.ts';

/** A leader that crashed blocks the other nodes for at most this long. */
const LEASE_MS = 5_000;
const RENEW_INTERVAL_MS = 1_000;
const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 200;
/** How long other nodes know that the result of a flight was not cached. */
const UNCACHED_MARK_MS = 5_000;

/** A flight as all nodes on a store know it: the store's leases, and the name of the flight among them. */
export interface FlightId {
  sharing: Sharing;
  name: string;
}

/** The lease to compute a result while other nodes wait for it. */
export interface FlightLease {
  /**
   * Ends the wait of the other nodes. `isCached` is false if the result is not in the cache: then each node computes
   * its own instead of electing a leader again.
   */
  release(isCached: boolean): Promise<void>;
}

export interface CrossNodeFlights {
  /** The lease, unless another node holds it. */
  tryLead(flight: FlightId): Promise<FlightLease | undefined>;
  /** The lease, or the result of the node that held it; neither if that result was not cached. */
  leadOrWait<T>(
    flight: FlightId,
    readResult: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<{ lease?: FlightLease; result?: T }>;
}

/** Single flight across nodes: of several nodes that need the same result, one computes it and the others wait. */
export function createCrossNodeFlights(): CrossNodeFlights {
  const node = randomBytes(8).toString('hex');

  async function tryLead({ sharing, name }: FlightId): Promise<FlightLease | undefined> {
    const leaseName = leaseOf(name);
    if (!(await sharing.acquireLease(leaseName, node, LEASE_MS))) return undefined;
    // A failed renewal is harmless: at worst another node computes the result as well.
    const renew = () => void sharing.acquireLease(leaseName, node, LEASE_MS).catch(() => {});
    const renewal = setInterval(renew, RENEW_INTERVAL_MS).unref();
    return {
      async release(isCached) {
        clearInterval(renewal);
        if (!isCached) await sharing.acquireLease(uncachedMarkOf(name), node, UNCACHED_MARK_MS);
        await sharing.releaseLease(leaseName, node);
      },
    };
  }

  return {
    tryLead,
    async leadOrWait(flight, readResult, signal) {
      for (;;) {
        const lease = await tryLead(flight);
        if (!lease && !(await waitForLeader(flight, signal))) return {};
        const result = await readResult().catch((thrown) => {
          void lease?.release(true).catch(() => {});
          throw thrown;
        });
        if (lease && !result) return { lease };
        await lease?.release(true);
        if (result) return { result };
      }
    },
  };
}

/** Polls until no node holds the lease; false if the leader marked its result as not cached. */
async function waitForLeader({ sharing, name }: FlightId, signal: AbortSignal): Promise<boolean> {
  for (let pauseMs = FIRST_POLL_MS; await sharing.leaseHolder(leaseOf(name)); pauseMs *= 2)
    await delay(Math.min(pauseMs, MAX_POLL_MS), undefined, { signal });
  return (await sharing.leaseHolder(uncachedMarkOf(name))) === undefined;
}

// Nodes of different versions share these names during a rolling upgrade.
const leaseOf = (name: string) => `flight ${name}`;
const uncachedMarkOf = (name: string) => `unkept ${name}`;
