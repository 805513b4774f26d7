import type { ReactNode } from 'react';
import type { ActivityBucket, RecentRun } from '../api/generated/rest.ts';
import { shortDuration } from '../packs/durations.ts';
import { strings } from '../strings.ts';
import type { Range } from './routing-search.ts';
import { figuresOf, SPAN_MS, slotsOf } from './run-figures.ts';
import { isCompared } from './use-activity.ts';

const text = strings.routing;

interface FigureRowProps {
  range: Range;
  buckets: readonly ActivityBucket[];
  recent: readonly RecentRun[];
}

/** The key figures of the range: runs, success, cache and duration. */
export function FigureRow({ range, buckets, recent }: FigureRowProps) {
  const nowMs = Date.now();
  const before = isCompared(range) ? slotsOf(buckets, range, nowMs - SPAN_MS[range]) : undefined;
  const figures = figuresOf(slotsOf(buckets, range, nowMs), before, recent);
  const { runs, failed, cached, growth, medianMs, p95Ms, savedMs = 0 } = figures;
  return (
    <dl className="stats">
      <Figure name={text.runs} value={runs.toLocaleString('en')}>
        {growth !== undefined && runs > 0 && (
          <small className={growth > 0 ? 'up' : ''} title={text.growthTitle}>
            {text.growth(growth)}
          </small>
        )}
      </Figure>
      <Figure name={text.succeeded} value={runs === 0 ? text.none : text.percent((runs - failed) / runs, 1)}>
        {failed > 0 && <small>{text.failedCount(failed)}</small>}
      </Figure>
      <Figure name={text.fromCache} value={runs === 0 ? text.none : text.percent(cached / runs, 0)}>
        {savedMs >= 1 && <small title={text.ofRecent}>{text.saved(shortDuration(savedMs))}</small>}
      </Figure>
      <Figure name={text.medianTime} value={medianMs === undefined ? text.none : shortDuration(medianMs)}>
        {p95Ms !== undefined && <small title={text.ofRecent}>{text.p95(shortDuration(p95Ms))}</small>}
      </Figure>
    </dl>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd>
        {value} {children}
      </dd>
    </div>
  );
}
