import type { Memory } from '../memory.ts';
import type { ValidFact } from './validate-fact.ts';

// What a request to store a fact is answered with, and who advises on it and hears of it.

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
  /** The keys of the facts that this one replaced. */
  replaced?: string[];
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
  /** A proposal with this text or a similar one waits already; the id is of that one. */
  folded?: true;
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

/** Advice without what it says about some facts: those that the write replaces neither repeat nor contradict it. */
export function adviceWithout({ similar, conflicts, echo }: Advice, keys: readonly string[]): Advice {
  const others = <T extends { key: string }>(facts: T[] | undefined) => {
    const left = facts?.filter(({ key }) => !keys.includes(key));
    return left && left.length > 0 ? left : undefined;
  };
  const [otherSimilar, otherConflicts] = [others(similar), others(conflicts)];
  return {
    ...(otherSimilar ? { similar: otherSimilar } : {}),
    ...(otherConflicts ? { conflicts: otherConflicts } : {}),
    ...(echo ? { echo } : {}),
  };
}

/** Tells the listeners of a namespace about a write; of a proposal only that there is one. Counters of replaced facts end. */
export async function announceWrite(
  memory: Memory,
  ns: Uint8Array,
  key: string,
  answer: WriteAnswer,
): Promise<void> {
  const { changes, caller, recallCounts } = memory;
  const atMs = memory.now();
  if (answer.status !== 'active') {
    if (answer.status !== 'declined') changes.emit(ns, { type: 'proposal', atMs });
    return;
  }
  const { replaced = [], version } = answer;
  for (const gone of replaced)
    changes.emit(ns, { type: 'forget', key: gone, scope: 'key:', deleted: 1, atMs });
  changes.emit(ns, { type: 'store', kind: 'fact', key, version, atMs });
  // The write is committed: counters that cannot be deleted now are deleted with the next ones.
  if (replaced.length > 0) await recallCounts.flush(caller).catch(() => {});
}
