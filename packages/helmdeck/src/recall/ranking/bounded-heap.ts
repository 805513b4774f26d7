/** A top-k heap: keeps the best `limit` of many. Its root is the worst item kept, so most candidates cost one comparison. */
export interface BoundedHeap<T> {
  offer(candidate: T): void;
  /** In heap order. */
  readonly kept: T[];
}

export function createBoundedHeap<T>(limit: number, isWorse: (a: T, b: T) => boolean): BoundedHeap<T> {
  const kept: T[] = [];

  function siftUp(candidate: T): void {
    let at = kept.push(candidate) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isWorse(candidate, kept[parent]!)) break;
      kept[at] = kept[parent]!;
      at = parent;
    }
    kept[at] = candidate;
  }

  function siftDownFromRoot(candidate: T): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= kept.length) break;
      if (child + 1 < kept.length && isWorse(kept[child + 1]!, kept[child]!)) child++;
      if (!isWorse(kept[child]!, candidate)) break;
      kept[at] = kept[child]!;
      at = child;
    }
    kept[at] = candidate;
  }

  return {
    kept,
    offer(candidate) {
      if (kept.length < limit) siftUp(candidate);
      else if (limit > 0 && isWorse(kept[0]!, candidate)) siftDownFromRoot(candidate);
    },
  };
}
