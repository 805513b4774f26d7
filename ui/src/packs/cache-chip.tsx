import type { PackResult } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import { shortSpan } from './durations.ts';

const text = strings.packRun;

/** Whether a result came from the cache, and how old it is. */
export function CacheChip({ cache }: { cache: PackResult['cache'] }) {
  if (!cache) return null;
  const age = shortSpan(cache.age_s);
  return (
    <span
      className={`chip ${cache.status === 'stale' ? 'chip-warn' : ''}`}
      title={text.cacheTitle[cache.status]}
    >
      {text.cache[cache.status](age)}
    </span>
  );
}
