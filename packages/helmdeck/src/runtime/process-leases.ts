import { randomBytes } from 'node:crypto';
import type { Store } from '../memory/store.ts';

/** This process among those that share a store. Where nobody shares it, it is the only one. */
export interface ProcessLeases {
  readonly processId: string;
  /** Whether a process still runs; one that lost its way to the store for long counts as gone. */
  isAlive(processId: string): Promise<boolean>;
  /** Takes on work that only one process shall do, for a while; false when another one has it. */
  tryAcquire(work: string, ttlMs: number): Promise<boolean>;
  /** Lets another process have it. */
  release(work: string): Promise<void>;
  /** Asks the process that does a piece of work to stop it. */
  requestStop(work: string): Promise<void>;
  /** Stops a piece of work when another process asks for it; returns how to heed that no longer. */
  onStopRequest(work: string, stop: () => void): () => void;
  stop(): Promise<void>;
}

const LEASE_POLICY = Object.freeze({
  /** After so long without a sign a process counts as gone. */
  ttlMs: 10_000,
  signMs: 2_500,
  /** How often a process looks whether its work shall stop. */
  heedMs: 1_000,
});

const leaseOf = (processId: string) => `process ${processId}`;
const stopOf = (work: string) => `stop ${work}`;
/** A wish is heeded by then, or never. */
const WISH_MS = 60_000;

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
  const sign = () => sharing.takeLease(leaseOf(processId), processId, LEASE_POLICY.ttlMs);
  await sign();
  let signing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    signing = sign().catch(() => {}); // the next sign is soon enough; without any, others take over
  }, LEASE_POLICY.signMs).unref();
  const held = new Set<string>();
  const stoppable = new Map<string, () => void>();
  async function heed(): Promise<void> {
    for (const [work, stop] of stoppable) {
      if ((await sharing!.leaseHolder(stopOf(work))) === undefined) continue;
      stoppable.delete(work);
      stop();
    }
  }
  const heeding = setInterval(() => void heed().catch(() => {}), LEASE_POLICY.heedMs).unref();
  return {
    processId,
    isAlive: async (other) =>
      other === processId || (await sharing.leaseHolder(leaseOf(other))) !== undefined,
    async tryAcquire(work, ttlMs) {
      const won = await sharing.takeLease(work, processId, ttlMs);
      if (won) held.add(work);
      else held.delete(work);
      return won;
    },
    async release(work) {
      held.delete(work);
      await sharing.endLease(work, processId);
    },
    async requestStop(work) {
      await sharing.takeLease(stopOf(work), processId, WISH_MS);
    },
    onStopRequest(work, stop) {
      stoppable.set(work, stop);
      return () => void stoppable.delete(work);
    },
    async stop() {
      clearInterval(heeding);
      clearInterval(timer);
      await signing;
      for (const name of [...held, leaseOf(processId)])
        await sharing.endLease(name, processId).catch(() => {});
    },
  };
}
