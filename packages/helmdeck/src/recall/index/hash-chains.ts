import { ints, type PagedArray } from './paged-array.ts';

/**
 * A hash table from hashes to item numbers (0, 1, 2, …) by linear hashing: collisions are chained, and each insert adds
 * one bucket and splits one other, so a large table never pauses to rehash.
 */
export interface HashChains {
  /** The first link of a hash's chain: an item number plus one; 0 ends the chain. */
  first(hash: number): number;
  next(link: number): number;
  /** The hash of a link's item; items with other hashes may share the chain. */
  hash(link: number): number;
  /** Inserts the next item. */
  add(hash: number): void;
  /** Unlinks an item from its chain; its number is not reused. */
  remove(number: number): void;
  /** The arrays behind it, in snapshot order. */
  readonly lists: readonly PagedArray[];
}

export function createHashChains(): HashChains {
  const heads = ints();
  const nexts = ints();
  const hashes = ints();

  /** The low bits of the hash; one bit fewer where that bucket does not exist yet. */
  function bucketOf(hash: number): number {
    const half = 0x80000000 >>> Math.clz32(heads.length);
    const bucket = hash & (2 * half - 1);
    return bucket < heads.length ? bucket : bucket - half;
  }

  function insert(link: number): void {
    const bucket = bucketOf(hashes.get(link - 1));
    nexts.set(link - 1, heads.get(bucket));
    heads.set(bucket, link);
  }

  /** Adds a bucket and redistributes the one that stood in for it. */
  function split(): void {
    heads.push(0);
    const added = heads.length - 1;
    if (added === 0) return;
    const before = added - (0x80000000 >>> Math.clz32(added));
    let link = heads.get(before);
    heads.set(before, 0);
    while (link !== 0) {
      const next = nexts.get(link - 1);
      insert(link);
      link = next;
    }
  }

  return {
    first: (hash) => (heads.length === 0 ? 0 : heads.get(bucketOf(hash))),
    next: (link) => nexts.get(link - 1),
    hash: (link) => hashes.get(link - 1),
    add(hash) {
      split();
      hashes.push(hash);
      nexts.push(0);
      insert(nexts.length);
    },
    remove(number) {
      const bucket = bucketOf(hashes.get(number));
      const after = nexts.get(number);
      let link = heads.get(bucket);
      if (link === number + 1) {
        heads.set(bucket, after);
        return;
      }
      while (link !== 0) {
        const next = nexts.get(link - 1);
        if (next === number + 1) nexts.set(link - 1, after);
        link = next;
      }
    },
    lists: [heads, nexts, hashes],
  };
}
