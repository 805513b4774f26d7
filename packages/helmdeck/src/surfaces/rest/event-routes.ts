import { isoMs } from '../../memory/times.ts';
import { eventStreamResponse } from './event-stream.ts';
import type { Route } from './route.ts';
import { changeEvent } from './schemas/fact-schemas.ts';

/** Changes of a memory as server-sent events. */
export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/events',
    tag: 'Overview',
    operationId: 'streamMemoryEvents',
    takesSpace: true,
    summary: 'Changes of your own memory as server-sent events, without values',
    errors: ['rate_limited'],
    scope: 'memory:read',
    takesCaller: true,
    responseType: 'text/event-stream',
    event: changeEvent,
    async handler(call) {
      const memory = await call.memory();
      const { ns } = await memory.directory.findOrCreate(memory.caller);
      return eventStreamResponse(call, (send) =>
        memory.changes.subscribe(ns, ({ type, atMs, ...rest }) =>
          send(type, { type, ...rest, at: isoMs(atMs) }),
        ),
      );
    },
  },
];
