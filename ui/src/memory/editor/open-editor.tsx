import type { Fact } from '../../api/generated/rest.ts';
import { drafts } from '../../kit/drafts.ts';
import { useNavigate } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import { useFact } from '../fact-queries.ts';
import type { MemorySearch } from '../list/memory-search.ts';
import { draftName, draftOf, type FactChanges } from './fact-draft.ts';
import { FactEditor } from './fact-editor.tsx';
import { mergedValue } from './merge-facts.ts';

interface EditFactProps {
  fact: Fact;
  onSaved(key: string): void;
  onCancel(): void;
}

/** The form of an existing fact. */
export function EditFact({ fact, onSaved, onCancel }: EditFactProps) {
  const name = draftName.fact(fact.key);
  return <FactEditor name={name} fact={fact} start={{}} onSaved={onSaved} onCancel={onCancel} />;
}

interface NewFactProps {
  search: MemorySearch;
  close(): void;
  saved(key: string): void;
}

/** The form of a new fact: empty, with a key that is free again, or with what another fact says. */
export function NewFact({ search, close, saved }: NewFactProps) {
  const navigate = useNavigate({ from: '/' });
  const { key, prefix, q, with: from } = search;
  const { data: copied, isPending } = useFact(from);
  if (from !== undefined && isPending) return <aside className="detail" />;
  const name = copied ? draftName.copy(copied.key) : draftName.newFact(key);
  const start = copied
    ? draftOf(copied, { key: strings.editor.copyKey(copied.key) })
    : { key: key ?? prefix ?? '', value: q ?? '' };
  const writeThere = (there: string, value: string) => {
    const known = drafts.read<FactChanges>(draftName.fact(there))?.value ?? { changes: {} };
    const typed = known.changes.value;
    const changes = { ...known.changes, value: typed === undefined ? value : mergedValue(typed, value) };
    drafts.save(draftName.fact(there), { ...known, changes } satisfies FactChanges);
    drafts.discard(name);
    void navigate({ search: (before) => ({ ...before, key: there, mode: 'edit', with: undefined }) });
  };
  return (
    <FactEditor
      key={name}
      name={name}
      fact={undefined}
      start={start}
      onSaved={saved}
      onCancel={close}
      onWriteThere={writeThere}
    />
  );
}
