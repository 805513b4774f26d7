import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Options, Sql } from 'postgres';
import type { PostgresAddress } from './address.ts';
import { unreachable } from './errors.ts';
import { RESPONSE_TIMEOUT_MS, type Sockets } from './sockets.ts';

export type PostgresValue = string | number | boolean | Uint8Array | null | object;
export type PostgresDriver = (options: Options<Record<string, never>>) => Sql;

/** One connection to the server, opened by its first statement, with the statements that are pending on it. */
export interface Connection {
  readonly openedAtMs: number;
  /** When the last statement finished. */
  readonly idleSinceMs: number;
  readonly pendingStatements: number;
  /** Whether a statement has succeeded on it. */
  readonly isReady: boolean;
  /** When the connection was lost. */
  readonly lostAtMs: number | undefined;
  run<T extends object>(sql: string, values: readonly PostgresValue[], prepare: boolean): Promise<T[]>;
  /** Waits for pending statements, then closes the connection. No statement may be run afterwards. */
  end(): Promise<void>;
}

export interface ConnectionOptions {
  driver: PostgresDriver;
  address: PostgresAddress;
  sockets: Sockets;
  onNotify?: (channel: string, payload: string) => void;
  /** Called when the first statement has succeeded. */
  onReady?: () => void;
  /** Called when the connection is lost or could not be opened; every pending statement has failed. */
  onLost: () => void;
}

/** Longer than the response timeout of a socket, so that a statement fails with the reason its connection was lost. */
export const QUERY_TIMEOUT_MS = RESPONSE_TIMEOUT_MS + 5_000;
const CLOSE_TIMEOUT_SECONDS = 2;
const INT8_OID = 20;

/**
 * Opens a connection. A driver instance serves one connection and is thrown away with it. It could reconnect, but not
 * reliably: after a failed attempt it counts as connecting for ever, and when it is cut off with unsent statements it
 * sends them ahead of its next startup message, or never sends anything again.
 */
export function openConnection({
  driver,
  address,
  sockets,
  onNotify,
  onReady,
  onLost,
}: ConnectionOptions): Connection {
  const openedAtMs = performance.now();
  const pending = new Set<Promise<unknown>>();
  let idleSinceMs = openedAtMs;
  let isOpened = false;
  let isReady = false;
  let lostAtMs: number | undefined;

  function markLost(): void {
    lostAtMs ??= performance.now();
    onLost();
  }

  async function openSocketOnce(): Promise<Socket> {
    if (isOpened) return failingSocket(unreachable());
    isOpened = true;
    const socket = await sockets.open(() => pending.size > 0).catch(failingSocket);
    // The driver notices only after it has read everything; until then the pool must not pick this connection.
    socket.once('end', markLost).once('error', markLost);
    return socket;
  }

  function onclose(): void {
    void sql.end({ timeout: 0 });
    markLost();
  }

  const sql = driver(driverOptions(address, { socket: openSocketOnce, onnotify: onNotify, onclose }));
  return {
    openedAtMs,
    get idleSinceMs() {
      return idleSinceMs;
    },
    get isReady() {
      return isReady;
    },
    get lostAtMs() {
      return lostAtMs;
    },
    get pendingStatements() {
      return pending.size;
    },
    run<T extends object>(text: string, values: readonly PostgresValue[], prepare: boolean) {
      const work = sql.unsafe(text, values as never[], { prepare }).execute() as unknown as Promise<T[]>;
      pending.add(work);
      const done = () => {
        pending.delete(work);
        idleSinceMs = performance.now();
      };
      work.then(() => {
        if (!isReady) onReady?.();
        isReady = true;
        done();
      }, done);
      return work;
    },
    async end() {
      await Promise.race([Promise.allSettled(pending), delay(QUERY_TIMEOUT_MS, undefined, { ref: false })]);
      await sql.end({ timeout: CLOSE_TIMEOUT_SECONDS });
    },
  };
}

/** A socket that fails at once: the driver handles a connection that breaks, but not one that could not be opened. */
function failingSocket(thrown: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(thrown));
  return socket;
}

/** Sets every option, because the driver takes missing ones from the environment. */
function driverOptions(address: PostgresAddress, hooks: object): Options<Record<string, never>> {
  const options = {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    pass: () => address.password,
    ssl: false,
    max: 1,
    idle_timeout: 0,
    max_lifetime: 0,
    connect_timeout: address.connectTimeoutMs / 1000,
    max_pipeline: 10,
    prepare: address.prepare,
    fetch_types: false,
    connection: { application_name: address.applicationName },
    types: { int8: { to: INT8_OID, from: [INT8_OID], serialize: String, parse: Number } },
    onnotice: () => {},
    ...hooks,
  };
  return options as unknown as Options<Record<string, never>>;
}
