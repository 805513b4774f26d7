import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Options, Sql } from 'postgres';
import type { PostgresAddress } from './address.ts';
import { unreachable } from './errors.ts';
import { SILENCE_MS, type Sockets } from './sockets.ts';

export type PostgresValue = string | number | boolean | Uint8Array | null | object;
export type PostgresDriver = (options: Options<Record<string, never>>) => Sql;

/** One connection, made by the first statement, and what is under way on it. */
export interface Connection {
  readonly openedMs: number;
  /** Since when there has been nothing to do. */
  readonly restingMs: number;
  readonly running: number;
  /** Whether the server has answered on it. */
  readonly isReady: boolean;
  /** When the connection was found to be gone. */
  readonly lostMs: number | undefined;
  run<T extends object>(text: string, values: readonly PostgresValue[], prepare: boolean): Promise<T[]>;
  /** Waits for what is under way; nothing may be run after that. */
  end(): Promise<void>;
}

export interface LaneOptions {
  driver: PostgresDriver;
  address: PostgresAddress;
  sockets: Sockets;
  onNotify?: (channel: string, payload: string) => void;
  /** The connection is gone, or was never made; whatever was under way has failed. */
  onLost: () => void;
}

/** Nobody waits longer for an answer; longer than a silent connection lives, so that they learn what became of it. */
export const DEADLINE_MS = SILENCE_MS + 5_000;
const GOODBYE_SECONDS = 2;
const INT8 = 20;

/**
 * A driver is used for one connection and thrown away with it. It would connect again, but not reliably: one whose
 * attempt failed is counted as connecting for ever, and one that was cut off before it had sent what it was given
 * sends that ahead of its next greeting, or never sends anything again.
 */
export function openLane({ driver, address, sockets, onNotify, onLost }: LaneOptions): Connection {
  const openedMs = performance.now();
  const underWay = new Set<Promise<unknown>>();
  let restingMs = openedMs;
  let isOpened = false;
  let isReady = false;
  let lostMs: number | undefined;

  function lose(): void {
    lostMs ??= performance.now();
    onLost();
  }

  async function openOnce(): Promise<Socket> {
    if (isOpened) return broken(unreachable());
    isOpened = true;
    const socket = await sockets.open(() => underWay.size > 0).catch(broken);
    // The driver hears of it a little later, when all of it has been read: nobody is to be sent here meanwhile.
    socket.once('end', lose).once('error', lose);
    return socket;
  }

  function onclose(): void {
    void sql.end({ timeout: 0 });
    lose();
  }

  const sql = driver(driverOptions(address, { socket: openOnce, onnotify: onNotify, onclose }));
  return {
    openedMs,
    get restingMs() {
      return restingMs;
    },
    get isReady() {
      return isReady;
    },
    get lostMs() {
      return lostMs;
    },
    get running() {
      return underWay.size;
    },
    run<T extends object>(text: string, values: readonly PostgresValue[], prepare: boolean) {
      const work = sql.unsafe(text, values as never[], { prepare }).execute() as unknown as Promise<T[]>;
      underWay.add(work);
      const done = () => {
        underWay.delete(work);
        restingMs = performance.now();
      };
      work.then(() => {
        isReady = true;
        done();
      }, done);
      return work;
    },
    async end() {
      await Promise.race([Promise.allSettled(underWay), delay(DEADLINE_MS, undefined, { ref: false })]);
      await sql.end({ timeout: GOODBYE_SECONDS });
    },
  };
}

/** The driver copes with a connection that breaks, not with one that was never made. */
function broken(thrown: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(thrown));
  return socket;
}

/** Everything is said here, because what is not said the driver takes from the environment. */
function driverOptions(address: PostgresAddress, ours: object): Options<Record<string, never>> {
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
    types: { int8: { to: INT8, from: [INT8], serialize: String, parse: Number } },
    onnotice: () => {},
    ...ours,
  };
  return options as unknown as Options<Record<string, never>>;
}
