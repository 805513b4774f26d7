import type { Options, Sql } from 'postgres';
import { AppError } from '../errors.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { explainPostgres, isConnectionFailure, timedOut } from './postgres-failures.ts';
import { createSockets, SILENCE_MS } from './postgres-sockets.ts';

export type PostgresValue = string | number | boolean | Uint8Array | null | object;

/** The little of PostgreSQL that the store uses, with every failure turned into a sentence. */
export interface PostgresLink {
  /** Asks a question that changes nothing; one that a broken connection swallowed is asked again. */
  ask<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs a statement that changes something, once. */
  run<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs statements in one transaction of their own. */
  transact<T>(work: (run: PostgresLink['run']) => Promise<T>): Promise<T>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface LinkOptions {
  /** Connections at most. */
  max: number;
  /** For work that may take long: no answer is no reason to give up. */
  patient?: boolean;
  onNotify?: (channel: string, payload: string) => void;
  onClose?: () => void;
}

/** Longer than a silent connection lives, so that whoever waits learns what became of it. */
const DEADLINE_MS = SILENCE_MS + 5_000;
const CLOSE_SECONDS = 10;
const IDLE_SECONDS = 60;
/** Connections are renewed now and then, so that a moved server is found. */
const LIFETIME_SECONDS = 1_800;
const INT8 = 20;

export async function openPostgresLink(
  address: PostgresAddress,
  options: LinkOptions,
): Promise<PostgresLink> {
  const { default: postgres } = await import('postgres').catch((thrown) => {
    throw new AppError('memory_unavailable', 'The PostgreSQL driver is not installed.', {
      reason: 'driver_missing',
      hint: 'Install it beside Helmdeck: npm install postgres',
      cause: thrown,
    });
  });
  const sockets = createSockets(address, options.patient ? Number.POSITIVE_INFINITY : SILENCE_MS);
  const sql = postgres(driverOptions(address, options, sockets.open)) as Sql;
  let closing: Promise<void> | undefined;

  async function run<T extends object>(text: string, ...values: PostgresValue[]): Promise<T[]> {
    return inTime(
      sql.unsafe(text, values as never[], { prepare: address.prepare }) as Promise<unknown>,
    ) as Promise<T[]>;
  }
  return {
    run: (text, ...values) => explained(run(text, ...values)),
    async ask<T extends object>(text: string, ...values: PostgresValue[]) {
      const again = (thrown: unknown) => {
        if (!isConnectionFailure(thrown) || closing) throw thrown;
        return run<T>(text, ...values);
      };
      return explained(run<T>(text, ...values).catch(again));
    },
    transact: (work) =>
      explained(
        sql.begin((own) =>
          work(
            async <T extends object>(text: string, ...values: PostgresValue[]) =>
              (await own.unsafe(text, values as never[])) as unknown as T[],
          ),
        ) as ReturnType<typeof work>,
      ),
    close() {
      closing ??= sql.end({ timeout: CLOSE_SECONDS }).then(sockets.close);
      return closing;
    },
  };
}

/** Everything is said here, because what is not said the driver takes from the environment. */
function driverOptions(
  address: PostgresAddress,
  { max, onNotify, onClose }: LinkOptions,
  socket: () => Promise<unknown>,
): Options<Record<string, never>> {
  const listens = onNotify !== undefined;
  const options = {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    pass: () => address.password,
    ssl: false,
    max,
    idle_timeout: listens ? 0 : IDLE_SECONDS,
    max_lifetime: listens ? 0 : LIFETIME_SECONDS,
    connect_timeout: address.connectTimeoutMs / 1000,
    max_pipeline: 10,
    prepare: address.prepare,
    fetch_types: false,
    connection: { application_name: address.applicationName },
    types: { int8: { to: INT8, from: [INT8], serialize: String, parse: Number } },
    onnotice: () => {},
    onnotify: onNotify,
    onclose: onClose,
    socket,
  };
  return options as unknown as Options<Record<string, never>>;
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw explainPostgres(thrown);
  }
}

/** Also a wait for a free connection ends. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(timedOut()), DEADLINE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
