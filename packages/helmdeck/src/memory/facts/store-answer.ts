import type { Memory } from '../memory.ts';
import type { ValidFact } from './validate-fact.ts';

// What a request to store a fact is answered with, and who advises on it.

/** How two facts contradict each other, seen from the first. */
export interface Contradiction {
  kind: string;
  mine: string;
  theirs: string;
}

/** The response to a request that stored a fact, the same on every surface. */
export interface StoreAnswer {
  status: 'active';
  key: string;
  category: string;
  expires_at: string;
  created: boolean;
  version: number;
  updated_at: string;
  /** Facts under other keys with nearly the same text. */
  similar?: { key: string; score: number }[];
  /** Facts under other keys that contradict this one. */
  conflicts?: ({ key: string } & Contradiction)[];
  /** The text was recalled or forgotten recently. */
  echo?: true;
}

/** The response if the text waits for a person in the inbox. */
export interface ProposedAnswer {
  status: 'proposed' | 'quarantined';
  key: string;
  reason: string;
  proposal_id: string;
  /** When the proposal ends if it is not decided. */
  expires_at: string;
}

/** The response if a person declined this text before: nothing is stored. */
export interface DeclinedAnswer {
  status: 'declined';
}

export type WriteAnswer = StoreAnswer | ProposedAnswer | DeclinedAnswer;

export type Advice = Pick<StoreAnswer, 'similar' | 'conflicts' | 'echo'>;

/** Gives advice on a fact before it is stored. Injected, because it needs search, which is built on this layer. */
export interface Adviser {
  /** `undefined` if the caller stores too fast for advice. */
  advise(memory: Memory, fact: Pick<ValidFact, 'key' | 'value' | 'tags'>): Promise<Advice> | undefined;
  /** The same for a proposal that a person looks at; not limited in rate. */
  review(memory: Memory, fact: Pick<ValidFact, 'key' | 'value' | 'tags'>): Promise<Advice>;
  /** Whether two facts contradict each other. */
  compare(first: ComparedFact, second: ComparedFact): Contradiction | undefined;
  /** Called when the store operation finishes, whether it succeeded or failed. */
  release(ns: Uint8Array): void;
}

type ComparedFact = Pick<ValidFact, 'key' | 'value'> & { tags: string[] };
