import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, RefObject } from 'react';
import { askRoute, type RouteAdvice } from '../api/pack-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { RUNS } from '../memory/fact-queries.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { useNameOf } from '../pipelines/pipeline-queries.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { AskAnswer } from './ask-answer.tsx';
import type { Fields } from './form/first-input.ts';

const text = strings.ask;

export interface Choice {
  kind: 'pack' | 'pipeline';
  id: string;
  inputs?: Fields;
}

interface AskBarProps {
  intent: string;
  setIntent(intent: string): void;
  input: RefObject<HTMLInputElement | null>;
}

/** "What should I use?": takes a few words and finds the pack or pipeline that fits them. */
export function AskBar({ intent, setIntent, input }: AskBarProps) {
  const { ask, use, best } = useAsk();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (best && ask.variables === intent.trim()) use(best);
    else if (intent.trim() !== '') ask.mutate(intent.trim());
  };
  const clear = () => {
    setIntent('');
    ask.reset();
    input.current?.focus();
  };
  return (
    <>
      <form className="ask" onSubmit={submit}>
        <Icon name="sparkle" />
        <input
          ref={input}
          type="text"
          aria-label={text.label}
          placeholder={text.placeholder}
          value={intent}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={4_000}
          onChange={(event) => setIntent(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') clear();
          }}
        />
        <AskEnd ask={ask} best={best} typed={intent} onClear={clear} />
      </form>
      {ask.isError && (
        <div className="ask-answer">
          <ProblemNote error={ask.error} title={text.failed} onRetry={() => ask.mutate(ask.variables!)} />
        </div>
      )}
      {ask.data && <AskAnswer answer={ask.data} onUse={use} onClose={clear} />}
    </>
  );
}

function useAsk() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const ask = useMutation({
    mutationFn: (intent: string) => askRoute(intent),
    onSuccess: ({ recommendation: { kind, id } }) =>
      announce(kind === 'none' ? text.nothing : text.found(id)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [RUNS] }),
  });
  const use = ({ kind, id, inputs }: Choice) => {
    ask.reset();
    void navigate({ to: '/packs', search: { [kind]: id }, state: { suggested: inputs } });
  };
  return { ask, use, best: bestOf(ask.data) };
}

function bestOf(answer: RouteAdvice | undefined): Choice | undefined {
  if (!answer || answer.recommendation.kind === 'none') return undefined;
  const { kind, id, suggested_inputs: inputs } = answer.recommendation;
  return { kind, id, inputs };
}

interface AskEndProps {
  ask: { isPending: boolean; data?: RouteAdvice; variables?: string };
  best: Choice | undefined;
  typed: string;
  onClear(): void;
}

function AskEnd({ ask, best, typed, onClear }: AskEndProps) {
  const nameOf = useNameOf();
  if (ask.isPending) return <span className="spin" role="img" aria-label={text.asking} />;
  if (best && ask.variables === typed.trim())
    return (
      <span className="ans">
        <span className="muted small no-phone">{text.best}</span>
        <span className="chip chip-accent cut">{nameOf(best.kind, best.id)}</span>
        <button type="submit" className="btn btn-s">
          {text.use} <kbd>↵</kbd>
        </button>
      </span>
    );
  if (typed === '' || (ask.data && ask.variables === typed.trim())) return null;
  return (
    <span className="ans">
      <button type="submit" className="btn btn-s">
        {text.ask} <kbd>↵</kbd>
      </button>
      <button
        type="button"
        className="btn btn-ghost btn-s btn-icon"
        aria-label={text.clear}
        onClick={onClear}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
