/** The stems of a shipped table: ASCII, sorted by their bytes, searched where they lie in the file. */
export interface SortedStems {
  readonly count: number;
  /** The stem's number, -1 if it is not in the table. */
  find(stem: string): number;
  at(number: number): string;
}

/** `starts` and `text` are offsets: of the 32-bit starts of each stem, `count` + 1 of them, and of the letters themselves. */
export function readSortedStems(bytes: Buffer, count: number, starts: number, text: number): SortedStems {
  const start = (number: number) => text + bytes.readUInt32LE(starts + 4 * number);
  // Cached, because a string object keeps its hash: looking up the same one again is faster.
  const stems: string[] = new Array(count);

  /** Compares the wanted stem with the one of that number, as for `sort`. */
  function compare(wanted: string, number: number): number {
    const from = start(number);
    const length = start(number + 1) - from;
    const shared = Math.min(length, wanted.length);
    for (let at = 0; at < shared; at++) {
      const difference = wanted.charCodeAt(at) - bytes[from + at]!;
      if (difference !== 0) return difference;
    }
    return wanted.length - length;
  }

  return {
    count,
    find(wanted) {
      let low = 0;
      let high = count - 1;
      while (low <= high) {
        const middle = (low + high) >>> 1;
        const side = compare(wanted, middle);
        if (side === 0) return middle;
        if (side < 0) high = middle - 1;
        else low = middle + 1;
      }
      return -1;
    },
    at(number) {
      stems[number] ??= bytes.toString('latin1', start(number), start(number + 1));
      return stems[number];
    },
  };
}
