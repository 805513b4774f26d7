import { strings } from '../../strings.ts';
import { KeyName } from '../list/key-name.tsx';
import { EditorField } from './editor-field.tsx';
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

const focused = new WeakSet<HTMLElement>();
function focusOnce(element: HTMLElement): void {
  if (focused.has(element)) return;
  focused.add(element);
  element.focus();
}
