export const GRID_LINES = 4;
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The distance of grid lines: a round number, so that four of them are just enough. */
export function gridStep(highest: number): number {
  const least = Math.max(1, highest / GRID_LINES);
  const tens = 10 ** Math.floor(Math.log10(least));
  return ROUND.map((factor) => factor * tens).find((step) => Number.isInteger(step) && step >= least)!;
}
