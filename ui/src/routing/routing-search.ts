export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

export interface RoutingSearch {
  /** How far back; thirty days by default. */
  range?: Range;
  /** Only runs of this pack or pipeline. */
  of?: string;
  /** Only runs with this outcome or finding. */
  code?: string;
  /** Only runs that did not succeed. */
  failed?: boolean;
  /** Only runs of the hour or day that starts here. */
  at?: string;
  /** The run that is open, by the key of its record. */
  run?: string;
}

const TEXTS = ['of', 'code', 'run'] as const;

export function readRoutingSearch(search: Record<string, unknown>): RoutingSearch {
  const read: RoutingSearch = {};
  if (RANGES.includes(search.range as Range)) read.range = search.range as Range;
  for (const name of TEXTS) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
  }
  if (typeof search.at === 'string' && !Number.isNaN(Date.parse(search.at))) read.at = search.at;
  if (search.failed === true) read.failed = true;
  return read;
}

/** The same page without a filter and without an open run. */
export const withoutFilter = ({
  of: _,
  code: __,
  failed: ___,
  at: ____,
  run: _____,
  ...rest
}: RoutingSearch) => rest;
