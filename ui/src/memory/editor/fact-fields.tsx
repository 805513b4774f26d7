import { useState } from 'react';
import { strings } from '../../strings.ts';
import { KeyName } from '../list/key-name.tsx';
import { EditorField } from './editor-field.tsx';
import { tagsFromText } from './fact-rules.ts';
import type { FactEditorState } from './use-fact-editor.ts';

const text = strings.editor;

interface FieldProps {
  editor: FactEditorState;
}

/** The key cannot change while a fact is edited: under another key it would be another fact. */
export function KeyField({ editor, isNew }: FieldProps & { isNew: boolean }) {
  const { draft, change, touch, problemOf } = editor;
  if (!isNew) {
    return (
      <p className="detail-key">
        <KeyName name={draft.key} />
      </p>
    );
  }
  return (
    <EditorField id="key" label={text.key} required hint={text.keyHint} problem={problemOf('key')}>
      {(props) => (
        <input
          {...props}
          className={`input mono ${props['aria-invalid'] ? 'is-bad' : ''}`}
          value={draft.key}
          spellCheck={false}
          autoComplete="off"
          ref={(input) => void (input && focusOnce(input))}
          onChange={(event) => change('key', event.target.value)}
          onBlur={() => draft.key !== '' && touch('key')}
        />
      )}
    </EditorField>
  );
}

export function ValueField({ editor, isNew }: FieldProps & { isNew: boolean }) {
  const { draft, change, touch, problemOf } = editor;
  return (
    <EditorField id="value" label={text.value} required hint={text.valueHint} problem={problemOf('value')}>
      {(props) => (
        <textarea
          {...props}
          className={`area ${props['aria-invalid'] ? 'is-bad' : ''}`}
          dir="auto"
          rows={5}
          value={draft.value}
          ref={(area) => void (!isNew && area && focusOnce(area))}
          onChange={(event) => change('value', event.target.value)}
          onBlur={() => touch('value')}
        />
      )}
    </EditorField>
  );
}

/** Keeps the text as it was typed, beside the tags that are read from it. */
export function TagsField({ editor: { draft, change, problemOf } }: FieldProps) {
  const [typed, setTyped] = useState(() => draft.tags.join(', '));
  return (
    <EditorField id="tags" label={text.tags} hint={text.tagsHint} problem={problemOf('tags')}>
      {(props) => (
        <input
          {...props}
          className={`input ${props['aria-invalid'] ? 'is-bad' : ''}`}
          dir="auto"
          value={typed}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.target.value);
            change('tags', tagsFromText(event.target.value));
          }}
        />
      )}
    </EditorField>
  );
}

export function LifetimeField({ editor: { draft, change, problemOf } }: FieldProps) {
  return (
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
  );
}

const focused = new WeakSet<HTMLElement>();
function focusOnce(element: HTMLElement): void {
  if (focused.has(element)) return;
  focused.add(element);
  element.focus();
}
