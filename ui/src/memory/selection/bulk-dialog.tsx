import { type FormEvent, useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import type { useBulk } from './use-bulk.ts';

const text = strings.bulk;

interface BulkDialogProps {
  kind: 'tags' | 'category';
  count: number;
  bulk: Pick<ReturnType<typeof useBulk>, 'change' | 'isBusy' | 'problem'>;
  onClose(): void;
}

/** Asks for the tags to add and remove, or for the category, of the selected facts. It stays open until they are saved. */
export function BulkDialog({ kind, count, bulk, onClose }: BulkDialogProps) {
  const all = useFacets({}).data;
  const [typed, setTyped] = useState({ category: '', add: '', remove: '' });
  const change = kind === 'category' ? categoryChange(typed.category) : tagChange(typed.add, typed.remove);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (change && !bulk.isBusy && (await bulk.change(change))) onClose();
  };
  const field = (name: keyof typeof typed, label: string, known: readonly { name: string }[]) => (
    <label className="stack gap-1">
      <span>{label}</span>
      <input
        className="input"
        value={typed[name]}
        list={`bulk-${name}`}
        autoComplete="off"
        dir="auto"
        onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
      />
      <datalist id={`bulk-${name}`}>
        {known.map((each) => (
          <option key={each.name} value={each.name} />
        ))}
      </datalist>
    </label>
  );
  return (
    <Dialog label={text[kind]} className="dialog" onClose={onClose}>
      <h2>{text.of(text[kind], count)}</h2>
      <form className="stack gap-3" onSubmit={(event) => void submit(event)}>
        {kind === 'category' && field('category', strings.memory.category, all?.categories ?? [])}
        {kind === 'tags' && field('add', text.addTags, all?.tags ?? [])}
        {kind === 'tags' && field('remove', text.removeTags, all?.tags ?? [])}
        {kind === 'tags' && <p className="small muted">{strings.editor.tagsHint}</p>}
        {bulk.problem !== undefined && <ProblemNote error={bulk.problem} />}
        <div className="row">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {strings.editor.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={!change || bulk.isBusy}>
            {strings.editor.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const categoryChange = (typed: string) => (typed.trim() === '' ? undefined : { category: typed.trim() });

function tagChange(add: string, remove: string) {
  const [add_tags, remove_tags] = [tagsIn(add), tagsIn(remove)];
  if (add_tags.length + remove_tags.length === 0) return undefined;
  return { add_tags, remove_tags };
}

const tagsIn = (typed: string) =>
  typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
