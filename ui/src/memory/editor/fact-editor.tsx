import type { FormEvent, KeyboardEvent } from 'react';
import type { Fact } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { strings } from '../../strings.ts';
import { DiffView } from '../detail/diff-view.tsx';
import { CategoryField } from './category-field.tsx';
import { ConflictNote } from './conflict-note.tsx';
import { KeyField, LifetimeField, TagsField, ValueField } from './fact-fields.tsx';
import type { Draft } from './fact-rules.ts';
import { SimilarHint } from './similar-hint.tsx';
import { useFactEditor } from './use-fact-editor.ts';

const text = strings.editor;

interface FactEditorProps {
  /** What is edited; undefined for a new fact. */
  fact: Fact | undefined;
  start: Partial<Draft>;
  onSaved(key: string): void;
  onCancel(): void;
  /** Takes what was typed to a fact that is already there. */
  onWriteThere?(key: string, value: string): void;
}

/** The form for a new or an existing fact, in the detail pane. A refusal by the server loses nothing that was typed. */
export function FactEditor({ fact, start, onSaved, onCancel, onWriteThere }: FactEditorProps) {
  const editor = useFactEditor(fact, start, onSaved);
  const { draft, change, problemOf, conflict, failure, isSaving } = editor;
  const isNew = fact === undefined;
  const title = isNew ? text.create : text.edit;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    editor.submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) editor.submit();
    if (event.key === 'Escape') onCancel();
  };
  return (
    <aside className="detail" aria-label={title}>
      <form className="editor" onSubmit={onSubmit} onKeyDown={onKeyDown} noValidate>
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
          <KeyField editor={editor} isNew={isNew} />
          <ValueField editor={editor} isNew={isNew} />
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
          <TagsField editor={editor} />
          <LifetimeField editor={editor} />
          {conflict && <ConflictNote conflict={conflict} mine={draft.value} onDiscard={onCancel} />}
          {failure && <ProblemNote error={failure} />}
        </div>
        <div className="actions">
          <button type="submit" className="btn btn-primary" disabled={isSaving}>
            {isSaving ? text.saving : text.save} <kbd>Ctrl ↵</kbd>
          </button>
          <button type="button" className="btn btn-ghost" onClick={onCancel}>
            {text.cancel}
          </button>
        </div>
      </form>
    </aside>
  );
}
