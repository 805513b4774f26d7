import type { Row } from '../fact-queries.ts';

export interface SteadyRows {
  rows: Row[];
  /** How many new rows are held back. */
  waiting: number;
}

/**
 * The rows in the order in which they are on the screen, with the contents of the latest ones. New rows that belong
 * between them wait; those that follow the last one are a further page. A row that is missing although later ones are
 * there was forgotten; the last ones may only have been pushed out of the pages that are loaded.
 */
export function steadyRows(shown: readonly Row[], latest: readonly Row[]): SteadyRows {
  const places = new Map(latest.map(({ key }, at) => [key, at]));
  const isThere = ({ key }: Row) => places.has(key);
  const lastThere = shown.findLastIndex(isThere);
  const kept = shown
    .filter((row, at) => at > lastThere || isThere(row))
    .map((row) => latest[places.get(row.key) ?? -1] ?? row);
  const lastPlace = shown.reduce((last, { key }) => Math.max(last, places.get(key) ?? -1), -1);
  const known = new Set(shown.map(({ key }) => key));
  const added = latest.slice(lastPlace + 1).filter(({ key }) => !known.has(key));
  const waiting = latest.slice(0, lastPlace + 1).filter(({ key }) => !known.has(key)).length;
  return { rows: [...kept, ...added], waiting };
}
