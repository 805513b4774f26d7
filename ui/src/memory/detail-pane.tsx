import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FactEditor } from './fact-editor.tsx';
import { useFact } from './fact-queries.ts';
import { NoFactChosen } from './list-states.tsx';
import type { MemorySearch } from './memory-search.ts';

interface DetailPaneProps {
  search: MemorySearch;
  fact: ReactNode;
  close(): void;
  saved(key: string): void;
}

/** The open fact, or the form that writes one. */
export function DetailPane({ search, fact, close, saved }: DetailPaneProps) {
  const navigate = useNavigate({ from: '/' });
  const { data: edited } = useFact(search.mode === 'edit' ? search.key : undefined);
  if (search.mode === 'new') {
    const start = {
      ...(search.prefix ? { key: search.prefix } : {}),
      ...(search.q ? { value: search.q } : {}),
    };
    return <FactEditor key="new" fact={undefined} start={start} onSaved={saved} onCancel={close} />;
  }
  if (search.mode === 'edit' && edited) {
    const cancel = () => void navigate({ search: (before) => ({ ...before, mode: undefined }) });
    return <FactEditor key={edited.key} fact={edited} start={{}} onSaved={saved} onCancel={cancel} />;
  }
  return fact || <NoFactChosen />;
}
