import { AppError } from '../../errors.ts';
import type { AddressSource, Connection, ServerAccess } from '../../surfaces/cli/deps.ts';
import { unreachableHint } from '../../surfaces/cli/terminal/shell-hint.ts';

// Loads nothing of the server: the bundles for other programs contain it.

/** Returns a valid token; undefined if none is needed or available. */
export type TokenSource = () => Promise<string | undefined>;

/** Connects to a given server with a given token. */
export function connectTo({ url, token, addressFrom }: ServerAccess): Connection {
  return overHttp(url, async () => token, addressFrom);
}

/** Sends requests to the server at `url`, with the token that is valid at that time. */
export function overHttp(url: string, token: TokenSource, addressFrom?: AddressSource): Connection {
  return {
    addressFrom,
    async fetch(path, init = {}) {
      try {
        const headers = withToken(init, await token());
        return await fetch(url + path, { ...init, headers, redirect: 'manual' });
      } catch (thrown) {
        if (init.signal?.aborted) throw thrown;
        throw new AppError('memory_unavailable', `No Helmdeck server answers at ${url}.`, {
          reason: 'unreachable',
          hint: unreachableHint(addressFrom),
          cause: thrown,
        });
      }
    },
    close: async () => {},
  };
}

export function withToken(init: RequestInit, token: string | undefined): Headers {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return headers;
}
