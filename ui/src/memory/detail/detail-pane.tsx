import { type ReactNode, useState } from 'react';
import { useNavigate } from '../../navigation/navigation.tsx';
import { useFact } from '../fact-queries.ts';
import { FactEditor, FactMerge, HomePane } from '../lazy-parts.ts';
import type { MemorySearch } from '../list/memory-search.ts';

interface DetailPaneProps {
  search: MemorySearch;
  fact: ReactNode;
  close(): void;
  saved(key: string): void;
}

/** The open fact, or the form to edit, create or merge one. */
export function DetailPane({ search, fact, close, saved }: DetailPaneProps) {
  const navigate = useNavigate({ from: '/' });
  const isOpen = search.mode === 'edit' || search.mode === 'merge';
  const { data: edited } = useFact(isOpen ? search.key : undefined);
  const { data: other } = useFact(search.mode === 'merge' ? search.with : undefined);
  // What was typed for a new fact, on its way to the editor of an existing one.
  const [carried, setCarried] = useState<{ key: string; value: string }>();
  const cancel = () =>
    void navigate({ search: (before) => ({ ...before, mode: undefined, with: undefined }) });
  if (search.mode === 'new') {
    const start = {
      ...(search.prefix ? { key: search.prefix } : {}),
      ...(search.q ? { value: search.q } : {}),
    };
    const writeThere = (key: string, value: string) => {
      setCarried({ key, value });
      void navigate({ search: (before) => ({ ...before, key, mode: 'edit' }) });
    };
    return (
      <FactEditor
        key="new"
        fact={undefined}
        start={start}
        onSaved={saved}
        onCancel={close}
        onWriteThere={writeThere}
      />
    );
  }
  if (search.mode === 'edit' && edited) {
    const start = carried?.key === edited.key ? { value: carried.value } : {};
    return <FactEditor key={edited.key} fact={edited} start={start} onSaved={saved} onCancel={cancel} />;
  }
  if (search.mode === 'merge' && edited && other) {
    const key = `${edited.key} ${other.key}`;
    return <FactMerge key={key} fact={edited} other={other} onMerged={saved} onCancel={cancel} />;
  }
  if (fact) return fact;
  return (
    <HomePane
      onOpen={saved}
      onSearch={(q) => void navigate({ search: (before) => ({ ...before, q }) })}
      onMerge={(key, other) =>
        void navigate({ search: (before) => ({ ...before, key, with: other, mode: 'merge' }) })
      }
    />
  );
}
