import type { Change } from '../../memory/changes.ts';
import { isoMs } from '../../memory/remember.ts';
import type { Route } from './route.ts';

const HEARTBEAT_MS = 15_000;

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/events',
    tag: 'Overview',
    summary: 'Changes of your own memory as server-sent events, without values',
    scope: 'memory:read',
    responseType: 'text/event-stream',
    async handler(call) {
      const { services, identity } = call;
      const { parts } = services.memory();
      const { ns } = await parts.directory.findOrCreate(identity.caller);
      const encoder = new TextEncoder();
      let stop = () => {};
      const body = new ReadableStream({
        start(controller) {
          const send = (text: string) => controller.enqueue(encoder.encode(text));
          const unsubscribe = parts.changes.subscribe(ns, (change) => send(eventText(change)));
          const end = () => {
            stop();
            controller.close();
          };
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
          };
          send(': connected\n\n');
        },
        cancel: () => stop(),
      });
      return new Response(body, {
        headers: { ...call.headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      });
    },
  },
];

function eventText({ type, atMs, ...rest }: Change): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest, at: isoMs(atMs) })}\n\n`;
}
