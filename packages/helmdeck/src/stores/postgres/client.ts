import { AppError } from '../../errors.ts';
import type { PostgresAddress } from './address.ts';
import { type Connection, DEADLINE_MS, openLane, type PostgresValue } from './connection.ts';
import { explainPostgres, isConnectionFailure, timedOut } from './errors.ts';
import { createLanes } from './pool.ts';
import { createSockets, SILENCE_MS } from './sockets.ts';

/** The little of PostgreSQL that the store uses, with every failure turned into a sentence. */
export interface PostgresClient {
  /** Asks a question that changes nothing; one that a broken connection swallowed is asked again. */
  ask<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs a statement that changes something, once. */
  run<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]>;
  /** Runs statements in one transaction of their own. */
  transact<T>(work: (run: PostgresClient['run']) => Promise<T>): Promise<T>;
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

const IDLE_MS = 60_000;
const LIFETIME_MS = 1_800_000;

export async function openPostgresLink(
  address: PostgresAddress,
  { max, patient, onNotify, onClose }: LinkOptions,
): Promise<PostgresClient> {
  const { default: driver } = await import('postgres').catch((thrown) => {
    throw new AppError('memory_unavailable', 'The PostgreSQL driver is not installed.', {
      reason: 'driver_missing',
      hint: 'Install it beside Helmdeck: npm install postgres',
      cause: thrown,
    });
  });
  const sockets = createSockets(address, patient ? Number.POSITIVE_INFINITY : SILENCE_MS);
  const stays = onNotify !== undefined;
  const lanes = createLanes({
    max,
    idleMs: stays ? Number.POSITIVE_INFINITY : IDLE_MS,
    lifetimeMs: stays ? Number.POSITIVE_INFINITY : LIFETIME_MS,
    open: (onGone) =>
      openLane({
        driver,
        address,
        sockets,
        onNotify,
        onLost() {
          onGone();
          onClose?.();
        },
      }),
  });
  let closing: Promise<void> | undefined;

  const runOn = <T extends object>(lane: Connection, text: string, values: readonly PostgresValue[]) =>
    inTime(lane.run<T>(text, values, address.prepare));

  return {
    run: async <T extends object>(text: string, ...values: PostgresValue[]) =>
      explained(runOn<T>(lanes.pick(), text, values)),
    async ask<T extends object>(text: string, ...values: PostgresValue[]) {
      const lane = lanes.pick();
      const again = (thrown: unknown) => {
        if (!isConnectionFailure(thrown)) throw thrown;
        // The others may be about to fail as this one did.
        return runOn<T>(lanes.pick(lane.lostMs ?? performance.now()), text, values);
      };
      return explained(runOn<T>(lane, text, values).catch(again));
    },
    transact: (work) =>
      explained(
        lanes.alone(async (lane) => {
          // What is not committed is undone by the end of the connection.
          await lane.run('BEGIN', [], false);
          const result = await work((text, ...values) => lane.run(text, values, false));
          await lane.run('COMMIT', [], false);
          return result;
        }),
      ),
    close() {
      closing ??= lanes.close().then(sockets.close);
      return closing;
    },
  };
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
