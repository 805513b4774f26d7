// How far the best match of a query stands out from the others. Where a tenth fact fits as well as the first, the query
// meets them all by accident.

/** The places that are compared with the first. Those right behind it may answer as well. */
const FIRST_OTHER = 4;
export const LAST_OTHER = 12;

/** The mean of what the others have, best first; undefined if there are too few of them to tell. */
export function othersOf(scores: readonly number[]): number | undefined {
  if (scores.length < LAST_OTHER) return undefined;
  const others = scores.slice(FIRST_OTHER, LAST_OTHER);
  return others.reduce((sum, score) => sum + score, 0) / others.length;
}
