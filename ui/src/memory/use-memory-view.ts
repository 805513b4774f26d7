import { useMemo } from 'react';
import { may } from '../api/session-api.ts';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { type Row, useCaller, useFactList } from './fact-queries.ts';
import { useHidden } from './forget/forgetting.ts';
import type { MemorySearch } from './list/memory-search.ts';
import { useSelection } from './list/use-selection.ts';
import { useTypedSearch } from './list/use-typed-search.ts';
import { useFactActions } from './use-fact-actions.ts';

export type MemoryView = ReturnType<typeof useMemoryView>;

/** The state of the memory page: what is searched, listed, open and selected, and what can be done with it. */
export function useMemoryView() {
  const address = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const caller = useCaller();
  const mayForget = may(useSession(), 'memory:write');
  // In the memory of another caller an admin may forget, but not store.
  const mayStore = mayForget && caller === undefined;
  const [q, setQ, sentQ] = useTypedSearch(address.q);
  const search: MemorySearch = { ...address, q };
  const list = useFactList(search);
  const rows = useWithoutHidden(list.rows);
  const selection = useSelection();
  const openKey = address.mode === 'new' ? undefined : address.key;

  const change = (next: Partial<MemorySearch>) => {
    sentQ.current = q;
    void navigate({ search: (before) => ({ ...before, q, ...next }), replace: true });
  };
  const open = (key: string | undefined) => change({ key, mode: undefined, with: undefined });
  const forgetting = useFactActions(rows, (keys) => {
    selection.clear();
    if (address.key !== undefined && keys.includes(address.key)) open(nextKey(rows, keys, address.key));
  });
  return {
    address,
    search,
    setQ,
    change,
    list,
    rows,
    caller,
    mayForget,
    mayStore,
    selection,
    openKey,
    open,
    /** Opens the next or the previous row; `extend` selects both. */
    move(step: 1 | -1, extend = false) {
      const from = rows.findIndex(({ key }) => key === openKey);
      const to = rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + step))];
      if (!to) return;
      if (extend) selection.add(...(openKey === undefined ? [] : [openKey]), to.key);
      open(to.key);
    },
    startNew: mayStore ? () => change({ mode: 'new', key: undefined }) : undefined,
    ...forgetting,
  };
}

/** The rows without those that are being forgotten and can still be brought back. */
function useWithoutHidden(rows: Row[]): Row[] {
  const hidden = useHidden();
  return useMemo(
    () => (hidden.size === 0 ? rows : rows.filter(({ key }) => !hidden.has(key))),
    [rows, hidden],
  );
}

/** After a forget the next row is open, or the previous one at the end of the list. */
function nextKey(
  rows: readonly { key: string }[],
  gone: readonly string[],
  from: string,
): string | undefined {
  const at = rows.findIndex(({ key }) => key === from);
  const stays = ({ key }: { key: string }) => !gone.includes(key);
  return (rows.slice(at + 1).find(stays) ?? rows.slice(0, Math.max(0, at)).findLast(stays))?.key;
}
