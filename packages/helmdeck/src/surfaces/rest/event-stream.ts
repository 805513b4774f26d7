import type { Caller } from '../../memory/namespace.ts';
import { eventJson } from '../http/event-bytes.ts';
import { outgoingOf } from '../http/request-context.ts';
import { createStreamSlots, type TakeSlot } from '../http/stream-slots.ts';
import type { Call, RestServices } from './route.ts';

/** A node learns within two seconds what another one revoked: together less than 15 seconds. */
const HEARTBEAT_MS = 12_000;
/** Buffered for a client that reads too slowly; beyond it the stream ends, and the client reconnects. */
const MAX_BUFFERED_BYTES = 65_536;
const MAX_STREAMS = 16;

/** Produces the events of a stream: calls `send` for each and `end` after the last; returns how to unsubscribe. */
export type Feed = (send: (type: string, data: object) => void, end: () => void) => () => void;

/** Responds with server-sent events until the feed, the connection, the token or the server ends. */
export function eventStreamResponse(call: Call, feed: Feed): Response {
  const headers = { ...call.headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  // HEAD runs this handler too and drops the body unread: a stream opened for it would never be closed.
  if (call.c.req.method === 'HEAD') return new Response(null, { headers });
  // Counts against the requester: an admin who watches another caller does not use up that caller's streams.
  const release = takeSlot(call.services, call.identity.caller);
  return new Response(eventStream(call, feed, release), { headers });
}

function eventStream(call: Call, feed: Feed, release: () => void): ReadableStream {
  const { services } = call;
  const outgoing = outgoingOf(call.c);
  const encoder = new TextEncoder();
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let open = true;
        const write = (text: string) => {
          if (!open) return;
          controller.enqueue(encoder.encode(text));
          if (controller.desiredSize! < -MAX_BUFFERED_BYTES) end();
        };
        const end = () => {
          if (!open) return;
          stop();
          controller.close();
        };
        // Checked before each event: a revoked token, or a person whose grant ended, is told nothing more.
        const writeIfLive = (text: string) => (call.hasEnded() ? end() : write(text));
        const heartbeat = setInterval(() => writeIfLive(':\n\n'), HEARTBEAT_MS).unref();
        services.closing.addEventListener('abort', end, { once: true });
        let stopFeed = () => {};
        stop = () => {
          open = false;
          stopFeed();
          clearInterval(heartbeat);
          services.closing.removeEventListener('abort', end);
          // A client that stopped reading holds its connection, and therefore its slot, until the connection closes.
          if (!outgoing || outgoing.closed) release();
          else outgoing.once('close', release);
        };
        write(': connected\n\n');
        const send = (type: string, data: object) =>
          writeIfLive(`event: ${type}\ndata: ${eventJson(data)}\n\n`);
        stopFeed = feed(send, end);
        if (services.closing.aborted) end();
        if (!open) stopFeed();
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

/** Per server, because tests run several in one process. */
const slots = new WeakMap<RestServices, TakeSlot>();

function takeSlot(services: RestServices, caller: Caller): () => void {
  const take =
    slots.get(services) ?? createStreamSlots(MAX_STREAMS, 'event streams', services.metrics.streams);
  slots.set(services, take);
  return take(caller);
}
