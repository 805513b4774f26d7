import { type FormEvent, useEffect } from 'react';
import type { Proposal, ProposalEdits } from '../api/inbox-api.ts';
import { drafts, useDraft } from '../kit/drafts.ts';
import { EditorField } from '../memory/editor/editor-field.tsx';
import { draftProblems, tagsFromText } from '../memory/editor/fact-rules.ts';
import { strings } from '../strings.ts';

const text = strings.inbox;

interface Typed {
  key: string;
  value: string;
  category: string;
  tags: string;
}

interface ProposalFormProps {
  proposal: Proposal;
  onCancel(): void;
  onAccept(edits: ProposalEdits): void;
}

/** Rewords a proposal before it is accepted. What was typed stays until it is sent or discarded. */
export function ProposalForm({ proposal, onCancel, onAccept }: ProposalFormProps) {
  const name = `inbox ${proposal.id}`;
  const typed = useDraft<Typed>(name)?.value ?? typedOf(proposal);
  const change = (part: Partial<Typed>) => drafts.save(name, { ...typed, ...part });
  const tags = tagsFromText(typed.tags);
  const problems = draftProblems({ ...typed, tags, ttlDays: 1 });
  const cancel = () => {
    drafts.discard(name);
    onCancel();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onCancel]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(problems).length > 0) return;
    drafts.discard(name);
    onAccept(changesOf(proposal, typed));
  };
  return (
    <form className="stack" aria-label={text.editTitle} onSubmit={submit}>
      <EditorField id="inbox-value" label={text.value} required problem={problems.value}>
        {(props) => (
          <textarea
            {...props}
            className="area"
            dir="auto"
            rows={5}
            // biome-ignore lint/a11y/noAutofocus: the form replaces the text that was being read
            autoFocus
            value={typed.value}
            onChange={(event) => change({ value: event.target.value })}
          />
        )}
      </EditorField>
      <EditorField id="inbox-key" label={text.key} required problem={problems.key}>
        {(props) => (
          <input
            {...props}
            className="input mono"
            spellCheck={false}
            value={typed.key}
            onChange={(event) => change({ key: event.target.value })}
          />
        )}
      </EditorField>
      <EditorField id="inbox-category" label={text.category} problem={problems.category}>
        {(props) => (
          <input
            {...props}
            className="input"
            value={typed.category}
            onChange={(event) => change({ category: event.target.value })}
          />
        )}
      </EditorField>
      <EditorField id="inbox-tags" label={text.tags} hint={text.tagsHint} problem={problems.tags}>
        {(props) => (
          <input
            {...props}
            className="input"
            dir="auto"
            value={typed.tags}
            onChange={(event) => change({ tags: event.target.value })}
          />
        )}
      </EditorField>
      <div className="inbox-verdict">
        <button type="button" className="btn" onClick={cancel}>
          {text.cancel}
        </button>
        <button type="submit" className="btn btn-primary">
          {text.save}
        </button>
      </div>
    </form>
  );
}

const typedOf = ({ key, value, category, tags }: Proposal): Typed => ({
  key,
  value,
  category,
  tags: tags.join(', '),
});

/** Only what differs: the rest stays exactly as it was proposed. */
function changesOf(proposal: Proposal, typed: Typed): ProposalEdits {
  const before = typedOf(proposal);
  return {
    ...(typed.key.trim() !== before.key ? { key: typed.key.trim() } : {}),
    ...(typed.value !== before.value ? { value: typed.value } : {}),
    ...(typed.category.trim() !== before.category ? { category: typed.category.trim() } : {}),
    ...(typed.tags !== before.tags ? { tags: tagsFromText(typed.tags) } : {}),
  };
}
