import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { storeFact } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { DraftNote } from '../../kit/draft-note.tsx';
import { drafts } from '../../kit/drafts.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { SheetHandle } from '../../kit/sheet.tsx';
import { UnsavedGuard } from '../../kit/unsaved-guard.tsx';
import { useReturnFocus } from '../../kit/use-return-focus.ts';
import { strings } from '../../strings.ts';
import { DiffView } from '../detail/diff-view.tsx';
import { MEMORY } from '../fact-queries.ts';
import { forgetLater, forgetQueue } from '../forget/forgetting.ts';
import { KeyName } from '../list/key-name.tsx';
import { putBack } from '../undo-writes.ts';
import { noticeWrite } from '../write-notice.ts';
import { EditorField } from './editor-field.tsx';
import { draftName, FORM_ADDRESS } from './fact-draft.ts';
import { mergedInput, mergedValue } from './merge-facts.ts';

const text = strings.merge;

interface FactMergeProps {
  fact: Fact;
  other: Fact;
  onMerged(key: string): void;
  onCancel(): void;
}

interface MergeDraft {
  keptKey: string;
  typed: string;
}

/** Merges two facts: one gets a new version, the other is forgotten, with ten seconds to undo. */
export function FactMerge({ fact, other, onMerged, onCancel }: FactMergeProps) {
  const name = draftName.merge(fact.key, other.key);
  const [restored, setRestored] = useState(() => drafts.read<MergeDraft>(name));
  const [keptKey, setKeptKey] = useState(restored?.value.keptKey ?? fact.key);
  const [typed, setTyped] = useState(restored?.value.typed);
  useReturnFocus();
  const [kept, gone] = keptKey === fact.key ? [fact, other] : [other, fact];
  const value = typed ?? mergedValue(kept.value, gone.value);
  const merge = useMerge(kept, gone, value, (key) => {
    drafts.discard(name);
    onMerged(key);
  });
  const write = (next: MergeDraft) => {
    setKeptKey(next.keptKey);
    setTyped(next.typed);
    drafts.save(name, next);
  };
  const discard = () => {
    drafts.discard(name);
    setRestored(undefined);
    setTyped(undefined);
    setKeptKey(fact.key);
  };
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
      <SheetHandle onClose={onCancel} />
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
          {restored && <DraftNote atMs={restored.atMs} onDiscard={discard} />}
          <p className="muted">{text.lead}</p>
          <fieldset className="stays">
            <legend className="label">{text.stays}</legend>
            {[fact, other].map(({ key }) => (
              <label key={key} className={`check ${key === keptKey ? 'on' : ''}`}>
                <input
                  type="radio"
                  name="kept"
                  checked={key === keptKey}
                  onChange={() => (typed === undefined ? setKeptKey(key) : write({ keptKey: key, typed }))}
                />
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
                dir="auto"
                rows={8}
                value={value}
                onChange={(event) => write({ keptKey, typed: event.target.value })}
              />
            )}
          </EditorField>
          <section>
            <div className="section-h">
              <h3>{text.differs}</h3>
            </div>
            <p className="small muted merge-legend">
              <del>{gone.key}</del> <ins>{kept.key}</ins>
            </p>
            <DiffView before={gone.value} after={kept.value} />
          </section>
          {merge.isError && <ProblemNote error={merge.error} onRetry={submit} />}
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
      <UnsavedGuard draft={name} address={FORM_ADDRESS} />
    </aside>
  );
}

function useMerge(kept: Fact, gone: Fact, value: string, onMerged: (key: string) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => storeFact(mergedInput(kept, gone, value, Date.now())),
    onSuccess: (answer) => {
      forgetLater([gone.key], {});
      noticeWrite({
        text: text.merged,
        key: answer.key,
        forgets: [gone.key],
        async undo() {
          // Too late to take the forget back: then at least the text is stored again.
          if (forgetQueue.bringBack([gone.key]).length === 0) await putBack(gone, 0);
          await putBack(kept, answer.version);
        },
      });
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
      onMerged(answer.key);
    },
  });
}
