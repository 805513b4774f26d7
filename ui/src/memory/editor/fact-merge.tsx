import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { storeFact } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { saveAdvice } from '../detail/advice-store.ts';
import { DiffView } from '../detail/diff-view.tsx';
import { MEMORY } from '../fact-queries.ts';
import { forgetLater } from '../forget/forgetting.ts';
import { KeyName } from '../list/key-name.tsx';
import { EditorField } from './editor-field.tsx';
import { mergedInput, mergedValue } from './merge-facts.ts';

const text = strings.merge;

interface FactMergeProps {
  fact: Fact;
  other: Fact;
  onMerged(key: string): void;
  onCancel(): void;
}

/** Merges two facts: one gets a new version, the other is forgotten, with ten seconds to undo. */
export function FactMerge({ fact, other, onMerged, onCancel }: FactMergeProps) {
  const [keptKey, setKeptKey] = useState(fact.key);
  const [typed, setTyped] = useState<string>();
  const queryClient = useQueryClient();
  const [kept, gone] = keptKey === fact.key ? [fact, other] : [other, fact];
  const value = typed ?? mergedValue(kept.value, gone.value);
  const merge = useMutation({
    mutationFn: () => storeFact(mergedInput(kept, gone, value, Date.now())),
    onSuccess: (answer) => {
      saveAdvice(answer.key, answer);
      forgetLater([gone.key], undefined);
      announce(text.merged);
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
      onMerged(answer.key);
    },
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (value.trim() !== '' && !merge.isPending) merge.mutate();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
    if (event.key === 'Escape') onCancel();
  };
  return (
    <aside className="detail" aria-label={text.title}>
      <form className="editor" onSubmit={submit} onKeyDown={onKeyDown} noValidate>
        <div className="detail-bar">
          <h2 className="editor-title grow">{text.title}</h2>
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={strings.editor.cancel}
            onClick={onCancel}
          >
            <Icon name="close" />
          </button>
        </div>
        <div className="detail-scroll">
          <p className="muted">{text.lead}</p>
          <fieldset className="stays">
            <legend className="label">{text.stays}</legend>
            {[fact, other].map(({ key }) => (
              <label key={key} className={`check ${key === keptKey ? 'on' : ''}`}>
                <input type="radio" name="kept" checked={key === keptKey} onChange={() => setKeptKey(key)} />
                <span className="key">
                  <KeyName name={key} />
                </span>
              </label>
            ))}
          </fieldset>
          <EditorField id="merged" label={text.value} required problem={undefined}>
            {(props) => (
              <textarea
                {...props}
                className="area"
                rows={8}
                value={value}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </EditorField>
          <section>
            <div className="section-h">
              <h3>{text.differs}</h3>
            </div>
            <DiffView before={gone.value} after={kept.value} />
          </section>
          {merge.isError && <ProblemNote error={merge.error} />}
        </div>
        <div className="actions">
          <button type="submit" className="btn btn-primary" disabled={merge.isPending || value.trim() === ''}>
            {text.merge} <kbd>Ctrl ↵</kbd>
          </button>
          <button type="button" className="btn btn-ghost" onClick={onCancel}>
            {strings.editor.cancel}
          </button>
        </div>
      </form>
    </aside>
  );
}
