import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Notice } from '../../memory/store.ts';
import type { PostgresAddress } from './address.ts';
import { openPostgresClient, type PostgresClient } from './client.ts';

/** Sends notices of changes to the other processes, and receives theirs, through LISTEN and NOTIFY. */
export interface PostgresNotices {
  /** Sends a notice soon, in one message with others. */
  publish(notice: Notice): void;
  watch(listener: (notice: Notice | undefined) => void): () => void;
  close(): Promise<void>;
}

/** Notices of this period share a NOTIFY. It serializes commits, so it is not part of the transactions that write. */
const PUBLISH_INTERVAL_MS = 20;
/** PostgreSQL accepts payloads of less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** A connection that only listens would not notice that the network is cut. */
const HEARTBEAT_INTERVAL_MS = 3_000;
const RECONNECT_DELAY_MS = 500;
const NUMBER_BASE = 36;

export function createPostgresNotices(client: PostgresClient, address: PostgresAddress): PostgresNotices {
  const channel = `helmdeck_${address.schemaName}`.slice(0, 63);
  const ownId = randomBytes(6).toString('base64url');
  const outgoing: string[] = [];
  const listeners = new Set<(notice: Notice | undefined) => void>();
  let timer: NodeJS.Timeout | undefined;
  let listening: Promise<void> | undefined;
  const closed = new AbortController();

  async function flush(): Promise<void> {
    timer = undefined;
    while (outgoing.length > 0) {
      let payload = ownId;
      while (outgoing.length > 0 && payload.length + outgoing[0]!.length < MAX_PAYLOAD_BYTES)
        payload += ` ${outgoing.shift()}`;
      // A notice need not survive a crash, so this commit does not wait for the disk.
      const sql = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;
      await client.execute(sql, channel, payload);
    }
  }

  function receive(payload: string): void {
    const [senderId, ...notices] = payload.split(' ');
    if (senderId === ownId) return;
    for (const text of notices) {
      const notice = parseNotice(text);
      for (const listener of listeners) listener(notice);
    }
  }

  const reportMissedNotices = () => {
    for (const listener of listeners) listener(undefined);
  };

  /** Listens until `close`, and reconnects when the connection is lost; notices sent in between are missed. */
  async function listen(): Promise<void> {
    while (!closed.signal.aborted) {
      const lost = new AbortController();
      const ended = AbortSignal.any([lost.signal, closed.signal]);
      const listener = await openPostgresClient(address, {
        maxConnections: 1,
        onNotify: (_channel, payload) => receive(payload),
        onConnectionLost: () => lost.abort(),
      });
      try {
        await listener.execute(`LISTEN ${channel}`);
        reportMissedNotices();
        while (!ended.aborted) {
          await delay(HEARTBEAT_INTERVAL_MS, undefined, { signal: ended, ref: false });
          await listener.execute('SELECT 1');
        }
      } catch {
        // Lost or closed: the loop condition decides.
      }
      await listener.close().catch(() => {});
      await delay(RECONNECT_DELAY_MS, undefined, { signal: closed.signal, ref: false }).catch(() => {});
    }
  }

  return {
    publish({ ns, afterSeq, seq, deleted = 0 }) {
      const name = Buffer.from(ns.buffer, ns.byteOffset, ns.byteLength).toString('base64url');
      const numbers = [afterSeq, seq, deleted].map((number) => number.toString(NUMBER_BASE));
      outgoing.push([name, ...numbers].join('.'));
      timer ??= setTimeout(() => void flush().catch(() => {}), PUBLISH_INTERVAL_MS);
    },
    watch(listener) {
      listeners.add(listener);
      listening ??= listen();
      return () => void listeners.delete(listener);
    },
    async close() {
      clearTimeout(timer);
      await flush().catch(() => {});
      closed.abort();
      await listening;
    },
  };
}

function parseNotice(text: string): Notice {
  const [ns, ...numbers] = text.split('.');
  const [afterSeq, seq, deleted] = numbers.map((digits) => Number.parseInt(digits, NUMBER_BASE));
  return { ns: Buffer.from(ns!, 'base64url'), afterSeq: afterSeq!, seq: seq!, deleted: deleted! };
}
