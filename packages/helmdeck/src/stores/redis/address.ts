import { AppError } from '../../errors.ts';

/** A parsed `redis://` address. */
export interface RedisAddress {
  /** The URL for the client, without Helmdeck's own parameters. */
  url: string;
  /** The prefix of all keys, so that several installations of Helmdeck can share a server. */
  prefix: string;
  /**
   * `required`: a server without persistence is rejected. `managed`: persistence is not checked, because managed
   * services hide their configuration. `cache-only`: acknowledged writes may be lost at any time.
   */
  persistence: (typeof PERSISTENCE)[number];
}

const PERSISTENCE = ['required', 'managed', 'cache-only'] as const;
const PARAMETERS = ['persistence', 'prefix'];

/** Parses `redis[s]://[user[:password]@]host[:port][/database][?persistence=…][&prefix=…]`. */
export function parseRedisAddress(address: string, cacheOnly = false): RedisAddress {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw badAddress('The Redis address is not a valid URL.');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw badAddress('The Redis address has an unknown parameter.');
  const requested = url.searchParams.get('persistence') ?? (cacheOnly ? 'cache-only' : 'required');
  const persistence = PERSISTENCE.find((name) => name === requested);
  if (!persistence)
    throw badAddress(`"persistence" in the Redis address must be one of ${PERSISTENCE.join(', ')}.`);
  const prefix = url.searchParams.get('prefix') ?? (cacheOnly ? 'helmdeck-cache' : 'helmdeck');
  // A brace would start another hash tag and spread the keys of a namespace over the slots of a cluster.
  if (!/^[\w.:-]{1,32}$/.test(prefix))
    throw badAddress(
      '"prefix" in the Redis address must be 1 to 32 letters, digits or the characters _ . : -',
    );
  if (!url.hostname) throw badAddress('The Redis address names no host.');
  if (!/^(\/\d*)?$/.test(url.pathname))
    throw badAddress('The path of the Redis address must be empty or the number of a database.');
  url.search = '';
  return { url: url.href, prefix, persistence };
}

// Never quotes the address: any part of it may contain the password.
function badAddress(message: string): AppError {
  return new AppError('memory_unavailable', message, {
    reason: 'bad_address',
    hint: 'Write it as redis://user:password@host:6379/0, percent-encoded, with ?persistence= or ?prefix= if needed.',
  });
}
