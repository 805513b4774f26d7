import { randomBytes } from 'node:crypto';
import type { Store } from '../memory/store.ts';

/**
 * Leases among the processes that share a store: which processes are alive, which of them does a piece of work, and
 * requests to stop it. On a store that is not shared, this process holds every lease.
 */
export interface ProcessLeases {
  readonly processId: string;
  /** Whether a process still renews its lease. One that cannot reach the store for the lease's TTL counts as dead. */
  isAlive(processId: string): Promise<boolean>;
  /** Takes the lease on a piece of work, or renews it; false while another process holds it. */
  tryAcquire(work: string, ttlMs: number): Promise<boolean>;
  /** Gives the lease up, so that another process can acquire it. */
  release(work: string): Promise<void>;
  /** Asks the process that does a piece of work to stop it. */
  requestStop(work: string): Promise<void>;
  /** Calls `stop` once when another process requests it; returns a function that unsubscribes. */
  onStopRequest(work: string, stop: () => void): () => void;
  stop(): Promise<void>;
}

const LEASE_POLICY = Object.freeze({
  /** A process whose lease was not renewed for this long counts as dead. */
  ttlMs: 10_000,
  renewMs: 2_500,
  /** How often a process looks for stop requests. */
  pollMs: 1_000,
  /** A stop request expires after this long. */
  stopRequestMs: 60_000,
});

/** The lease of each running process begins with it. */
export const PROCESS_LEASE = 'process ';
const processLease = (processId: string) => PROCESS_LEASE + processId;
const stopLease = (work: string) => `stop ${work}`;

export async function startProcessLeases(store: Store): Promise<ProcessLeases> {
  const processId = randomBytes(8).toString('hex');
  const { sharing } = store;
  if (!sharing) {
    return {
      processId,
      isAlive: async (other) => other === processId,
      tryAcquire: async () => true,
      release: async () => {},
      requestStop: async () => {},
      onStopRequest: () => () => {},
      stop: async () => {},
    };
  }
  const renew = () => sharing.acquireLease(processLease(processId), processId, LEASE_POLICY.ttlMs);
  await renew();
  let renewing: Promise<unknown> = Promise.resolve();
  const renewTimer = setInterval(() => {
    renewing = renew().catch(() => {}); // retried on the next interval; once the TTL is over, other processes take over
  }, LEASE_POLICY.renewMs).unref();
  const held = new Set<string>();
  const stopHandlers = new Map<string, () => void>();
  async function pollStopRequests(): Promise<void> {
    for (const [work, stop] of stopHandlers) {
      if ((await sharing!.leaseHolder(stopLease(work))) === undefined) continue;
      stopHandlers.delete(work);
      stop();
    }
  }
  const poll = () => void pollStopRequests().catch(() => {}); // retried on the next interval
  const pollTimer = setInterval(poll, LEASE_POLICY.pollMs).unref();
  return {
    processId,
    isAlive: async (other) =>
      other === processId || (await sharing.leaseHolder(processLease(other))) !== undefined,
    async tryAcquire(work, ttlMs) {
      const won = await sharing.acquireLease(work, processId, ttlMs);
      if (won) held.add(work);
      else held.delete(work);
      return won;
    },
    async release(work) {
      held.delete(work);
      await sharing.releaseLease(work, processId);
    },
    async requestStop(work) {
      await sharing.acquireLease(stopLease(work), processId, LEASE_POLICY.stopRequestMs);
    },
    onStopRequest(work, stop) {
      stopHandlers.set(work, stop);
      return () => void stopHandlers.delete(work);
    },
    async stop() {
      clearInterval(pollTimer);
      clearInterval(renewTimer);
      await renewing;
      for (const name of [...held, processLease(processId)])
        await sharing.releaseLease(name, processId).catch(() => {});
    },
  };
}
