import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const CHECK_INTERVAL_MS = 25;
/**
 * Checks in a row that must find nothing under way: a request that the kernel has received is not known here yet, and
 * closing its connection would lose it.
 */
const QUIET_CHECKS = 4;

/** The requests that a server has received and not finished answering. */
export interface RequestsUnderWay {
  /** Counts a request until its response was sent or its connection ended. */
  begin(response: ServerResponse): void;
  /** Call it before the headers of the response are sent. */
  beforeHeaders(response: ServerResponse): void;
  /** From now on every response ends its connection, so that clients take their next request elsewhere. */
  closeConnections(): void;
  /** Resolves when nothing is under way any more, at the latest after `timeoutMs`. */
  untilQuiet(timeoutMs: number): Promise<void>;
}

/** Counts: a set of the responses took about a twentieth of the CPU time of a store. */
export function trackRequests(): RequestsUnderWay {
  let underWay = 0;
  let draining = false;
  const onClose = () => {
    underWay--;
  };
  const beforeHeaders = (response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
  };
  return {
    begin(response) {
      underWay++;
      response.on('close', onClose); // emitted once
      beforeHeaders(response); // also for requests that are refused before they reach the app
    },
    beforeHeaders,
    closeConnections() {
      draining = true;
    },
    async untilQuiet(timeoutMs) {
      const endMs = performance.now() + timeoutMs;
      for (let quiet = 0; quiet < QUIET_CHECKS && performance.now() < endMs; ) {
        await delay(CHECK_INTERVAL_MS);
        quiet = underWay === 0 ? quiet + 1 : 0;
      }
    },
  };
}
