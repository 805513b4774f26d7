import type { ReactNode } from 'react';
import { drafts } from '../../kit/drafts.ts';
import { useNavigate } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import { draftName, draftOf, type FactChanges } from '../editor/fact-draft.ts';
import { mergedValue } from '../editor/merge-facts.ts';
import { useFact } from '../fact-queries.ts';
import { FactEditor, FactMerge, HomePane } from '../lazy-parts.ts';
import type { MemorySearch } from '../list/memory-search.ts';

interface DetailPaneProps {
  search: MemorySearch;
  fact: ReactNode;
  open(key: string): void;
  close(): void;
  saved(key: string): void;
}

/** The open fact, or the form to edit, create, copy or merge one. On a phone it is a sheet: a tap beside it closes it. */
export function DetailPane(props: DetailPaneProps) {
  const { key, mode } = props.search;
  return (
    <>
      {(key !== undefined || mode !== undefined) && (
        // biome-ignore lint/a11y/noStaticElementInteractions: for fingers; the close button and Esc are there for others
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <div className="sheet-scrim" onClick={props.close} />
      )}
      <OpenPane {...props} />
    </>
  );
}

function OpenPane({ search, fact, open, close, saved }: DetailPaneProps) {
  const navigate = useNavigate({ from: '/' });
  const { mode, key } = search;
  const { data: edited } = useFact(mode === 'edit' || mode === 'merge' ? key : undefined);
  const { data: other } = useFact(mode === 'merge' ? search.with : undefined);
  if (mode === 'new') return <NewFact search={search} close={close} saved={saved} />;
  if (mode === 'edit' && edited) {
    const name = draftName.fact(edited.key);
    return <FactEditor key={name} name={name} fact={edited} start={{}} onSaved={saved} onCancel={close} />;
  }
  if (mode === 'merge' && edited && other) {
    const name = draftName.merge(edited.key, other.key);
    return <FactMerge key={name} fact={edited} other={other} onMerged={saved} onCancel={close} />;
  }
  if (fact) return fact;
  return (
    <HomePane
      onOpen={open}
      onSearch={(q) => void navigate({ search: (before) => ({ ...before, q }) })}
      onMerge={(key, other) =>
        void navigate({
          search: (before) => ({ ...before, key, with: other, mode: 'merge' }),
          state: { over: true },
        })
      }
    />
  );
}

/** The form of a new fact: empty, with a key that is free again, or with what another fact says. */
function NewFact({ search, close, saved }: Omit<DetailPaneProps, 'fact' | 'open'>) {
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
