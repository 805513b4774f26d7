import type { MemoryParts } from '../../memory/memory.ts';
import type { StoreTotals } from '../../memory/store.ts';
import type { ScrapedMetrics } from './scraped.ts';

/** Sums over every caller's counters take milliseconds in a large database: not on each scrape. */
const TOTALS_MAX_AGE_MS = 60_000;
const NOTHING: StoreTotals = { namespaces: 0, kinds: [] };

export type CountedMemory = Pick<MemoryParts, 'store' | 'directory'>;

/** Metrics of what is stored, and of a key rotation. */
export function createMemoryMetrics(
  { gauge, gaugeBy }: ScrapedMetrics,
  memory: () => CountedMemory | undefined,
): void {
  const totals = cachedTotals(memory);
  const byKind = (of: 'rows' | 'bytes') => async () =>
    (await totals()).kinds.map((counted) => [counted.kind, counted[of]] as const);
  gaugeBy('helmdeck_rows', 'Stored rows by kind; not on Redis', 'kind', byKind('rows'));
  gaugeBy('helmdeck_row_bytes', 'Size of the stored rows by kind; not on Redis', 'kind', byKind('bytes'));
  gauge(
    'helmdeck_namespaces',
    'Namespaces, about two for each caller; not on Redis',
    async () => (await totals()).namespaces,
  );
  const rotation = () => memory()?.directory.rotation;
  gauge(
    'helmdeck_rotation_namespaces',
    'Namespaces under an earlier key when the rotation began',
    () => rotation()?.total,
  );
  gauge(
    'helmdeck_rotation_done_namespaces',
    'Namespaces that the rotation has re-wrapped',
    () => rotation()?.done,
  );
  gauge(
    'helmdeck_rotation_unreadable_namespaces',
    'Namespaces that no configured key opens',
    () => rotation()?.unreadable,
  );
}

/** The totals of the store, at most a minute old; the last known ones while the database does not respond. */
function cachedTotals(memory: () => CountedMemory | undefined): () => Promise<StoreTotals> {
  let known = NOTHING;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<StoreTotals> | undefined;
  async function read(): Promise<StoreTotals> {
    try {
      known = (await memory()?.store.totals?.()) ?? NOTHING;
    } catch {
      // helmdeck_memory_on and /readyz report the problem
    }
    readAtMs = performance.now();
    reading = undefined;
    return known;
  }
  return async () => {
    if (performance.now() - readAtMs < TOTALS_MAX_AGE_MS) return known;
    reading ??= read();
    return reading;
  };
}
