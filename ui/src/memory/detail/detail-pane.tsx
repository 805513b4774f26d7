import type { ReactNode } from 'react';
import { useNavigate } from '../../navigation/navigation.tsx';
import { useFact } from '../fact-queries.ts';
import { EditFact, FactMerge, HomePane, NewFact } from '../lazy-parts.ts';
import type { MemorySearch } from '../list/memory-search.ts';
import { useHasSidePane } from '../list/use-width.ts';

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
  const hasSidePane = useHasSidePane();
  const { data: edited } = useFact(mode === 'edit' || mode === 'merge' ? key : undefined);
  const { data: other } = useFact(mode === 'merge' ? search.with : undefined);
  if (mode === 'new') return <NewFact search={search} close={close} saved={saved} />;
  if (mode === 'edit' && edited) {
    return <EditFact key={edited.key} fact={edited} onSaved={saved} onCancel={close} />;
  }
  if (mode === 'merge' && edited && other) {
    const pair = JSON.stringify([edited.key, other.key]);
    return <FactMerge key={pair} fact={edited} other={other} onMerged={saved} onCancel={close} />;
  }
  if (fact && mode !== 'home') return fact;
  // Where there is no room for it beside the list it opens like a fact.
  if (mode !== 'home' && !hasSidePane) return null;
  return (
    <HomePane
      onOpen={open}
      onClose={mode === 'home' ? close : undefined}
      onSearch={(q) => void navigate({ search: (before) => ({ ...before, q, mode: undefined }) })}
      onMerge={(key, other) =>
        void navigate({
          search: (before) => ({ ...before, key, with: other, mode: 'merge' }),
          state: { over: true },
        })
      }
    />
  );
}
