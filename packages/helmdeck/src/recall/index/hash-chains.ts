import { ints, type PagedArray } from './paged-array.ts';

/**
 * Finds numbered things by a hash of them: chains through lists, a bucket for each thing. There is one more bucket with
 * each thing that comes in, and only the things of one other bucket move for it; so a large one never stops to grow.
 */
export interface HashChains {
  /** The first link of the chain that a hash belongs to: the number of a thing, plus one; 0 where the chain ends. */
  first(hash: number): number;
  next(link: number): number;
  /** The hash of the thing behind a link: others may be in the same chain. */
  hash(link: number): number;
  /** Takes in the next thing. */
  add(hash: number): void;
  /** Takes a thing out of its chain; its number is not given again. */
  remove(number: number): void;
  /** Everything it is made of, for a snapshot. */
  readonly lists: readonly PagedArray[];
}

export function createHashChains(): HashChains {
  const heads = ints();
  const nexts = ints();
  const hashes = ints();

  /** By as many bits of the hash as number all buckets; where that one is not there yet, by one bit less. */
  function bucketOf(hash: number): number {
    const half = 0x80000000 >>> Math.clz32(heads.length);
    const bucket = hash & (2 * half - 1);
    return bucket < heads.length ? bucket : bucket - half;
  }

  function put(link: number): void {
    const bucket = bucketOf(hashes.get(link - 1));
    nexts.set(link - 1, heads.get(bucket));
    heads.set(bucket, link);
  }

  /** Adds a bucket and shares with it what was in the one that has stood in for it. */
  function split(): void {
    heads.push(0);
    const added = heads.length - 1;
    if (added === 0) return;
    const before = added - (0x80000000 >>> Math.clz32(added));
    let link = heads.get(before);
    heads.set(before, 0);
    while (link !== 0) {
      const next = nexts.get(link - 1);
      put(link);
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
      put(nexts.length);
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
