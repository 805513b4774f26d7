import type { FactInput, Helmdeck, StoreResult } from '../client/index.ts';

/** Stores a fact, and throws unless it became one: a framework would take a proposal for a completed write. */
export async function writeFact(helmdeck: Helmdeck, fact: FactInput): Promise<StoreResult> {
  const answer = await helmdeck.facts.store(fact);
  if (answer.status === 'active') return answer;
  throw new Error(
    answer.status === 'declined'
      ? 'Nothing was stored: a person declined this text before.'
      : "Nothing was stored yet: the text waits in Helmdeck's inbox for a person to decide.",
  );
}
