import type { DatabaseConnections } from '../../memory/store.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { unreachable } from './errors.ts';

/** A pool of shared connections, which are opened on demand and pipeline the statements of all callers. */
export interface ConnectionPool {
  /** The least busy connection; one that was opened after `openedSinceMs` if possible. */
  pick(openedSinceMs?: number): Connection;
  /** Runs work on a connection that nothing else uses and that is closed afterwards. */
  withDedicatedConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  status(): DatabaseConnections;
  close(): Promise<void>;
}

export interface PoolOptions {
  maxConnections: number;
  /** A connection without statements for this long is closed. */
  idleTimeoutMs: number;
  /** Older connections are replaced, so that a server that moved is found. */
  maxLifetimeMs: number;
  open: (events: Pick<ConnectionOptions, 'onReady' | 'onLost'>) => Connection;
}

const CHECK_INTERVAL_MS = 5_000;

export function createConnectionPool({
  maxConnections,
  idleTimeoutMs,
  maxLifetimeMs,
  open,
}: PoolOptions): ConnectionPool {
  const connections = new Set<Connection>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;
  let lost = 0;
  let reconnects = 0;

  /** Takes a connection out of the pool; statements pending on it may finish. */
  function retire(connection: Connection): void {
    connections.delete(connection);
    const ended = connection.end().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const connection of connections) {
        const { pendingStatements, idleSinceMs, openedAtMs } = connection;
        const isIdle = pendingStatements === 0 && nowMs - idleSinceMs > idleTimeoutMs;
        if (isIdle || nowMs - openedAtMs > maxLifetimeMs) retire(connection);
      }
    },
    Math.min(CHECK_INTERVAL_MS, idleTimeoutMs, maxLifetimeMs),
  ).unref();

  function pick(openedSinceMs = Number.NEGATIVE_INFINITY): Connection {
    if (isClosed) throw unreachable();
    let best: Connection | undefined;
    for (const connection of connections) {
      if (connection.openedAtMs < openedSinceMs) continue;
      if (connection.pendingStatements === 0) return connection;
      if (!best || isBetter(connection, best)) best = connection;
    }
    if (connections.size >= maxConnections) return best ?? pick();
    const connection = open({
      onReady() {
        if (reconnects < lost) reconnects++;
      },
      onLost() {
        // A retired connection is not in the pool any more, and one that was never ready was not lost.
        if (connections.delete(connection) && connection.isReady) lost++;
      },
    });
    connections.add(connection);
    return connection;
  }

  return {
    pick,
    async withDedicatedConnection(work) {
      const connection = open({ onLost() {} });
      return work(connection).finally(connection.end);
    },
    status() {
      const ready = [...connections].filter(({ isReady }) => isReady);
      return {
        open: ready.length,
        pendingCalls: [...connections].reduce((sum, { pendingStatements }) => sum + pendingStatements, 0),
        lost,
        reconnects,
        pool: {
          busy: ready.filter(({ pendingStatements }) => pendingStatements > 0).length,
          max: maxConnections,
        },
      };
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      for (const connection of connections) retire(connection);
      await Promise.all(ending);
    },
  };
}

/** Prefers connections that are ready: one that is still connecting may never succeed. */
function isBetter(connection: Connection, other: Connection): boolean {
  return connection.isReady === other.isReady
    ? connection.pendingStatements < other.pendingStatements
    : connection.isReady;
}
