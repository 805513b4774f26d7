/** Keeps the best few of many: a heap whose root is the worst one kept, so that most others cost one comparison. */
export interface BoundedHeap<T> {
  offer(candidate: T): void;
  /** In no order. */
  readonly kept: T[];
}

export function createBestOf<T>(limit: number, isWorse: (a: T, b: T) => boolean): BoundedHeap<T> {
  const kept: T[] = [];

  function rise(candidate: T): void {
    let at = kept.push(candidate) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isWorse(candidate, kept[parent]!)) break;
      kept[at] = kept[parent]!;
      at = parent;
    }
    kept[at] = candidate;
  }

  function sinkFromRoot(candidate: T): void {
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
      if (kept.length < limit) rise(candidate);
      else if (limit > 0 && isWorse(kept[0]!, candidate)) sinkFromRoot(candidate);
    },
  };
}
