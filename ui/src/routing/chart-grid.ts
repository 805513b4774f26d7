export const GRID_LINES = 4;
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The distance between grid lines: the smallest round number that needs at most four lines. */
export function gridStep(highest: number): number {
  const least = Math.max(1, highest / GRID_LINES);
  const tens = 10 ** Math.floor(Math.log10(least));
  return ROUND.map((factor) => factor * tens).find((step) => Number.isInteger(step) && step >= least)!;
}
