import type { PipelineRun } from '../api/generated/rest.ts';
import { exactly } from '../kit/dates.ts';
import { Link } from '../navigation/navigation.tsx';
import { agoOf, shortDuration } from '../packs/durations.ts';
import { OutcomeCell } from '../packs/outcome-cell.tsx';
import { RunTable } from '../packs/run-table.tsx';
import { strings } from '../strings.ts';
import { useRuns } from './pipeline-queries.ts';

const text = strings.pipelines;

/** The runs of a pipeline that are still on record, latest first. */
export function RunsCard({ pipeline, open }: { pipeline: string; open: string | undefined }) {
  const { data, hasNextPage, fetchNextPage } = useRuns(pipeline);
  const runs = data?.pages.flatMap((page) => page.runs) ?? [];
  if (runs.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.runs}</h2>
        <span className="small faint">{text.keptDays}</span>
      </div>
      <RunTable>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} open={run.id === open} />
        ))}
      </RunTable>
      {hasNextPage && (
        <div className="card-body">
          <button type="button" className="btn btn-s" onClick={() => void fetchNextPage()}>
            {text.older}
          </button>
        </div>
      )}
    </section>
  );
}

function RunRow({ run, open }: { run: PipelineRun; open: boolean }) {
  const begunMs = Date.parse(run.started_at);
  const values = Object.values(run.inputs).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return (
    <tr className={open ? 'sel' : ''}>
      <td className="nowrap">
        <Link
          to="/packs"
          search={{ pipeline: run.pipeline_id, run: run.id }}
          aria-current={open ? 'true' : undefined}
          className="row run-link"
        >
          <OutcomeCell outcome={run.status} />
        </Link>
      </td>
      <td className="muted cut">{values.join(', ')}</td>
      <td className="r num muted nowrap hide-s">
        {run.ended_at === undefined ? '' : shortDuration(Date.parse(run.ended_at) - begunMs)}
      </td>
      <td className="r faint nowrap" title={exactly(run.started_at)}>
        {agoOf(begunMs / 1000, Date.now())}
      </td>
    </tr>
  );
}
