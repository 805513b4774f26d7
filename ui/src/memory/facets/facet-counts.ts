import type { NamedCount } from '../../api/generated/rest.ts';

/** The counts with those that are zero under the current filter at the end: they stay in sight, but cannot be chosen. */
export function withZeros(here: readonly NamedCount[], all: readonly NamedCount[]): NamedCount[] {
  if (here === all) return [...here];
  const known = new Set(here.map(({ name }) => name));
  return [...here, ...all.filter(({ name }) => !known.has(name)).map(({ name }) => ({ name, count: 0 }))];
}

/** The first counts, and those that are chosen wherever they are. */
export function firstAnd(
  counts: readonly NamedCount[],
  shown: number,
  chosen: readonly string[],
): NamedCount[] {
  const isChosen = ({ name }: NamedCount) => chosen.includes(name);
  return [...counts.slice(0, shown), ...counts.slice(shown).filter(isChosen)];
}
