import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Notice } from '../../memory/store.ts';
import type { PostgresAddress } from './address.ts';
import { openPostgresLink, type PostgresClient } from './client.ts';

export interface PostgresNotices {
  /** Has the other processes told of a change, with others of the same moment. */
  tell(notice: Notice): void;
  watch(listener: (notice: Notice | undefined) => void): () => void;
  close(): Promise<void>;
}

/** Changes of so long are told at once: NOTIFY makes commits wait for each other, so it stays out of those of writes. */
const GATHER_MS = 20;
/** PostgreSQL takes payloads below 8000 bytes. */
const MAX_PAYLOAD = 7_900;
/** A listener that nobody talks to would not notice that the way to it is cut. */
const HEARTBEAT_MS = 3_000;
const RETRY_MS = 500;
const BASE = 36;

export function createPostgresNotices(link: PostgresClient, address: PostgresAddress): PostgresNotices {
  const channel = `helmdeck_${address.schemaName}`.slice(0, 63);
  const origin = randomBytes(6).toString('base64url');
  const gathered: string[] = [];
  const listeners = new Set<(notice: Notice | undefined) => void>();
  let timer: NodeJS.Timeout | undefined;
  let listening: Promise<void> | undefined;
  const ended = new AbortController();

  async function send(): Promise<void> {
    timer = undefined;
    while (gathered.length > 0) {
      let payload = origin;
      while (gathered.length > 0 && payload.length + gathered[0]!.length < MAX_PAYLOAD)
        payload += ` ${gathered.shift()}`;
      // A notice need not survive a crash, so nobody waits for the disk.
      const sql = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;
      await link.run(sql, channel, payload);
    }
  }

  function hear(payload: string): void {
    const [from, ...notices] = payload.split(' ');
    if (from === origin) return;
    for (const text of notices) {
      const notice = parseNotice(text);
      for (const listener of listeners) listener(notice);
    }
  }

  const tellAll = () => {
    for (const listener of listeners) listener(undefined);
  };

  /** Listens until the end; whenever the connection was lost, whatever came meanwhile was missed. */
  async function listen(): Promise<void> {
    while (!ended.signal.aborted) {
      const lost = new AbortController();
      const until = AbortSignal.any([lost.signal, ended.signal]);
      const own = await openPostgresLink(address, {
        max: 1,
        onNotify: (_channel, payload) => hear(payload),
        onClose: () => lost.abort(),
      });
      try {
        await own.run(`LISTEN ${channel}`);
        tellAll();
        while (!until.aborted) {
          await delay(HEARTBEAT_MS, undefined, { signal: until, ref: false });
          await own.run('SELECT 1');
        }
      } catch {
        // Lost, or ended: the loop decides.
      }
      await own.close().catch(() => {});
      await delay(RETRY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {});
    }
  }

  return {
    tell({ ns, afterSeq, seq, deleted = 0 }) {
      const name = Buffer.from(ns.buffer, ns.byteOffset, ns.byteLength).toString('base64url');
      gathered.push([name, ...[afterSeq, seq, deleted].map((number) => number.toString(BASE))].join('.'));
      timer ??= setTimeout(() => void send().catch(() => {}), GATHER_MS);
    },
    watch(listener) {
      listeners.add(listener);
      listening ??= listen();
      return () => void listeners.delete(listener);
    },
    async close() {
      clearTimeout(timer);
      await send().catch(() => {});
      ended.abort();
      await listening;
    },
  };
}

function parseNotice(text: string): Notice {
  const [ns, ...numbers] = text.split('.');
  const [afterSeq, seq, deleted] = numbers.map((each) => Number.parseInt(each, BASE));
  return { ns: Buffer.from(ns!, 'base64url'), afterSeq: afterSeq!, seq: seq!, deleted: deleted! };
}
