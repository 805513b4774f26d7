import type { Connection } from './connection.ts';
import { unreachable } from './errors.ts';

/** Connections that are opened as they are needed, and shared. */
export interface ConnectionPool {
  /** The one with the least to do; of those opened since then, if that can be had. */
  pick(openedSinceMs?: number): Connection;
  /** Runs work on a connection of its own, which ends with it. */
  alone<T>(work: (lane: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface LanesOptions {
  max: number;
  /** A connection that does nothing for so long is ended. */
  idleMs: number;
  /** Connections are renewed now and then, so that a moved server is found. */
  lifetimeMs: number;
  open: (onLost: () => void) => Connection;
}

const LOOK_MS = 5_000;

export function createLanes({ max, idleMs, lifetimeMs, open }: LanesOptions): ConnectionPool {
  const lanes = new Set<Connection>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;

  /** Nobody is given it any more; what is under way on it may finish. */
  function retire(lane: Connection): void {
    lanes.delete(lane);
    const ended = lane.end().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const lane of lanes) {
        const isIdle = lane.running === 0 && nowMs - lane.restingMs > idleMs;
        if (isIdle || nowMs - lane.openedMs > lifetimeMs) retire(lane);
      }
    },
    Math.min(LOOK_MS, idleMs, lifetimeMs),
  ).unref();

  function pick(openedSinceMs = Number.NEGATIVE_INFINITY): Connection {
    if (isClosed) throw unreachable();
    let best: Connection | undefined;
    for (const lane of lanes) {
      if (lane.openedMs < openedSinceMs) continue;
      if (lane.running === 0) return lane;
      if (!best || isBetter(lane, best)) best = lane;
    }
    if (lanes.size >= max) return best ?? pick();
    const lane = open(() => lanes.delete(lane));
    lanes.add(lane);
    return lane;
  }

  return {
    pick,
    async alone(work) {
      const lane = open(() => {});
      return work(lane).finally(lane.end);
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      for (const lane of lanes) retire(lane);
      await Promise.all(ending);
    },
  };
}

/** Nobody is made to wait for a connection that may never be made while there are others. */
function isBetter(lane: Connection, other: Connection): boolean {
  return lane.isReady === other.isReady ? lane.running < other.running : lane.isReady;
}
