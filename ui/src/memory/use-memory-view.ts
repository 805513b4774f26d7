import { useMemo } from 'react';
import { may } from '../api/session-api.ts';
import { pageLocation } from '../navigation/location.ts';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { type Row, useCaller, useFactList } from './fact-queries.ts';
import { useHidden } from './forget/forgetting.ts';
import type { MemorySearch } from './list/memory-search.ts';
import { useSelection } from './list/use-selection.ts';
import { useTypedSearch } from './list/use-typed-search.ts';
import { isPhone } from './list/use-width.ts';
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

  const change = (next: Partial<MemorySearch>, { replace = false, over = false } = {}) => {
    sentQ.current = q;
    void navigate({
      search: (before) => ({ ...before, q, ...next }),
      replace,
      state: (before) => (replace ? before : { over }),
    });
  };
  /** Opens a fact. Back leads to what was open before, unless the entry is replaced. */
  const open = (key: string | undefined, { replace = false } = {}) => {
    const over = openKey === undefined && address.mode === undefined;
    change({ key, ...NOTHING_OVER }, { replace, over });
  };
  /** Closes the form or the fact. If it was opened over what is shown then, the history goes back to that. */
  const close = () => {
    if (pageLocation.read().state.over) return history.back();
    const isForm = address.mode === 'edit' || address.mode === 'merge';
    change(isForm ? NOTHING_OVER : { key: undefined, ...NOTHING_OVER }, { replace: true });
  };
  const forgetting = useFactActions(rows, (keys) => {
    selection.clear();
    if (address.key === undefined || !keys.includes(address.key)) return;
    // On a phone the next fact would slide under the thumb that has just pressed.
    const next = isPhone() ? undefined : nextKey(rows, keys, address.key);
    if (next === undefined) close();
    else open(next, { replace: true });
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
    close,
    /** Filters the list by something of the open fact. On a phone the sheet would cover the result. */
    filterBy: (filter: Partial<MemorySearch>) =>
      change(isPhone() ? { ...filter, key: undefined, ...NOTHING_OVER } : filter),
    /** After a form was saved its fact is shown in its place. */
    saved: (key: string) => open(key, { replace: true }),
    /** Opens the next or the previous row; `extend` selects both. */
    move(step: 1 | -1, extend = false) {
      const from = rows.findIndex(({ key }) => key === openKey);
      const to = rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + step))];
      if (!to) return;
      if (extend) selection.add(...(openKey === undefined ? [] : [openKey]), to.key);
      // Moving through the list leaves one entry in the history, not one for each row.
      open(to.key, { replace: openKey !== undefined });
    },
    startNew: mayStore
      ? () => change({ ...NOTHING_OVER, mode: 'new', key: undefined }, { over: true })
      : undefined,
    ...forgetting,
  };
}

const NOTHING_OVER = { mode: undefined, with: undefined, version: undefined } as const;

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
