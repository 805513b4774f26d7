const UNITS: readonly [name: string, ms: number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** An age in words: `3 days ago`. */
export function ageText(ageMs: number): string {
  for (const [name, ms] of UNITS) {
    const count = Math.floor(ageMs / ms);
    if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
