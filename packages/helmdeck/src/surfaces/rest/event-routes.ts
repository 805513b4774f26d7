import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors.ts';
import type { Change, ChangeFeed } from '../../memory/changes.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import { isoMs } from '../../memory/remember.ts';
import type { Call, Route } from './route.ts';

const HEARTBEAT_MS = 15_000;
/** What may wait for a reader who does not read; beyond it the stream ends, and the reader connects again. */
const MAX_WAITING_BYTES = 65_536;
const MAX_STREAMS = 16;

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/events',
    tag: 'Overview',
    summary: 'Changes of your own memory as server-sent events, without values',
    scope: 'memory:read',
    takesCaller: true,
    responseType: 'text/event-stream',
    async handler(call) {
      const memory = await call.memory();
      const headers = { ...call.headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
      // HEAD runs this handler too and drops the body unread: a stream opened for it would never be closed.
      if (call.c.req.method === 'HEAD') return new Response(null, { headers });
      const { ns } = await memory.directory.findOrCreate(memory.caller);
      // Whoever opens a stream pays for it, so that an admin who watches somebody takes nothing from them.
      const release = takeSlot(memory.changes, call.identity.caller);
      return new Response(changeStream(call, memory.changes, ns, release), { headers });
    },
  },
];

function changeStream(call: Call, changes: ChangeFeed, ns: Uint8Array, release: () => void): ReadableStream {
  const { services, identity } = call;
  const { outgoing } = (call.c.env ?? {}) as { outgoing?: ServerResponse };
  const encoder = new TextEncoder();
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => {
          controller.enqueue(encoder.encode(text));
          if (controller.desiredSize! < -MAX_WAITING_BYTES) end();
        };
        const end = () => {
          stop();
          controller.close();
        };
        const unsubscribe = changes.subscribe(ns, (change) => send(eventText(change)));
        const heartbeat = setInterval(() => {
          const over =
            services.now() >= identity.expiresMs ||
            (identity.jti !== undefined && services.memoryIfOn()?.tokens.isRevoked(identity.jti));
          if (over) end();
          else send(':\n\n');
        }, HEARTBEAT_MS).unref();
        services.closing.addEventListener('abort', end, { once: true });
        stop = () => {
          unsubscribe();
          clearInterval(heartbeat);
          services.closing.removeEventListener('abort', end);
          // A reader who stopped reading keeps the connection, and with it the slot, until the connection goes.
          if (!outgoing || outgoing.closed) release();
          else outgoing.once('close', release);
        };
        send(': connected\n\n');
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

/** Open streams per caller, of each server in this process. */
const openStreams = new WeakMap<ChangeFeed, Map<string, number>>();

/** Counts one more stream of a caller, or refuses; the answer gives the slot back, once. */
function takeSlot(changes: ChangeFeed, caller: Caller): () => void {
  const counts = openStreams.get(changes) ?? new Map<string, number>();
  openStreams.set(changes, counts);
  const name = namespaceOf(caller).toString('latin1');
  const open = counts.get(name) ?? 0;
  if (open >= MAX_STREAMS) {
    throw new AppError('rate_limited', `At most ${MAX_STREAMS} event streams at once.`, {
      hint: 'Close a stream first.',
      retryAfterSeconds: Math.ceil(HEARTBEAT_MS / 1000),
    });
  }
  counts.set(name, open + 1);
  let taken = true;
  return () => {
    if (!taken) return;
    taken = false;
    const left = counts.get(name)! - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  };
}

function eventText({ type, atMs, ...rest }: Change): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest, at: isoMs(atMs) })}\n\n`;
}
