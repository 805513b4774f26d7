import { type FacetQuery, listFacts, type ReadOptions } from '../../api/fact-api.ts';

const PAGE = 200;
/** More is not selected at once: what happens to it could no longer be looked through. */
export const MAX_SELECTED = 5_000;

/** The keys of all facts that match, not only of those that are loaded. */
export async function matchingKeys(query: FacetQuery, options: ReadOptions): Promise<string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listFacts({ ...query, sort: 'key', limit: PAGE, cursor }, options);
    keys.push(...page.facts.map(({ key }) => key));
    cursor = page.next_cursor;
  } while (cursor !== undefined && keys.length < MAX_SELECTED);
  return keys.slice(0, MAX_SELECTED);
}
