/**
 * The names of a store's keys. Namespaces are spread over 256 buckets by their first byte, and all keys of a bucket have
 * the same hash tag. So one script can change a namespace and the indexes that contain it (the list of namespaces, what
 * is due to be swept) atomically, on a cluster too, and reading all namespaces takes 256 calls instead of one for each.
 */
const BUCKETS = 256;

export const bucketOf = (ns: Uint8Array) => ns[0]!;

const CONCURRENT_CALLS = 32;

/** Calls `query` for every bucket from `from` on, a few at a time, until `isEnough` is true for the results. */
export async function eachBucket<T>(
  query: (bucket: number) => Promise<T>,
  from = 0,
  isEnough: (results: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  const results: T[] = [];
  for (let first = from; first < BUCKETS && !isEnough(results); first += CONCURRENT_CALLS) {
    const count = Math.min(CONCURRENT_CALLS, BUCKETS - first);
    results.push(...(await Promise.all(Array.from({ length: count }, (_, i) => query(first + i)))));
  }
  return results;
}

export function redisKeys(prefix: string) {
  const tags = Array.from({ length: BUCKETS }, (_, bucket) => {
    return Buffer.from(`${prefix}:{${bucket.toString(16).padStart(2, '0')}}:`);
  });
  const ofNamespace = (ns: Uint8Array, part: string, id: Uint8Array = new Uint8Array()) =>
    Buffer.concat([tags[bucketOf(ns)]!, ns, Buffer.from(part), id]);
  return {
    /** The prefix of all keys of a bucket; scripts append the rest. */
    tag: (bucket: number) => tags[bucket]!,
    record: (ns: Uint8Array) => ofNamespace(ns, 'n'),
    row: (ns: Uint8Array, id: Uint8Array) => ofNamespace(ns, 'r', id),
    /** The ids of the rows of a kind, by seq. */
    kind: (ns: Uint8Array, kind: string) => ofNamespace(ns, 'k', Buffer.from(kind)),
    tombstones: (ns: Uint8Array) => ofNamespace(ns, 't'),
    lease: (name: string) => `${prefix}:lease:{${name}}`,
    probe: `${prefix}:probe`,
    layout: `${prefix}:layout`,
    /** The channel for notices. */
    changes: `${prefix}:changes`,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
