import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { Pipeline, PipelineInput } from '../api/generated/rest.ts';
import { createPipeline, replacePipeline } from '../api/pipeline-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useNavigate } from '../navigation/navigation.tsx';
import { DetailSkeleton } from '../packs/detail-skeleton.tsx';
import { usePacks } from '../packs/pack-queries.ts';
import { strings } from '../strings.ts';
import { bodyOf, checkPipeline, STARTER } from './check-pipeline.ts';
import { FlowPlan } from './flow.tsx';
import { PIPELINES, usePipelines } from './pipeline-queries.ts';

const text = strings.pipelines;
const PAUSE_MS = 250;

/** Creates a pipeline, or edits one of the caller's own. */
export function PipelineEditor({ id, from }: { id?: string; from?: string }) {
  const { data } = usePipelines();
  if (from !== undefined && !data) return <DetailSkeleton />;
  const known = data?.find((pipeline) => pipeline.id === from);
  return <Editor id={id} first={known ? firstOf(known, id === undefined) : STARTER} />;
}

const firstOf = (pipeline: Pipeline, copy: boolean): PipelineInput => ({
  ...bodyOf(pipeline),
  name: copy ? text.copyOf(pipeline.name) : pipeline.name,
});

function Editor({ id, first }: { id: string | undefined; first: PipelineInput }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [json, setJson] = useState(() => JSON.stringify(first, null, 2));
  const packs = usePacks().data ?? [];
  const { problems, body } = checkPipeline(useDebounced(json), packs);
  const leave = (pipeline: string | undefined) =>
    navigate({ to: '/packs', search: pipeline === undefined ? {} : { pipeline } });
  const save = useMutation({
    mutationFn: (definition: PipelineInput) =>
      id === undefined ? createPipeline(definition) : replacePipeline(id, definition),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: [PIPELINES] });
      await leave(saved.id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const now = checkPipeline(json, packs);
    if (now.body && now.problems.length === 0) save.mutate(now.body);
  };
  return (
    <form className="stack gap-4" onSubmit={submit}>
      <header className="page-head">
        <div>
          <h1>{id === undefined ? text.createTitle : text.editTitle(first.name)}</h1>
          <p>{text.editorLead}</p>
        </div>
      </header>
      <div className="field">
        <label htmlFor="pipeline-json">{text.definition}</label>
        <textarea
          id="pipeline-json"
          className={`area mono json-area ${problems.length > 0 ? 'is-bad' : ''}`}
          aria-invalid={problems.length > 0 || undefined}
          aria-describedby="pipeline-problems"
          spellCheck={false}
          value={json}
          onChange={(event) => setJson(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
        <ul id="pipeline-problems" className="err" aria-live="polite">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
        <p className="hint">{text.templateHint}</p>
      </div>
      {body && body.steps.length > 0 && <FlowPlan steps={body.steps} />}
      {save.isError && <ProblemNote error={save.error} title={text.saveFailed} />}
      <div className="row">
        <button type="submit" className="btn btn-primary" disabled={problems.length > 0 || save.isPending}>
          {text.save}
        </button>
        <button type="button" className="btn btn-ghost" onClick={() => void leave(id)}>
          {text.discard}
        </button>
      </div>
    </form>
  );
}

/** The value, debounced. */
function useDebounced(value: string): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}
