import type { Server as HttpServer, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const CHECK_INTERVAL_MS = 25;
/**
 * Checks in a row that must find nothing under way: a request that the kernel has received is not known here yet, and
 * closing its connection would lose it.
 */
const QUIET_CHECKS = 4;

/** The requests that a server has received and not finished answering. */
export interface RequestsUnderWay {
  /** From now on every response ends its connection, so that clients take their next request elsewhere. */
  closeConnections(): void;
  /** Resolves when nothing is under way any more, at the latest after `timeoutMs`. */
  untilQuiet(timeoutMs: number): Promise<void>;
}

export function trackRequests(http: HttpServer): RequestsUnderWay {
  const underWay = new Set<ServerResponse>();
  let draining = false;
  // Before the listener of the app, which may send the headers.
  http.prependListener('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (draining) response.setHeader('connection', 'close');
  });
  return {
    closeConnections() {
      draining = true;
      for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close');
    },
    async untilQuiet(timeoutMs) {
      const endMs = performance.now() + timeoutMs;
      for (let quiet = 0; quiet < QUIET_CHECKS && performance.now() < endMs; ) {
        await delay(CHECK_INTERVAL_MS);
        quiet = underWay.size === 0 ? quiet + 1 : 0;
      }
    },
  };
}
