/**
 * The names of a store's keys. Namespaces are spread over 256 buckets by their first byte, and everything of a bucket
 * has one hash tag: so a script that changes a namespace also changes what finds it (the list of namespaces, what is due
 * to be swept) in one step, on a cluster too, and whoever goes through all of them asks 256 times and not once per caller.
 */
const BUCKETS = 256;

export const bucketOf = (ns: Uint8Array) => ns[0]!;

const AT_ONCE = 32;

/** Asks all buckets from one on, a few at a time; ends early when `enough` says so. */
export async function eachBucket<T>(
  ask: (bucket: number) => Promise<T>,
  from = 0,
  enough: (answers: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  const answers: T[] = [];
  for (let first = from; first < BUCKETS && !enough(answers); first += AT_ONCE) {
    const count = Math.min(AT_ONCE, BUCKETS - first);
    answers.push(...(await Promise.all(Array.from({ length: count }, (_, i) => ask(first + i)))));
  }
  return answers;
}

export function redisKeys(prefix: string) {
  const tags = Array.from({ length: BUCKETS }, (_, bucket) => {
    return Buffer.from(`${prefix}:{${bucket.toString(16).padStart(2, '0')}}:`);
  });
  const ofNamespace = (ns: Uint8Array, part: string, id: Uint8Array = new Uint8Array()) =>
    Buffer.concat([tags[bucketOf(ns)]!, ns, Buffer.from(part), id]);
  return {
    /** What all keys of a bucket begin with; scripts make the rest. */
    tag: (bucket: number) => tags[bucket]!,
    record: (ns: Uint8Array) => ofNamespace(ns, 'n'),
    row: (ns: Uint8Array, id: Uint8Array) => ofNamespace(ns, 'r', id),
    /** The ids of the rows of a kind by their positions. */
    kind: (ns: Uint8Array, kind: string) => ofNamespace(ns, 'k', Buffer.from(kind)),
    tombstones: (ns: Uint8Array) => ofNamespace(ns, 't'),
    lease: (name: string) => `${prefix}:lease:{${name}}`,
    probe: `${prefix}:probe`,
    layout: `${prefix}:layout`,
    /** The channel of notices. */
    changes: `${prefix}:changes`,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
