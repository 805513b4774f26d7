import { lookup } from 'node:dns/promises';

/** Resolves a host name to all its addresses. */
export type Resolve = (
  host: string,
  signal?: AbortSignal,
) => Promise<readonly { address: string; family: number }[]>;

/**
 * getaddrinfo uses libuv's thread pool of four, which file reads and token checks need, too. A look-up whose name server
 * does not respond blocks a thread for many seconds, so some threads are always left free.
 */
const MAX_CONCURRENT = 2;

/** Limits the number of concurrent look-ups; the others queue. */
export function createLimitedResolve(resolve: Resolve, maxConcurrent = MAX_CONCURRENT): Resolve {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (host, signal) => {
    if (running < maxConcurrent) running++;
    else await new Promise<void>((start) => waiting.push(start)); // inherits the slot of a finished look-up
    try {
      signal?.throwIfAborted(); // cancelled while it was queued
      return await resolve(host, signal);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

export const systemResolve = createLimitedResolve((host) => lookup(host, { all: true }));
