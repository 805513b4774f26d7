import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { readActivity } from '../api/routing-api.ts';
import { RUNS } from '../memory/fact-queries.ts';
import type { Range } from './routing-search.ts';
import { SPAN_MS, withoutQuestions } from './run-figures.ts';

/** Records are kept for thirty days, so the longest range has no previous period. */
const COMPARED: readonly Range[] = ['24h', '7d'];

/** Runs per hour or day, of the range and, if possible, of the previous period. */
export function useActivity(range: Range, caller: string | undefined) {
  const bucket = range === '24h' ? 'hour' : 'day';
  return useQuery({
    queryKey: [RUNS, 'activity', caller, range],
    queryFn: ({ signal }) => {
      const times = COMPARED.includes(range) ? 2 : 1;
      // One more day, because the first bucket starts at midnight.
      const fromMs = Date.now() - SPAN_MS[range] * times - SPAN_MS['24h'];
      return readActivity({ bucket, from: new Date(fromMs).toISOString() }, { caller, signal });
    },
    select: ({ buckets }) => withoutQuestions(buckets),
    placeholderData: keepPreviousData,
  });
}

export const isCompared = (range: Range) => COMPARED.includes(range);
