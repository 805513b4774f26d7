import { useEffect, useRef, useState } from 'react';
import type { PipelineRun, RecentRun } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { forgetLater, useHidden } from '../memory/forget/forgetting.ts';
import { Link } from '../navigation/navigation.tsx';
import { agoOf, shortDuration } from '../packs/durations.ts';
import { OutcomeCell } from '../packs/outcome-cell.tsx';
import { useElapsed } from '../packs/use-elapsed.ts';
import { useLiveRuns, useNameOf } from '../pipelines/pipeline-queries.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { useMayForget } from './confirm-forget-runs.tsx';
import { PickedRuns } from './picked-runs.tsx';
import { type RoutingSearch, withoutFilter } from './routing-search.ts';
import { isQuestion } from './run-figures.ts';
import { slotName } from './slot-name.ts';
import { useRunRecords } from './use-run-records.ts';

const text = strings.routing;
const SHOWN = 12;

/** The runs that match the filter in the URL, and those in progress. */
export function ActivityCard({ search }: { search: RoutingSearch }) {
  const { of } = search;
  const caller = useCaller();
  const records = useRunRecords(search);
  const isFiltered = filterName(search, String) !== '';
  const [all, setAll] = useState(isFiltered);
  const live = useLiveRuns(caller === undefined).filter(
    (run) => !isFiltered || (run.pipeline_id === of && search.code === undefined),
  );
  const hidden = useHidden({ caller });
  const runs = (records.data?.pages ?? [])
    .flatMap((page) => page.runs)
    .filter((run) => !hidden.has(run.key) && (of !== undefined || !isQuestion(run)));
  const shown = all || isFiltered ? runs : runs.slice(0, SHOWN);
  const [picked, setPicked] = useState<string[]>();
  const mayPick = may(useSession(), 'pipelines:run') && caller === undefined;
  const card = useRef<HTMLElement>(null);
  const filter = JSON.stringify(withoutRun(search));
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the filter changes
  useEffect(() => {
    if (isFiltered) card.current?.scrollIntoView({ block: 'nearest' });
  }, [filter]);
  return (
    <section ref={card} className="card activity-card">
      <div className="card-head">
        <h2>{text.recent}</h2>
        <FilterChip search={search} />
        {mayPick && !picked && (
          <button type="button" className="link small" onClick={() => setPicked([])}>
            {text.picking.start}
          </button>
        )}
        {!isFiltered && runs.length > SHOWN && (
          <button type="button" className="link small" onClick={() => setAll(!all)}>
            {all ? text.seeFewer : text.seeAll}
          </button>
        )}
      </div>
      {records.error && (
        <ProblemNote error={records.error} title={text.runsFailed} onRetry={() => void records.refetch()} />
      )}
      {picked && <PickedRuns keys={picked} onCancel={() => setPicked(undefined)} />}
      <table className="table activity">
        <thead>
          <tr>
            <th scope="col">{text.what}</th>
            <th scope="col">{text.outcome}</th>
            <th scope="col" className="r hide-s">
              {text.took}
            </th>
            <th scope="col" className="r">
              {text.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {live.map((run) => (
            <LiveRow key={run.id} run={run} />
          ))}
          {shown.map((run) => (
            <RecentRow key={run.key} run={run} picked={picked} onPick={setPicked} />
          ))}
        </tbody>
      </table>
      {records.data && runs.length + live.length === 0 && <p className="card-body muted">{text.noRecent}</p>}
      {(all || isFiltered) && records.hasNextPage && (
        <div className="card-body">
          <button type="button" className="btn btn-s" onClick={() => void records.fetchNextPage()}>
            {text.more}
          </button>
        </div>
      )}
    </section>
  );
}

const withoutRun = ({ run: _, ...rest }: RoutingSearch) => rest;

/** The filter in words; empty if there is none. */
function filterName({ range, of, code, failed, at }: RoutingSearch, nameOf: (id: string) => string): string {
  return [
    of === undefined ? '' : nameOf(of),
    code === undefined ? '' : (strings.outcomes[code] ?? code),
    failed ? text.filtered.failed : '',
    at === undefined ? '' : slotName(Date.parse(at), range === '24h'),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function FilterChip({ search }: { search: RoutingSearch }) {
  const nameOf = useNameOf();
  const name = filterName(search, (id) => (/^(pipe_|builtin\.)/.test(id) ? nameOf('pipeline', id) : id));
  if (name === '') return null;
  return (
    <Link
      to="/routing"
      search={withoutFilter}
      className="filter on"
      aria-label={strings.memory.remove(name)}
      title={text.filtered.all}
    >
      <span className="cut">{name}</span>
      <Icon name="close" small />
    </Link>
  );
}

function LiveRow({ run }: { run: PipelineRun }) {
  const elapsedMs = useElapsed(Date.parse(run.started_at));
  const name = useNameOf()('pipeline', run.pipeline_id);
  return (
    <tr>
      <td>
        <Link to="/packs" search={{ pipeline: run.pipeline_id, run: run.id }} className="cut run-name">
          {name}
        </Link>
      </td>
      <td className="nowrap">
        <OutcomeCell outcome={run.status} />
      </td>
      <td className="r num muted nowrap hide-s">{shortDuration(elapsedMs)}</td>
      <td className="r faint nowrap">{strings.packs.now}</td>
    </tr>
  );
}

interface RecentRowProps {
  run: RecentRun;
  /** Keys of the runs that are ticked; absent while none are picked. */
  picked: readonly string[] | undefined;
  onPick(picked: string[]): void;
}

function RecentRow({ run, picked, onPick }: RecentRowProps) {
  const { kind, id, key, outcome, cached, duration_ms, at_unix } = run;
  const caller = useCaller();
  const mayForget = useMayForget();
  const name = useNameOf()(kind, id);
  const label = caller === undefined ? text.forgetRun(name) : text.forgetRunOf(name, caller);
  const isPicked = picked?.includes(key) ?? false;
  const toggle = () => picked && onPick(isPicked ? picked.filter((each) => each !== key) : [...picked, key]);
  return (
    <tr>
      <td>
        <span className="row">
          {picked && kind === 'pack' && outcome === 'ok' && (
            <input
              type="checkbox"
              checked={isPicked}
              onChange={toggle}
              aria-label={text.picking.pick(name, exactly(new Date(at_unix * 1000).toISOString()))}
            />
          )}
          <Link
            to="/routing"
            search={(before) => ({ ...before, run: key })}
            className={`${name === id ? 'mono' : ''} cut run-name`}
            title={id}
          >
            {name}
          </Link>
        </span>
      </td>
      <td className="nowrap">
        <span className="row">
          <OutcomeCell outcome={outcome} />
          {cached && <span className="chip">{text.cached}</span>}
        </span>
      </td>
      <td className="r num muted nowrap hide-s">
        {duration_ms === undefined ? '' : shortDuration(duration_ms)}
      </td>
      <td className="r faint nowrap row-act" title={exactly(new Date(at_unix * 1000).toISOString())}>
        <span>{agoOf(at_unix, Date.now())}</span>
        {mayForget && (
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={label}
            title={label}
            onClick={() => forgetLater([key], { caller })}
          >
            <Icon name="forget" small />
          </button>
        )}
      </td>
    </tr>
  );
}
