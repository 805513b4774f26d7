import type { Caller } from '../namespace.ts';

/**
 * What a caller has outside the rows of memory, such as files and secrets. Other rooms add theirs when the server
 * starts, so that forgetting and erasing reach it.
 */
export interface Belongings {
  /** Before an erasure: ends what could still write, so that nothing comes back afterwards. */
  beforeErase?(caller: Caller): Promise<void>;
  /** Part of forgetting `all`: deletes, and returns how many there were. */
  forgetAll?(caller: Caller): Promise<number>;
  /** Part of an erasure, once the caller's memory is gone. */
  erase?(caller: Caller): Promise<Erased>;
}

export interface Erased {
  rows: number;
  /** What could not be reached, in a sentence for the receipt. */
  notCovered?: string;
}
