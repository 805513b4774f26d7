import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/call-api.ts';
import { readFact, storeFact } from '../../api/fact-api.ts';
import type { Fact, FactInput } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { keepAdvice } from '../detail/advice-store.ts';
import { DiffView } from '../detail/diff-view.tsx';
import { MEMORY } from '../fact-queries.ts';
import { DAY_MS } from '../list/time-left.ts';
import { CategoryField } from './category-field.tsx';
import { EditorField } from './editor-field.tsx';
import { type Draft, draftProblems, fieldOfReason, tagsFromText } from './fact-rules.ts';
import { SimilarHint } from './similar-hint.tsx';

const text = strings.editor;
const DEFAULT_DAYS = 90;
const PAUSE_MS = 250;

interface FactEditorProps {
  /** What is edited; undefined for a new fact. */
  fact: Fact | undefined;
  start: Partial<Draft>;
  onSaved(key: string): void;
  onCancel(): void;
  /** Takes what was typed to a fact that is already there. */
  onWriteThere?(key: string, value: string): void;
}

/** Writing happens in the pane, beside what is already known; nothing typed is lost by a refusal. */
export function FactEditor({ fact, start, onSaved, onCancel, onWriteThere }: FactEditorProps) {
  const [draft, setDraft] = useState(() => draftOf(fact, start));
  const [tagText, setTagText] = useState(() => draft.tags.join(', '));
  const [touched, setTouched] = useState<ReadonlySet<keyof Draft>>(new Set());
  const [theirs, setTheirs] = useState<Fact>();
  const baseVersion = useRef(fact?.version);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => storeFact(inputOf(draft, baseVersion.current)),
    onSuccess: (answer) => {
      keepAdvice(answer.key, answer);
      announce(text.saved(answer.version));
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
      onSaved(answer.key);
    },
    onError: async (error) => {
      // Both are shown; neither is thrown away without a word.
      if (error instanceof ApiError && error.status === 412) setTheirs(await readFact(draft.key.trim(), {}));
    },
  });
  const problems = draftProblems(draft);
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const refusedField = refused && fieldOfReason(refused.code, refused.reason);
  const problemOf = (field: keyof Draft) =>
    (touched.has(field) ? problems[field] : undefined) ??
    (refusedField === field && refused
      ? [refused.message, refused.hint].filter(Boolean).join(' ')
      : undefined);
  const touch = (...fields: (keyof Draft)[]) => setTouched((before) => new Set([...before, ...fields]));
  const change = <F extends keyof Draft>(field: F, value: Draft[F]) => {
    setDraft((before) => ({ ...before, [field]: value }));
    if (save.isError) save.reset();
  };
  useTouchOnPause(draft, touch);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    touch('key', 'value', 'category', 'tags', 'ttlDays');
    if (Object.keys(problems).length === 0 && !save.isPending) save.mutate();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
    if (event.key === 'Escape') onCancel();
  };
  const title = fact ? text.edit : text.create;
  return (
    <aside className="detail" aria-label={title}>
      <form className="editor" onSubmit={submit} onKeyDown={onKeyDown} noValidate>
        <div className="detail-bar">
          <h2 className="editor-title grow">{title}</h2>
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={text.cancel}
            onClick={onCancel}
          >
            <Icon name="close" />
          </button>
        </div>
        <div className="detail-scroll">
          <EditorField id="key" label={text.key} required hint={text.keyHint} problem={problemOf('key')}>
            {(props) => (
              <input
                {...props}
                className={`input mono ${props['aria-invalid'] ? 'is-bad' : ''}`}
                value={draft.key}
                readOnly={fact !== undefined}
                spellCheck={false}
                autoComplete="off"
                ref={(input) => void (!fact && input && focusOnce(input))}
                onChange={(event) => change('key', event.target.value)}
                onBlur={() => draft.key !== '' && touch('key')}
              />
            )}
          </EditorField>
          <EditorField
            id="value"
            label={text.value}
            required
            hint={text.valueHint}
            problem={problemOf('value')}
          >
            {(props) => (
              <textarea
                {...props}
                className={`area ${props['aria-invalid'] ? 'is-bad' : ''}`}
                rows={5}
                value={draft.value}
                ref={(area) => void (fact && area && focusOnce(area))}
                onChange={(event) => change('value', event.target.value)}
                onBlur={() => touch('value')}
              />
            )}
          </EditorField>
          {fact && start.value !== undefined && <DiffView before={fact.value} after={draft.value} />}
          <SimilarHint
            value={draft.value}
            ownKey={draft.key.trim()}
            onWriteThere={onWriteThere && ((key) => onWriteThere(key, draft.value))}
          />
          <CategoryField
            value={draft.category}
            problem={problemOf('category')}
            onChange={(category) => change('category', category)}
          />
          <EditorField id="tags" label={text.tags} hint={text.tagsHint} problem={problemOf('tags')}>
            {(props) => (
              <input
                {...props}
                className={`input ${props['aria-invalid'] ? 'is-bad' : ''}`}
                value={tagText}
                autoComplete="off"
                onChange={(event) => {
                  setTagText(event.target.value);
                  change('tags', tagsFromText(event.target.value));
                }}
              />
            )}
          </EditorField>
          <EditorField id="ttl" label={text.ttl} problem={problemOf('ttlDays')}>
            {(props) => (
              <input
                {...props}
                className={`input num ${props['aria-invalid'] ? 'is-bad' : ''}`}
                type="number"
                min="1"
                max="365"
                step="1"
                value={Number.isNaN(draft.ttlDays) ? '' : draft.ttlDays}
                onChange={(event) => change('ttlDays', event.target.valueAsNumber)}
              />
            )}
          </EditorField>
          {theirs && (
            <section className="note note-warn" role="alert">
              <div className="grow stack gap-2">
                <b>{text.conflictTitle}</b>
                <span>{text.conflictText}</span>
                <DiffView before={theirs.value} after={draft.value} />
                <div className="row wrap">
                  <button
                    type="button"
                    className="btn btn-s"
                    onClick={() => {
                      baseVersion.current = theirs.version;
                      setTheirs(undefined);
                      save.mutate();
                    }}
                  >
                    {text.keepMine}
                  </button>
                  <button type="button" className="btn btn-s" onClick={onCancel}>
                    {text.keepTheirs}
                  </button>
                  <button
                    type="button"
                    className="btn btn-ghost btn-s"
                    onClick={() => {
                      baseVersion.current = theirs.version;
                      setTheirs(undefined);
                      save.reset();
                    }}
                  >
                    {text.goOn}
                  </button>
                </div>
              </div>
            </section>
          )}
          {save.isError && !theirs && refusedField === undefined && <ProblemNote error={save.error} />}
        </div>
        <div className="actions">
          <button type="submit" className="btn btn-primary" disabled={save.isPending}>
            {save.isPending ? text.saving : text.save} <kbd>Ctrl ↵</kbd>
          </button>
          <button type="button" className="btn btn-ghost" onClick={onCancel}>
            {text.cancel}
          </button>
        </div>
      </form>
    </aside>
  );
}

/** A field is judged when its writer pauses, not at every letter. */
function useTouchOnPause(draft: Draft, touch: (...fields: (keyof Draft)[]) => void): void {
  const first = useRef(draft);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed starts the pause anew
  useEffect(() => {
    const changed = (Object.keys(draft) as (keyof Draft)[]).filter(
      (field) => String(draft[field]) !== String(first.current[field]),
    );
    if (changed.length === 0) return;
    const timer = setTimeout(() => touch(...changed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
}

const focused = new WeakSet<HTMLElement>();
function focusOnce(element: HTMLElement): void {
  if (focused.has(element)) return;
  focused.add(element);
  element.focus();
}

function draftOf(fact: Fact | undefined, start: Partial<Draft>): Draft {
  const ttlDays = fact
    ? Math.max(
        1,
        Math.min(365, Math.round((Date.parse(fact.expires_at) - Date.parse(fact.updated_at)) / DAY_MS)),
      )
    : DEFAULT_DAYS;
  const { key = '', value = '', category = '', tags = [] } = fact ?? {};
  return { key, value, category, tags, ttlDays, ...start };
}

function inputOf(draft: Draft, ifVersion: number | undefined): FactInput {
  const category = draft.category.trim();
  return {
    key: draft.key,
    value: draft.value,
    ...(category === '' ? {} : { category }),
    tags: draft.tags,
    ttl_seconds: Math.round(draft.ttlDays * 86_400),
    // A new fact must not silently replace one that somebody else wrote meanwhile.
    if_version: ifVersion ?? 0,
  };
}
