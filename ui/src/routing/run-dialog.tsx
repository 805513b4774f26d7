import { useQuery } from '@tanstack/react-query';
import type { RecordedRun } from '../api/generated/rest.ts';
import { readRun } from '../api/pipeline-api.ts';
import { exactly } from '../kit/dates.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { forgetLater } from '../memory/forget/forgetting.ts';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { DetailSkeleton } from '../packs/detail-skeleton.tsx';
import { shortDuration } from '../packs/durations.ts';
import { JsonView } from '../packs/json-view.tsx';
import { isGood, OutcomeCell } from '../packs/outcome-cell.tsx';
import { PIPELINE_RUNS, useNameOf } from '../pipelines/pipeline-queries.ts';
import { strings } from '../strings.ts';
import { useMayForget } from './confirm-forget-runs.tsx';
import { useRunRecord } from './use-run-records.ts';

const text = strings.routing.run;

/** One run: its inputs, what failed and what to do about it, and a way to run it again. */
export function RunDialog({ runKey, onClose }: { runKey: string; onClose(): void }) {
  const { data: run, error, refetch } = useRunRecord(runKey);
  const nameOf = useNameOf();
  const name = run ? nameOf(run.kind, run.id) : strings.pipelines.runLabel;
  return (
    <Dialog label={name} className="dialog run-dialog" onClose={onClose}>
      <div className="row between">
        <h2 className={`cut ${run && name === run.id ? 'mono' : ''}`}>{name}</h2>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={text.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      {error && <ProblemNote error={error} title={text.loadFailed} onRetry={() => void refetch()} />}
      {run === undefined && !error && <DetailSkeleton />}
      {run === null && <p className="muted">{text.gone}</p>}
      {run && <RunContent run={run} onClose={onClose} />}
    </Dialog>
  );
}

function RunContent({ run, onClose }: { run: RecordedRun; onClose(): void }) {
  const { outcome, cached, duration_ms, at_unix, version, findings = [] } = run;
  const caller = useCaller();
  // The runs of another caller's pipelines cannot be read, only their records.
  const ofPipeline = useQuery({
    queryKey: [PIPELINE_RUNS, 'run', run.run_id],
    queryFn: ({ signal }) => readRun(run.run_id!, signal),
    enabled: run.run_id !== undefined && caller === undefined,
    retry: false,
  }).data;
  const inputs = ofPipeline?.inputs ?? run.learn_inputs ?? {};
  const error = ofPipeline?.error
    ? { message: ofPipeline.error, hint: ofPipeline.failure_hint }
    : (run.error ?? { message: text.failed, hint: undefined });
  const code = ofPipeline?.error_code ?? outcome;
  return (
    <>
      <p className="row wrap">
        <OutcomeCell outcome={outcome} />
        {cached && <span className="chip">{strings.routing.cached}</span>}
        <span className="small faint">
          {exactly(new Date(at_unix * 1000).toISOString())}
          {duration_ms !== undefined && ` · ${shortDuration(duration_ms)}`}
          {version !== undefined && ` · ${version}`}
        </span>
      </p>
      {!isGood(outcome) && (
        <div className="note note-danger">
          <Icon name="warn" />
          <div className="grow">
            <b>{error.message}</b>
            {error.hint !== undefined && <div>{error.hint}</div>}
            <div className="small faint">{code}</div>
          </div>
        </div>
      )}
      {findings.length > 0 && (
        <section className="stack gap-1" aria-label={text.findings}>
          <h3>{text.findings}</h3>
          {findings.map(({ code: finding, severity, file }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same finding may be reported twice
            <p key={at} className="small">
              <span className="mono">{finding}</span>
              {severity !== undefined && <span className="faint"> · {severity}</span>}
              {file !== undefined && <span className="faint mono"> · {file}</span>}
            </p>
          ))}
        </section>
      )}
      <section className="stack gap-2" aria-label={text.inputs}>
        <h3>{text.inputs}</h3>
        {Object.keys(inputs).length === 0 ? (
          <p className="small muted">{text.noInputs}</p>
        ) : (
          <JsonView value={inputs} />
        )}
        {!ofPipeline && <p className="hint">{text.onlyLearned}</p>}
      </section>
      <RunActions run={run} inputs={inputs} onClose={onClose} />
    </>
  );
}

interface RunActionsProps {
  run: RecordedRun;
  inputs: Record<string, unknown>;
  onClose(): void;
}

function RunActions({ run: { kind, id, key, run_id }, inputs, onClose }: RunActionsProps) {
  const caller = useCaller();
  const navigate = useNavigate();
  const mayForget = useMayForget();
  const again = () => void navigate({ to: '/packs', search: { [kind]: id }, state: { suggested: inputs } });
  return (
    <div className="row wrap">
      {mayForget && (
        <button
          type="button"
          className="btn btn-danger"
          onClick={() => {
            forgetLater([key], { caller });
            onClose();
          }}
        >
          {text.forget}
        </button>
      )}
      <span className="grow" />
      {caller === undefined && run_id !== undefined && (
        <Link to="/packs" search={{ pipeline: id, run: run_id }} className="btn">
          {text.openRun}
        </Link>
      )}
      {caller === undefined && (
        <button type="button" className="btn btn-primary" onClick={again}>
          <Icon name="renew" small />
          {text.again}
        </button>
      )}
    </div>
  );
}
