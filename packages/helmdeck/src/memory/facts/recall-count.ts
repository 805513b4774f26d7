import type { Caller } from '../namespace.ts';

/** How often a fact was recalled, and when last. */
export interface RecallCount {
  count: number;
  lastMs: number;
}

/**
 * Counts how often each fact was handed out by a search, a recall or notes. Counted in RAM, so that no answer waits for
 * a write, and stored sealed in batches in the runs namespace, so that the position of the facts does not move.
 */
export interface RecallCounts {
  /** Counts one recall of each of these facts. */
  add(caller: Caller, keys: readonly string[]): void;
  /** Looks up the counters of a caller's facts, those not written yet included. */
  read(caller: Caller): Promise<RecallCountOf>;
  /** Writes what is counted, and removes the counters of facts that were deleted since `read`. */
  flush(caller: Caller): Promise<void>;
}

/** `idStart`: the start of the fact's row id if it is known, as in a `RowMark`. */
export type RecallCountOf = (key: string, idStart?: number) => RecallCount | undefined;

/** Whether a fact was never recalled, although it is old enough. */
export type NeverRecalled = (fact: { key: string; createdMs: number }, idStart?: number) => boolean;
