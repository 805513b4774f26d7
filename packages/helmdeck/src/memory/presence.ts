import { randomBytes } from 'node:crypto';
import type { Store } from './store.ts';

/** This process among those that share a store. Where nobody shares it, it is the only one. */
export interface Presence {
  readonly processId: string;
  /** Whether a process still runs; one that lost its way to the store for long counts as gone. */
  isAlive(processId: string): Promise<boolean>;
  /** Takes on work that only one process shall do, for a while; false when another one has it. */
  takeOn(work: string, ttlMs: number): Promise<boolean>;
  /** Lets another process have it. */
  handOver(work: string): Promise<void>;
  stop(): Promise<void>;
}

export const PRESENCE_POLICY = Object.freeze({
  /** After so long without a sign a process counts as gone. */
  ttlMs: 10_000,
  signMs: 2_500,
});

const leaseOf = (processId: string) => `process ${processId}`;

export async function startPresence(store: Store): Promise<Presence> {
  const processId = randomBytes(8).toString('hex');
  const { sharing } = store;
  if (!sharing) {
    return {
      processId,
      isAlive: async (other) => other === processId,
      takeOn: async () => true,
      handOver: async () => {},
      stop: async () => {},
    };
  }
  const sign = () => sharing.takeLease(leaseOf(processId), processId, PRESENCE_POLICY.ttlMs);
  await sign();
  let signing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    signing = sign().catch(() => {}); // the next sign is soon enough; without any, others take over
  }, PRESENCE_POLICY.signMs).unref();
  const held = new Set<string>();
  return {
    processId,
    isAlive: async (other) =>
      other === processId || (await sharing.leaseHolder(leaseOf(other))) !== undefined,
    async takeOn(work, ttlMs) {
      const won = await sharing.takeLease(work, processId, ttlMs);
      if (won) held.add(work);
      else held.delete(work);
      return won;
    },
    async handOver(work) {
      held.delete(work);
      await sharing.endLease(work, processId);
    },
    async stop() {
      clearInterval(timer);
      await signing;
      for (const name of [...held, leaseOf(processId)])
        await sharing.endLease(name, processId).catch(() => {});
    },
  };
}
