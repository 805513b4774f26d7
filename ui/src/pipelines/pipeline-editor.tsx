import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { Pack, Pipeline, PipelineInput } from '../api/generated/rest.ts';
import { createPipeline, replacePipeline } from '../api/pipeline-api.ts';
import { DraftNote } from '../kit/draft-note.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { UnsavedGuard } from '../kit/unsaved-guard.tsx';
import { useNavigate } from '../navigation/navigation.tsx';
import { DetailSkeleton } from '../packs/detail-skeleton.tsx';
import { usePacks } from '../packs/pack-queries.ts';
import { strings } from '../strings.ts';
import { Builder } from './builder/builder.tsx';
import { JsonTab } from './builder/json-tab.tsx';
import { type PipelineDraft, usePipelineDraft } from './builder/use-pipeline-draft.ts';
import { bodyOf, STARTER } from './check-pipeline.ts';
import { PIPELINES, usePipelines } from './pipeline-queries.ts';

const text = strings.pipelines;

/** Creates a pipeline, or edits one of the caller's own. */
export function PipelineEditor({ id, from }: { id?: string; from?: string }) {
  const { data } = usePipelines();
  const packs = usePacks().data;
  if (!packs || (from !== undefined && !data)) return <DetailSkeleton />;
  const known = data?.find((pipeline) => pipeline.id === from);
  const name = `pipeline ${id ?? `new ${from ?? ''}`}`;
  return (
    <Editor id={id} name={name} packs={packs} first={known ? firstOf(known, id === undefined) : STARTER} />
  );
}

const firstOf = (pipeline: Pipeline, copy: boolean): PipelineInput => ({
  ...bodyOf(pipeline),
  name: copy ? text.copyOf(pipeline.name) : pipeline.name,
});

interface EditorProps {
  id: string | undefined;
  /** Of its draft. */
  name: string;
  packs: readonly Pack[];
  first: PipelineInput;
}

function Editor({ id, name, packs, first }: EditorProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const draft = usePipelineDraft(name, first, packs);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const leave = (pipeline: string | undefined) =>
    navigate({ to: '/packs', search: pipeline === undefined ? {} : { pipeline } });
  const save = useMutation({
    mutationFn: (definition: PipelineInput) =>
      id === undefined ? createPipeline(definition) : replacePipeline(id, definition),
    onSuccess: async (saved) => {
      draft.discard();
      await queryClient.invalidateQueries({ queryKey: [PIPELINES] });
      await leave(saved.id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const definition = draft.valid();
    if (definition) return save.mutate(definition);
    setTried(true);
    // After the messages are rendered.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const shown = new Map([...draft.problems].filter(([place]) => tried || touched.has(place)));
  return (
    <>
      <form
        ref={form}
        className="stack gap-4 build"
        onSubmit={submit}
        onKeyDown={(event) => {
          const isSave = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          // Enter in a field does not save: that would be too easy to do by accident in a long form.
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
          if (isSave) {
            (document.activeElement as HTMLElement | null)?.blur(); // names are taken over when they are left
            setTimeout(() => form.current?.requestSubmit());
          }
        }}
        noValidate
      >
        <header className="page-head">
          <div>
            <h1>{id === undefined ? text.createTitle : text.editTitle(first.name)}</h1>
            <p>{text.editorLead}</p>
          </div>
          <ModeSwitch draft={draft} onRefused={() => setTried(true)} />
        </header>
        {draft.restoredMs !== undefined && <DraftNote atMs={draft.restoredMs} onDiscard={draft.startOver} />}
        {draft.mode === 'form' ? (
          <Builder
            key={draft.generation}
            body={draft.body}
            packs={packs}
            problems={shown}
            onTouch={(place) => setTouched((before) => new Set(before).add(place))}
            onChange={draft.setBody}
          />
        ) : (
          <JsonTab draft={draft} tried={tried} />
        )}
        <div className="build-bar">
          {save.isError && <ProblemNote error={save.error} title={text.saveFailed} />}
          <div className="row">
            <button type="submit" className="btn btn-primary" disabled={save.isPending}>
              {text.save}
            </button>
            <button type="button" className="btn btn-ghost" onClick={() => void leave(id)}>
              {text.cancel}
            </button>
            <span className="grow" />
            <span className="small err" role="status">
              {tried && draft.problems.size > 0 && text.builder.wrong(draft.problems.size)}
            </span>
          </div>
        </div>
      </form>
      <UnsavedGuard draft={name} address={['mode', 'pipeline']} />
    </>
  );
}

function ModeSwitch({ draft, onRefused }: { draft: PipelineDraft; onRefused(): void }) {
  return (
    <fieldset className="seg" aria-label={text.builder.modes}>
      {(['form', 'json'] as const).map((mode) => (
        <button
          key={mode}
          type="button"
          aria-pressed={draft.mode === mode}
          onClick={() => {
            if (!draft.setMode(mode)) onRefused();
          }}
        >
          {text.builder.mode[mode]}
        </button>
      ))}
    </fieldset>
  );
}
