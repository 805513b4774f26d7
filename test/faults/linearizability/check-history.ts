// Checks whether the history of one key is linearizable: whether its concurrent operations can be put into one order that
// respects real time and explains every response (the search of Wing and Gong, with visited states remembered).

/** The state of a key: its current value and version, or undefined while it does not exist. */
export type KeyState = { value: string; version: number } | undefined;

export interface Operation {
  /** When the request was sent and when its response arrived, on one clock. */
  calledAt: number;
  returnedAt: number;
  what: string;
  /** The state after the operation, or `impossible` if the response does not fit the state before it. */
  apply(before: KeyState): KeyState | 'impossible';
}

/** Undefined if the history is linearizable, else the operations from where no order explains them. */
export function findViolation(history: readonly Operation[]): string[] | undefined {
  const operations = [...history].sort((a, b) => a.calledAt - b.calledAt);
  const visited = new Set<string>();
  let furthest = 0;

  /** Tries every operation that may come next: one that was called before every other one that is left returned. */
  function search(done: bigint, count: number, state: KeyState): boolean {
    if (count === operations.length) return true;
    const mark = `${done} ${state?.version} ${state?.value}`;
    if (visited.has(mark)) return false;
    visited.add(mark);
    furthest = Math.max(furthest, count);
    let firstReturn = Number.POSITIVE_INFINITY;
    for (const [index, { calledAt, returnedAt }] of operations.entries()) {
      if (calledAt > firstReturn) break;
      if (!(done & (1n << BigInt(index)))) firstReturn = Math.min(firstReturn, returnedAt);
    }
    for (const [index, operation] of operations.entries()) {
      if (operation.calledAt > firstReturn) break;
      const bit = 1n << BigInt(index);
      if (done & bit) continue;
      const after = operation.apply(state);
      if (after !== 'impossible' && search(done | bit, count + 1, after)) return true;
    }
    return false;
  }

  if (search(0n, 0, undefined)) return undefined;
  return operations.slice(Math.max(0, furthest - 3), furthest + 5).map(({ what }) => what);
}
