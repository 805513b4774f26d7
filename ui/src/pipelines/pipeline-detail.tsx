import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Pipeline } from '../api/generated/rest.ts';
import { deletePipeline, startPipeline } from '../api/pipeline-api.ts';
import { ConfirmDialog } from '../kit/confirm-dialog.tsx';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { AboutLines } from '../packs/about-lines.tsx';
import { DetailSkeleton } from '../packs/detail-skeleton.tsx';
import type { Fields } from '../packs/form/first-input.ts';
import { InputCard } from '../packs/form/input-card.tsx';
import { keptInput, sendingDraft } from '../packs/form/kept-input.ts';
import { useLearned, usePacks } from '../packs/pack-queries.ts';
import { strings } from '../strings.ts';
import { FlowPlan } from './flow.tsx';
import { inputsSchema } from './inputs-schema.ts';
import { hasEnded, PIPELINE_RUNS, PIPELINES, usePipelines, useRuns } from './pipeline-queries.ts';
import { RunCard } from './run-card.tsx';
import { RunsCard } from './runs-card.tsx';
import { useLiveRun } from './use-live-run.ts';

const text = strings.pipelines;

interface PipelineDetailProps {
  id: string;
  runId: string | undefined;
  suggested: Fields | undefined;
}

export function PipelineDetail({ id, runId, suggested }: PipelineDetailProps) {
  const { data, error, refetch, isPending, fetchStatus } = usePipelines();
  const { ready } = useLearned('pipelines', id);
  const pipeline = data?.find((each) => each.id === id);
  // An open form stays when a later refresh fails.
  if (error && !data)
    return <ProblemNote error={error} title={text.loadFailed} onRetry={() => void refetch()} />;
  if (isPending && fetchStatus === 'idle') return <p className="note">{text.noScope}</p>;
  if (isPending || !ready) return <DetailSkeleton />;
  if (!pipeline) return <p className="note">{text.gone}</p>;
  return <OpenPipeline pipeline={pipeline} runId={runId} suggested={suggested} />;
}

function OpenPipeline({
  pipeline,
  runId,
  suggested,
}: Omit<PipelineDetailProps, 'id'> & { pipeline: Pipeline }) {
  const { learned } = useLearned('pipelines', pipeline.id);
  const runs = useRuns(pipeline.id);
  const latest = runs.data?.pages[0]?.runs ?? [];
  const shown = runId ?? (latest.find(({ status }) => !hasEnded(status)) ?? latest[0])?.id;
  const live = useLiveRun(shown);
  const packs = usePacks().data ?? [];
  const used = packs.filter(({ name }) => pipeline.steps.some(({ pack }) => pack === name));
  const kept = keptInput(pipeline.id, suggested, used);
  const start = useStart(pipeline.id, kept.name);
  return (
    <>
      <PipelineHead pipeline={pipeline} />
      <InputCard
        schema={inputsSchema(pipeline, packs)}
        saysOptional={false}
        learned={learned}
        suggested={suggested}
        kept={kept}
        busy={start.isPending}
        onRun={(inputs) => start.mutate(inputs)}
      />
      {start.error && <ProblemNote error={start.error} title={text.startFailed} />}
      {start.data?.coalesced && <p className="note">{text.coalesced}</p>}
      {live.error && <ProblemNote error={live.error} title={text.runFailed} />}
      {live.data ? (
        <RunCard key={live.data.id} run={live.data} />
      ) : (
        <section className="card" aria-label={text.steps}>
          <div className="card-head">
            <h2>{text.steps}</h2>
            <span className="small faint">{text.neverRun}</span>
          </div>
          <div className="card-body">
            <FlowPlan steps={pipeline.steps} />
          </div>
        </section>
      )}
      <RunsCard pipeline={pipeline.id} open={shown} />
    </>
  );
}

function useStart(id: string, draft: string) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (inputs: Fields) => {
      const discardDraft = sendingDraft(draft);
      const started = await startPipeline(id, inputs);
      discardDraft();
      return started;
    },
    onSuccess: async ({ run_id }) => {
      void queryClient.invalidateQueries({ queryKey: [PIPELINE_RUNS] });
      // The form keeps its values: a run is often repeated with one change.
      await navigate({
        to: '/packs',
        search: { pipeline: id, run: run_id },
        state: (before) => ({ suggested: before.suggested }),
      });
    },
  });
}

function PipelineHead({ pipeline }: { pipeline: Pipeline }) {
  const { id, name, description, builtin, metadata } = pipeline;
  const [asking, setAsking] = useState(false);
  return (
    <header className="page-head items-start">
      <div>
        <h1>{name}</h1>
        <p className="small faint mono">{id}</p>
        {description !== undefined && <p>{description}</p>}
        <AboutLines metadata={metadata} />
      </div>
      <div className="row">
        <span className="chip">{builtin ? strings.packs.builtIn : strings.packs.yours}</span>
        <Link to="/packs" search={{ mode: 'new', pipeline: id }} className="btn btn-s">
          <Icon name="copy" small />
          {text.duplicate}
        </Link>
        {!builtin && (
          <>
            <Link to="/packs" search={{ mode: 'edit', pipeline: id }} className="btn btn-s">
              <Icon name="edit" small />
              {text.edit}
            </Link>
            <button
              type="button"
              className="btn btn-danger btn-s btn-icon"
              aria-label={text.remove(name)}
              title={text.remove(name)}
              onClick={() => setAsking(true)}
            >
              <Icon name="forget" small />
            </button>
          </>
        )}
      </div>
      {asking && <ConfirmDelete pipeline={pipeline} onClose={() => setAsking(false)} />}
    </header>
  );
}

/** Deleting cannot be undone: a pipeline created again gets another id. */
function ConfirmDelete({ pipeline: { id, name }, onClose }: { pipeline: Pipeline; onClose(): void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deletePipeline(id),
    onSuccess: async () => {
      onClose();
      await navigate({ to: '/packs', search: {} });
      await queryClient.invalidateQueries({ queryKey: [PIPELINES] });
    },
  });
  return (
    <ConfirmDialog
      title={text.deleteTitle(name)}
      yes={text.deleteYes}
      no={text.keep}
      act={remove}
      onClose={onClose}
    >
      <p className="muted">{text.deleteText}</p>
    </ConfirmDialog>
  );
}
