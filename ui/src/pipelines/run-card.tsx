import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PipelineRun, RunStep } from '../api/generated/rest.ts';
import { cancelRun, rerun, resumeRun } from '../api/pipeline-api.ts';
import { exactly, minuteOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { ArtifactRows } from '../packs/artifact-rows.tsx';
import { JsonView } from '../packs/json-view.tsx';
import { OutcomeCell } from '../packs/outcome-cell.tsx';
import { OutputView, storedKey } from '../packs/output-view.tsx';
import { strings } from '../strings.ts';
import { Flow } from './flow.tsx';
import { hasEnded, PIPELINE_RUNS } from './pipeline-queries.ts';

const text = strings.pipelines;

/** A run as a flow of steps, with its actions and what it made. */
export function RunCard({ run }: { run: PipelineRun }) {
  const [chosen, setChosen] = useState<string>();
  const acts = useRunActs(run);
  const step = run.steps.find(({ step_id }) => step_id === chosen);
  const resumable = run.status === 'failed' || run.status === 'cancelled';
  return (
    <section className="card" aria-label={text.runLabel}>
      <div className="card-head">
        <h2 className="row">
          <OutcomeCell outcome={run.status} />
          <span className="small faint cut" title={exactly(run.started_at)}>
            <span className="mono no-phone">{run.id.slice(0, 12)} · </span>
            {text.started(minuteOf(run.started_at))}
          </span>
        </h2>
        <RunButtons run={run} acts={acts} />
      </div>
      <div className="card-body stack gap-4">
        {acts.error !== null && <ProblemNote error={acts.error} />}
        <Flow
          steps={run.steps}
          chosen={chosen}
          onChoose={(id) => setChosen(id === chosen ? undefined : id)}
        />
        {resumable && <FailureNote run={run} acts={acts} />}
        {step && <StepDetail step={step} />}
        <RunProducts run={run} />
        {Object.keys(run.inputs).length > 0 && (
          <details>
            <summary className="small muted">{text.inputsOfRun}</summary>
            <JsonView value={run.inputs} />
          </details>
        )}
      </div>
    </section>
  );
}

interface RunActions {
  busy: boolean;
  error: unknown;
  cancel(): void;
  rerun(): void;
  resume(): void;
}

function useRunActs(run: PipelineRun): RunActions {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: [PIPELINE_RUNS] });
  const again = useMutation({
    mutationFn: (start: typeof rerun) => start(run.id),
    onSuccess: async ({ run_id, pipeline_id }) => {
      await refresh();
      await navigate({ to: '/packs', search: { pipeline: pipeline_id, run: run_id } });
    },
  });
  const stop = useMutation({ mutationFn: () => cancelRun(run.id), onSettled: refresh });
  return {
    busy: again.isPending || stop.isPending,
    error: again.error ?? stop.error,
    cancel: () => stop.mutate(),
    rerun: () => again.mutate(rerun),
    resume: () => again.mutate(resumeRun),
  };
}

function RunButtons({ run, acts }: { run: PipelineRun; acts: RunActions }) {
  if (!hasEnded(run.status))
    return (
      <button type="button" className="btn btn-s" disabled={acts.busy} onClick={acts.cancel}>
        {text.cancel}
      </button>
    );
  return (
    <button type="button" className="btn btn-s" disabled={acts.busy} onClick={acts.rerun}>
      <Icon name="renew" small />
      {text.rerun}
    </button>
  );
}

/** Why the run ended early, what to do about it, and the way to continue with that step. */
function FailureNote({ run, acts }: { run: PipelineRun; acts: RunActions }) {
  const { status, error, error_code, failure_class, failure_hint } = run;
  const stuck = run.steps.find((step) => step.status === 'failed' || step.status === 'cancelled');
  const isCancelled = status === 'cancelled';
  // The hint of the error says more than its class.
  const advice = failure_hint ?? (failure_class && text.whatToDo[failure_class]);
  return (
    <div className={`note ${isCancelled ? '' : 'note-danger'}`} role={isCancelled ? undefined : 'alert'}>
      <Icon name={isCancelled ? 'close' : 'warn'} />
      <div className="grow stack gap-1">
        {isCancelled ? <span>{text.cancelledText}</span> : <b>{error ?? text.failedText}</b>}
        {!isCancelled && advice !== undefined && <span>{advice}</span>}
        {!isCancelled && error_code !== undefined && (
          <span className="small faint">{stuck ? `${stuck.step_id} · ${error_code}` : error_code}</span>
        )}
        <div>
          <button type="button" className="btn btn-s" disabled={acts.busy} onClick={acts.resume}>
            <Icon name="play" small />
            {stuck ? text.resumeFrom(stuck.step_id) : text.resume}
          </button>
        </div>
      </div>
    </div>
  );
}

function StepDetail({ step }: { step: RunStep }) {
  return (
    <section className="stack gap-3 step-detail" aria-label={text.stepLabel(step.step_id)}>
      <h3>{text.stepLabel(step.step_id)}</h3>
      {step.output === undefined ? (
        <p className="muted">{step.output_withheld ? text.withheld : text.noOutput}</p>
      ) : (
        <OutputView output={step.output} pack={step.pack} />
      )}
    </section>
  );
}

/** The facts and files that the run created. */
function RunProducts({ run }: { run: PipelineRun }) {
  const keys = run.steps.flatMap(({ output, pack }) => storedKey(output ?? {}, pack) ?? []);
  const artifacts = run.steps.flatMap((step) => step.artifacts ?? []);
  if (keys.length + artifacts.length === 0) return null;
  return (
    <section className="stack gap-2" aria-label={text.made}>
      <h3>{text.made}</h3>
      {keys.map((key) => (
        <Link key={key} to="/" search={{ key }} className="row small">
          <Icon name="memory" small />
          <span className="mono cut">{key}</span>
        </Link>
      ))}
      {artifacts.length > 0 && <ArtifactRows artifacts={artifacts} />}
    </section>
  );
}
