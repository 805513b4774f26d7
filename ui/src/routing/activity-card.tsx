import { useState } from 'react';
import type { PipelineRun, RecentRun } from '../api/generated/rest.ts';
import { exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { forgetLater, useHidden } from '../memory/forget/forgetting.ts';
import { Link } from '../navigation/navigation.tsx';
import { agoOf, shortDuration } from '../packs/durations.ts';
import { OutcomeCell } from '../packs/outcome-cell.tsx';
import { useElapsed } from '../packs/use-elapsed.ts';
import { useLiveRuns, useNameOf } from '../pipelines/pipeline-queries.ts';
import { strings } from '../strings.ts';
import { useMayForget } from './confirm-forget-runs.tsx';

const text = strings.routing;
const SHOWN = 12;

/** The latest runs, and those in progress. */
export function ActivityCard({ recent, of }: { recent: readonly RecentRun[]; of: string | undefined }) {
  const caller = useCaller();
  const [all, setAll] = useState(of !== undefined);
  const live = useLiveRuns(caller === undefined).filter((run) => of === undefined || run.pipeline_id === of);
  const hidden = useHidden();
  const runs = recent.filter(({ id, key }) => (of === undefined || id === of) && !hidden.has(key));
  const shown = all ? runs : runs.slice(0, SHOWN);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.recent}</h2>
        {of !== undefined && <OnlyOf id={of} />}
        {runs.length > SHOWN && (
          <button type="button" className="link small" onClick={() => setAll(!all)}>
            {all ? text.seeFewer : text.seeAll}
          </button>
        )}
      </div>
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
            <th scope="col">
              <span className="sr">{text.forget}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {live.map((run) => (
            <LiveRow key={run.id} run={run} />
          ))}
          {shown.map((run) => (
            <RecentRow key={run.key} run={run} />
          ))}
        </tbody>
      </table>
      {runs.length + live.length === 0 && <p className="card-body muted">{text.noRecent}</p>}
    </section>
  );
}

function OnlyOf({ id }: { id: string }) {
  const nameOf = useNameOf();
  return (
    <Link
      to="/routing"
      search={({ of: _, ...rest }) => rest}
      className="filter on"
      aria-label={strings.memory.remove(id)}
    >
      <span>{nameOf('pipeline', id)}</span>
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
      <td />
    </tr>
  );
}

function RecentRow({ run }: { run: RecentRun }) {
  const { kind, id, key, outcome, cached, duration_ms, at_unix } = run;
  const caller = useCaller();
  const mayForget = useMayForget();
  const name = useNameOf()(kind, id);
  const label = caller === undefined ? text.forgetRun(name) : text.forgetRunOf(name, caller);
  return (
    <tr>
      <td>
        <Link
          to="/packs"
          search={{ [kind]: id }}
          className={`${name === id ? 'mono' : ''} cut run-name`}
          title={id}
        >
          {name}
        </Link>
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
      <td className="r faint nowrap" title={exactly(new Date(at_unix * 1000).toISOString())}>
        {agoOf(at_unix, Date.now())}
      </td>
      <td className="r row-act">
        {mayForget && (
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={label}
            title={label}
            onClick={() => forgetLater([key], caller)}
          >
            <Icon name="forget" small />
          </button>
        )}
      </td>
    </tr>
  );
}
