import { type KeyboardEvent, useRef, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import { EditorField } from './editor-field.tsx';
import { tagsFromText } from './fact-rules.ts';
import type { FactEditorState } from './use-fact-editor.ts';

const text = strings.editor;
const INPUT = 'field-tags';

/** The tags as chips. What is typed and not a chip yet counts, too: saving must not lose it. */
export function TagsField({ editor: { draft, change, problemOf } }: { editor: FactEditorState }) {
  const known = useFacets({}).data?.tags ?? [];
  const [chips, setChips] = useState<readonly string[]>(draft.tags);
  const [typed, setTyped] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const set = (nextChips: readonly string[], nextTyped: string) => {
    const unique = [...new Set(nextChips)];
    setChips(unique);
    setTyped(nextTyped);
    change('tags', [...new Set([...unique, ...tagsFromText(nextTyped)])]);
  };
  const type = (value: string) => {
    const end = value.lastIndexOf(',');
    if (end < 0) set(chips, value);
    else set([...chips, ...tagsFromText(value.slice(0, end))], value.slice(end + 1).trimStart());
  };
  const finish = () => set([...chips, ...tagsFromText(typed)], '');
  const focus = (index: number) => {
    const chip = list.current?.querySelectorAll('button')[index];
    (chip ?? document.getElementById(INPUT))?.focus();
  };
  const remove = (index: number) => {
    // The next chip is in its place once it is gone; after the last one the input follows.
    focus(index === chips.length - 1 ? chips.length : index + 1);
    set(chips.toSpliced(index, 1), typed);
  };
  const onInputKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const isEnter = event.key === 'Enter' && !event.metaKey && !event.ctrlKey && typed.trim() !== '';
    if (isEnter) finish();
    else if (typed !== '' || event.repeat) return;
    else if (event.key === 'Backspace' && chips.length > 0) remove(chips.length - 1);
    else if (event.key === 'ArrowLeft') focus(chips.length - 1);
    else return;
    event.preventDefault();
  };
  const onChipKey = (event: KeyboardEvent, index: number) => {
    if (event.key === 'Backspace' || event.key === 'Delete') remove(index);
    else if (event.key === 'ArrowLeft') focus(Math.max(0, index - 1));
    else if (event.key === 'ArrowRight') focus(index + 1);
    else return;
    // Elsewhere these keys forget a fact or move through the list.
    event.preventDefault();
  };
  return (
    <EditorField id="tags" label={text.tags} hint={text.tagsHint} problem={problemOf('tags')}>
      {(props) => (
        <div className={`input tag-input ${props['aria-invalid'] ? 'is-bad' : ''}`}>
          <ul ref={list} className="contents" aria-label={text.tagList}>
            {chips.map((tag, index) => (
              <li key={tag} className="chip tag-chip">
                <span className="cut" dir="auto">
                  {tag}
                </span>
                <button
                  type="button"
                  aria-label={text.removeTag(tag)}
                  title={text.removeTag(tag)}
                  onClick={() => remove(index)}
                  onKeyDown={(event) => onChipKey(event, index)}
                >
                  <Icon name="close" small />
                </button>
              </li>
            ))}
          </ul>
          <input
            {...props}
            dir="auto"
            list="tags"
            value={typed}
            autoComplete="off"
            onChange={(event) => type(event.target.value)}
            onBlur={() => typed !== '' && finish()}
            onKeyDown={onInputKey}
          />
          <datalist id="tags">
            {known
              .filter(({ name }) => !chips.includes(name))
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
        </div>
      )}
    </EditorField>
  );
}
