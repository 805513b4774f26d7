import { AppError } from '../../errors.ts';
import type { DatabaseConnections } from '../../memory/store.ts';
import { installHint } from '../../runtime/install-hint.ts';
import type { PostgresAddress } from './address.ts';
import { type Connection, openConnection, type PostgresValue, QUERY_TIMEOUT_MS } from './connection.ts';
import { isConnectionFailure, timedOut, toStoreError } from './errors.ts';
import { createConnectionPool } from './pool.ts';
import { createSockets, RESPONSE_TIMEOUT_MS } from './sockets.ts';

/** Runs statements on pooled connections; failures of the driver become `AppError`s. */
export interface PostgresClient {
  /** Runs a statement that changes nothing. If the connection breaks, it is retried once on another one. */
  query<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs a statement that changes something. It is never retried. */
  execute<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs statements in one transaction on a dedicated connection. */
  transaction<T>(work: (execute: PostgresClient['execute']) => Promise<T>): Promise<T>;
  connections(): DatabaseConnections;
  /** Waits for pending statements, then closes every connection. */
  close(): Promise<void>;
}

export interface ClientOptions {
  maxConnections: number;
  /** For long work such as a migration: a server that sends nothing for a while is not taken for dead. */
  noResponseTimeout?: boolean;
  onNotify?: (channel: string, payload: string) => void;
  onConnectionLost?: () => void;
  /** Called after each statement but those of a transaction, with its time in the queue. */
  onCall?: (seconds: number) => void;
}

const IDLE_TIMEOUT_MS = 60_000;
const MAX_LIFETIME_MS = 1_800_000;

export async function openPostgresClient(
  address: PostgresAddress,
  { maxConnections, noResponseTimeout, onNotify, onConnectionLost, onCall }: ClientOptions,
): Promise<PostgresClient> {
  const { default: driver } = await import('postgres').catch((thrown) => {
    throw new AppError('memory_unavailable', 'The PostgreSQL driver is not installed.', {
      reason: 'driver_missing',
      hint: installHint('postgres'),
      cause: thrown,
    });
  });
  const sockets = createSockets(address, noResponseTimeout ? Number.POSITIVE_INFINITY : RESPONSE_TIMEOUT_MS);
  // A connection that listens must stay open.
  const isListener = onNotify !== undefined;
  const pool = createConnectionPool({
    maxConnections,
    idleTimeoutMs: isListener ? Number.POSITIVE_INFINITY : IDLE_TIMEOUT_MS,
    maxLifetimeMs: isListener ? Number.POSITIVE_INFINITY : MAX_LIFETIME_MS,
    open: ({ onReady, onLost }) =>
      openConnection({
        driver,
        address,
        sockets,
        onNotify,
        onReady,
        onLost() {
          onLost();
          onConnectionLost?.();
        },
      }),
  });
  let closing: Promise<void> | undefined;

  const runOn = <T extends object>(connection: Connection, sql: string, values: readonly PostgresValue[]) => {
    const startMs = performance.now();
    return withTimeout(connection.run<T>(sql, values, address.prepare)).finally(() =>
      onCall?.((performance.now() - startMs) / 1000),
    );
  };

  return {
    execute: async <T extends object>(sql: string, ...values: PostgresValue[]) =>
      wrapErrors(runOn<T>(pool.pick(), sql, values)),
    async query<T extends object>(sql: string, ...values: PostgresValue[]) {
      const connection = pool.pick();
      const retry = (thrown: unknown) => {
        if (!isConnectionFailure(thrown)) throw thrown;
        // Connections that were opened before this one failed may be about to fail as well.
        return runOn<T>(pool.pick(connection.lostAtMs ?? performance.now()), sql, values);
      };
      return wrapErrors(runOn<T>(connection, sql, values).catch(retry));
    },
    transaction: (work) =>
      wrapErrors(
        pool.withDedicatedConnection(async (connection) => {
          // Without a COMMIT, the end of the connection rolls everything back.
          await connection.run('BEGIN', [], false);
          const result = await work((sql, ...values) => connection.run(sql, values, false));
          await connection.run('COMMIT', [], false);
          return result;
        }),
      ),
    connections: pool.status,
    close() {
      closing ??= pool.close().then(sockets.close);
      return closing;
    },
  };
}

async function wrapErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw toStoreError(thrown);
  }
}

/** Includes the time that a statement waits in the queue of its connection. */
function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timedOut()), QUERY_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
