import { useMutation } from '@tanstack/react-query';
import { pipelineFromRuns } from '../api/routing-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { useOpenPipeline } from './use-open-pipeline.ts';

const text = strings.routing.picking;
const MIN_RUNS = 2;
const MAX_RUNS = 20;

/** What can be done with the runs that are ticked in the list. */
export function PickedRuns({ keys, onCancel }: { keys: readonly string[]; onCancel(): void }) {
  const openPipeline = useOpenPipeline();
  const make = useMutation({ mutationFn: () => pipelineFromRuns([...keys]), onSuccess: openPipeline });
  const fits = keys.length >= MIN_RUNS && keys.length <= MAX_RUNS;
  return (
    <div className="card-body stack gap-2">
      <div className="row wrap">
        <span className="grow small muted">{fits ? text.picked(keys.length) : text.howMany}</span>
        <button
          type="button"
          className="btn btn-s btn-primary"
          disabled={!fits || make.isPending}
          onClick={() => make.mutate()}
        >
          {text.make}
        </button>
        <button type="button" className="btn btn-s" onClick={onCancel}>
          {text.cancel}
        </button>
      </div>
      {make.error && <ProblemNote error={make.error} title={text.failed} />}
    </div>
  );
}
