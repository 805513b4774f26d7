export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

export interface RoutingSearch {
  /** How far back; thirty days by default. */
  range?: Range;
  /** Only runs of this pack or pipeline. */
  of?: string;
}

export function readRoutingSearch(search: Record<string, unknown>): RoutingSearch {
  const { range, of } = search;
  return {
    ...(RANGES.includes(range as Range) ? { range: range as Range } : {}),
    ...(typeof of === 'string' && of !== '' ? { of } : {}),
  };
}
