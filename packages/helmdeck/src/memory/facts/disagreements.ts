import type { Memory } from '../memory.ts';
import { isoMs } from '../times.ts';
import { walkFactPairs } from './disagreement-rows.ts';
import { type FactView, factView } from './read-facts.ts';
import { type RecallCountView, recallCountView } from './recall-counts.ts';
import type { Adviser, Contradiction } from './store-answer.ts';

/** Two facts of the caller that contradict each other. */
export interface Disagreement extends Pick<Contradiction, 'kind'> {
  id: string;
  found_at: string;
  /** The one that was stored last comes first; `says` is the word or number in which it differs. */
  facts: [DisagreeingFact, DisagreeingFact];
}

type DisagreeingFact = FactView & RecallCountView & { says: string };

const MAX_SHOWN = 100;

/** Facts that contradict each other now, the newest disagreement first; settled ones are left out. */
export async function listDisagreements(
  memory: Memory,
  { compare }: Pick<Adviser, 'compare'>,
): Promise<Disagreement[]> {
  const found: Disagreement[] = [];
  const countOf = await memory.recallCounts.read(memory.caller);
  for await (const { id, newer, other, foundMs, isSettled } of walkFactPairs(memory)) {
    if (isSettled) continue;
    // Compared again, because either fact may have changed since.
    const [first, second] = [factView(memory, newer), factView(memory, other)];
    const contradiction = compare(first, second);
    if (!contradiction) continue;
    const { kind, mine, theirs } = contradiction;
    const facts: Disagreement['facts'] = [
      { ...first, ...recallCountView(countOf(first.key)), says: mine },
      { ...second, ...recallCountView(countOf(second.key)), says: theirs },
    ];
    found.push({ id, kind, found_at: isoMs(foundMs), facts });
    if (found.length === MAX_SHOWN) break;
  }
  return found;
}
