import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sharing } from '../memory/store.ts';

/** How long a node that died keeps others waiting. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
const FIRST_LOOK_MS = 10;
const MAX_LOOK_MS = 200;
/** How long others know that there was nothing to keep. */
const UNKEPT_MS = 5_000;

/** Where nodes agree on who makes a result, and the name they have for it. */
export interface MeetingPoint {
  sharing: Sharing;
  name: string;
}

/** The right to make a result while other nodes wait for it. */
export interface Lead {
  /** Ends the wait of the others: they find the result, or make one themselves, all at once. */
  end(kept: boolean): Promise<void>;
}

export interface SharedFlights {
  /** The lead, unless another node has it. */
  take(at: MeetingPoint): Promise<Lead | undefined>;
  /** The lead, or what another node made meanwhile; neither when there is nothing to wait for. */
  board<T>(
    at: MeetingPoint,
    look: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<{ lead?: Lead; found?: T }>;
}

/** Lets one of several nodes make a result that all of them were asked for. */
export function createSharedFlights(): SharedFlights {
  const node = randomBytes(8).toString('hex');

  async function take({ sharing, name }: MeetingPoint): Promise<Lead | undefined> {
    const lease = `flight ${name}`;
    if (!(await sharing.takeLease(lease, node, LEASE_MS))) return undefined;
    // A renewal that fails is not worth a word: at worst another node makes the result as well.
    const renew = () => void sharing.takeLease(lease, node, LEASE_MS).catch(() => {});
    const renewal = setInterval(renew, RENEW_MS).unref();
    return {
      async end(kept) {
        clearInterval(renewal);
        if (!kept) await sharing.takeLease(`unkept ${name}`, node, UNKEPT_MS);
        await sharing.endLease(lease, node);
      },
    };
  }

  /** Waits until nobody leads any more; false when it is known that there was nothing to keep. */
  async function landed({ sharing, name }: MeetingPoint, signal: AbortSignal): Promise<boolean> {
    for (let pauseMs = FIRST_LOOK_MS; await sharing.leaseHolder(`flight ${name}`); pauseMs *= 2)
      await delay(Math.min(pauseMs, MAX_LOOK_MS), undefined, { signal });
    return (await sharing.leaseHolder(`unkept ${name}`)) === undefined;
  }

  return {
    take,
    async board(at, look, signal) {
      for (;;) {
        const lead = await take(at);
        if (!lead && !(await landed(at, signal))) return {};
        const found = await look().catch((thrown) => {
          void lead?.end(true).catch(() => {});
          throw thrown;
        });
        if (lead && !found) return { lead };
        await lead?.end(true);
        if (found) return { found };
      }
    },
  };
}
