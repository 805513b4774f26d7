import type { PipelineStep, RunStatus, RunStep } from '../api/generated/rest.ts';
import { Icon, type IconName } from '../kit/icon.tsx';
import { DottedName } from '../packs/dotted-name.tsx';
import { shortDuration } from '../packs/durations.ts';
import { useElapsed } from '../packs/use-elapsed.ts';
import { strings } from '../strings.ts';

const text = strings.pipelines;
const LOOKS: Record<RunStatus, { className: string; icon: IconName | undefined }> = {
  pending: { className: 'wait', icon: 'clock' },
  running: { className: 'run', icon: undefined },
  succeeded: { className: 'done', icon: 'check' },
  failed: { className: 'bad', icon: 'warn' },
  cancelled: { className: 'wait', icon: 'close' },
};

interface FlowProps {
  steps: readonly RunStep[];
  chosen: string | undefined;
  onChoose(step: string): void;
}

/** The steps of a run from left to right, each with its status. */
export function Flow({ steps, chosen, onChoose }: FlowProps) {
  return (
    <ol className="flow">
      {steps.map((step) => (
        <FlowStep
          key={step.step_id}
          step={step}
          chosen={step.step_id === chosen}
          onChoose={() => onChoose(step.step_id)}
        />
      ))}
    </ol>
  );
}

interface FlowStepProps {
  step: RunStep;
  chosen: boolean;
  onChoose(): void;
}

function FlowStep({ step, chosen, onChoose }: FlowStepProps) {
  const { className, icon } = LOOKS[step.status];
  const progress = step.status === 'running' ? step.progress?.at(-1) : undefined;
  return (
    <li className={`step ${className} ${chosen ? 'chosen' : ''}`}>
      <span className="st">
        {icon ? <Icon name={icon} /> : <span className="spin" />}
        {text.status[step.status]}
        <StepDuration step={step} />
      </span>
      <button type="button" className="step-open" aria-pressed={chosen} onClick={onChoose}>
        {step.step_id}
      </button>
      <DottedName name={step.pack} />
      {progress && (
        <>
          <progress
            className="run-progress"
            max={100}
            value={progress.pct}
            aria-label={strings.packRun.progress}
          />
          {progress.message !== undefined && <span className="small muted cut">{progress.message}</span>}
        </>
      )}
      <StepChips step={step} />
    </li>
  );
}

function StepDuration({ step }: { step: RunStep }) {
  const begunMs = step.started_at === undefined ? undefined : Date.parse(step.started_at);
  const elapsedMs = useElapsed(step.status === 'running' ? begunMs : undefined);
  const endedMs = step.ended_at === undefined ? undefined : Date.parse(step.ended_at);
  const ms = step.status === 'running' ? elapsedMs : endedMs && begunMs && endedMs - begunMs;
  return ms === undefined ? null : <span className="num took">{shortDuration(ms)}</span>;
}

function StepChips({ step }: { step: RunStep }) {
  const { attempts = 1, artifacts = [] } = step;
  if (attempts < 2 && artifacts.length === 0) return null;
  return (
    <span className="row wrap">
      {attempts > 1 && <span className="chip">{text.attempts(attempts)}</span>}
      {artifacts.length > 0 && <span className="chip">{text.files(artifacts.length)}</span>}
    </span>
  );
}

/** The steps of a definition that has not run. */
export function FlowPlan({ steps }: { steps: readonly Pick<PipelineStep, 'id' | 'pack'>[] }) {
  return (
    <ol className="flow">
      {steps.map(({ id, pack }) => (
        <li key={id} className="step">
          <b className="font-medium">{id}</b>
          <DottedName name={pack} />
        </li>
      ))}
    </ol>
  );
}
