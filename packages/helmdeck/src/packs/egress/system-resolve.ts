import { lookup } from 'node:dns/promises';

/** All addresses of a host. */
export type Resolve = (
  host: string,
  signal?: AbortSignal,
) => Promise<readonly { address: string; family: number }[]>;

/**
 * The system's look-ups take threads of a small pool (four), which reading files and checking tokens need, too. A name
 * whose server never answers holds one for many seconds, so some are always left for the others.
 */
const MAX_AT_ONCE = 2;

export function createLimitedResolve(resolve: Resolve, maxAtOnce = MAX_AT_ONCE): Resolve {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (host, signal) => {
    if (running < maxAtOnce) running++;
    else await new Promise<void>((turn) => waiting.push(turn)); // whose place it then has
    try {
      signal?.throwIfAborted(); // nobody waits for it any more: it takes no thread
      return await resolve(host, signal);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

export const systemResolve = createLimitedResolve((host) => lookup(host, { all: true }));
