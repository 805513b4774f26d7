import { AppError } from '../../errors.ts';

/** What an address says beyond where the server is. */
export interface RedisAddress {
  /** Without Helmdeck's own parameters. */
  url: string;
  /** What the names of all keys begin with, so that several Helmdecks can share a server. */
  prefix: string;
  /**
   * `required`: the server is refused unless it keeps what it is given. `managed`: a service that cannot be asked
   * vouches for it. `cache-only`: what is written may vanish at any time.
   */
  persistence: (typeof PERSISTENCE)[number];
}

const PERSISTENCE = ['required', 'managed', 'cache-only'] as const;
const PARAMETERS = ['persistence', 'prefix'];

/** Reads `redis[s]://[user[:password]@]host[:port][/database][?persistence=…][&prefix=…]`. */
export function parseRedisAddress(address: string, cacheOnly = false): RedisAddress {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw badAddress('The address of Redis is not a valid URL.');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw badAddress('The address of Redis has a parameter that is not known.');
  const asked = url.searchParams.get('persistence') ?? (cacheOnly ? 'cache-only' : 'required');
  const persistence = PERSISTENCE.find((name) => name === asked);
  if (!persistence)
    throw badAddress(`"persistence" in the address of Redis is one of ${PERSISTENCE.join(', ')}.`);
  const prefix = url.searchParams.get('prefix') ?? (cacheOnly ? 'helmdeck-cache' : 'helmdeck');
  // A brace would begin a hash tag of its own and tear a namespace apart on a cluster.
  if (!/^[\w.:-]{1,32}$/.test(prefix))
    throw badAddress('"prefix" in the address of Redis is 1 to 32 letters, digits or the signs _ . : -');
  if (!url.hostname) throw badAddress('The address of Redis names no host.');
  if (!/^(\/\d*)?$/.test(url.pathname))
    throw badAddress(
      'After its host, the address of Redis may have the number of a database and nothing else.',
    );
  url.search = '';
  return { url: url.href, prefix, persistence };
}

// Nothing of the address is repeated: it may hold a password anywhere.
function badAddress(message: string): AppError {
  return new AppError('memory_unavailable', message, {
    reason: 'bad_address',
    hint: 'Write it as redis://user:password@host:6379/0, percent-encoded, with persistence= or prefix= behind a "?" if needed.',
  });
}
