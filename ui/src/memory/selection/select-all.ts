import { type FacetQuery, listFacts, type ReadOptions } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';

const PAGE = 200;
/** More is not selected at once: what happens to it could no longer be looked through. */
export const MAX_SELECTED = 5_000;

/** All facts that match, not only those that are loaded. */
export async function matchingFacts(query: FacetQuery, options: ReadOptions): Promise<Fact[]> {
  const facts: Fact[] = [];
  let cursor: string | undefined;
  do {
    const page = await listFacts({ ...query, sort: 'key', limit: PAGE, cursor }, options);
    facts.push(...page.facts);
    cursor = page.next_cursor;
  } while (cursor !== undefined && facts.length < MAX_SELECTED);
  return facts.slice(0, MAX_SELECTED);
}
