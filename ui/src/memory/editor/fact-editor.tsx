import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { DraftNote } from '../../kit/draft-note.tsx';
import { drafts } from '../../kit/drafts.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { SheetHandle } from '../../kit/sheet.tsx';
import { UnsavedGuard } from '../../kit/unsaved-guard.tsx';
import { useReturnFocus } from '../../kit/use-return-focus.ts';
import { strings } from '../../strings.ts';
import { DiffView } from '../detail/diff-view.tsx';
import { CategoryField } from './category-field.tsx';
import { ConflictNote } from './conflict-note.tsx';
import { FORM_ADDRESS } from './fact-draft.ts';
import { KeyField, ValueField } from './fact-fields.tsx';
import { LifetimeField } from './lifetime-field.tsx';
import { SimilarHint } from './similar-hint.tsx';
import { TagsField } from './tags-field.tsx';
import { type FactEditorOptions, useFactEditor } from './use-fact-editor.ts';

const text = strings.editor;

interface FactEditorProps extends FactEditorOptions {
  onCancel(): void;
  /** Takes what was typed to a fact that is already there. */
  onWriteThere?(key: string, value: string): void;
}

/** The form for a new or an existing fact, in the detail pane. Nothing that was typed is lost, however it is left. */
export function FactEditor(props: FactEditorProps) {
  const [round, setRound] = useState(0);
  const { name } = props;
  useReturnFocus();
  const discard = () => {
    drafts.discard(name);
    // A new round starts without the draft.
    setRound(round + 1);
  };
  return (
    <>
      <EditorForm key={round} {...props} onDiscard={discard} />
      <UnsavedGuard draft={name} address={FORM_ADDRESS} />
    </>
  );
}

function EditorForm(props: FactEditorProps & { onDiscard(): void }) {
  const { fact, name, onCancel, onWriteThere, onDiscard } = props;
  const editor = useFactEditor(props);
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
      <SheetHandle onClose={onCancel} />
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
          {editor.restoredMs !== undefined && <DraftNote atMs={editor.restoredMs} onDiscard={onDiscard} />}
          <KeyField editor={editor} isNew={isNew} />
          <ValueField editor={editor} isNew={isNew} />
          {fact && editor.restoredMs !== undefined && draft.value !== fact.value && (
            <DiffView before={fact.value} after={draft.value} />
          )}
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
          {conflict && (
            <ConflictNote
              conflict={conflict}
              mine={draft.value}
              onDiscard={() => {
                drafts.discard(name);
                onCancel();
              }}
            />
          )}
          {failure && <ProblemNote error={failure} onRetry={editor.submit} />}
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
