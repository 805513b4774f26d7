import type { ActivityBucket } from '../api/generated/rest.ts';
import { lazyPart } from '../kit/lazy-part.tsx';
import { useWidth } from '../memory/list/use-width.ts';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { type Range, type RoutingSearch, withoutFilter } from './routing-search.ts';
import { type Slot, slotsOf } from './run-figures.ts';
import { slotName } from './slot-name.ts';

const text = strings.routing;
const PHONE_PX = 760;
const PHONE_SLOTS = 14;
const RunsChart = lazyPart(
  () => import('./runs-chart.tsx'),
  ({ RunsChart }) => RunsChart,
  <div className="chart" />,
);

/** Runs over time as stacked bars, and the same numbers as a table. */
export function RunsPerDay({ range, buckets }: { range: Range; buckets: readonly ActivityBucket[] }) {
  const phone = useWidth() <= PHONE_PX;
  const slots = slotsOf(buckets, range, Date.now()).slice(phone ? -PHONE_SLOTS : 0);
  const hourly = range === '24h';
  const navigate = useNavigate();
  const choose = (slot: Slot) =>
    void navigate({ to: '/routing', search: (before) => ({ ...withoutFilter(before), ...filterOf(slot) }) });
  return (
    <section className="card runs-card" aria-label={hourly ? text.perHour : text.perDay}>
      <div className="card-head">
        <h2>{hourly ? text.perHour : text.perDay}</h2>
        <span className="small faint">{text.utc}</span>
        <div className="legend">
          <span>
            <i className="sw sw-ok" />
            {text.fresh}
          </span>
          <span>
            <i className="sw sw-hit" />
            {text.cached}
          </span>
          <span>
            <i className="sw sw-bad" />
            {text.failed}
          </span>
        </div>
      </div>
      <div className="card-body">
        <RunsChart slots={slots} hourly={hourly} onChoose={choose} />
        <details className="chart-numbers">
          <summary className="small faint">{text.numbers}</summary>
          <NumberTable slots={slots} hourly={hourly} />
        </details>
      </div>
    </section>
  );
}

function NumberTable({ slots, hourly }: { slots: readonly Slot[]; hourly: boolean }) {
  const busy = slots.filter(({ fresh, cached, failed }) => fresh + cached + failed > 0);
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{hourly ? text.hour : text.day}</th>
          <th scope="col" className="r">
            {text.fresh}
          </th>
          <th scope="col" className="r">
            {text.cached}
          </th>
          <th scope="col" className="r">
            {text.failed}
          </th>
        </tr>
      </thead>
      <tbody>
        {busy.toReversed().map(({ atMs, fresh, cached, failed }) => (
          <tr key={atMs}>
            <td>{slotName(atMs, hourly)}</td>
            <td className="r num">{fresh}</td>
            <td className="r num">{cached}</td>
            <td className="r num">
              {failed === 0 ? failed : <SlotLink slot={{ atMs, fresh, cached, failed }} hourly={hourly} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The runs of an hour or day; only the failed ones if there are any. */
const filterOf = ({ atMs, failed }: Slot): RoutingSearch => ({
  at: new Date(atMs).toISOString(),
  ...(failed > 0 ? { failed: true } : {}),
});

function SlotLink({ slot, hourly }: { slot: Slot; hourly: boolean }) {
  return (
    <Link
      to="/routing"
      search={(before) => ({ ...withoutFilter(before), ...filterOf(slot) })}
      title={text.showRuns(`${slotName(slot.atMs, hourly)} · ${text.filtered.failed}`, slot.failed)}
    >
      {slot.failed}
    </Link>
  );
}
