import { useMemo, useRef } from 'react';
import { may } from '../api/session-api.ts';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { type Row, useCaller, useFact, useFactList } from './fact-queries.ts';
import { useHidden } from './forget/forgetting.ts';
import { defaultSort, filterOf, type MemorySearch } from './list/memory-search.ts';
import { placeOf } from './list/place-of.ts';
import { useSteadyRows } from './list/use-steady-rows.ts';
import { useTypedSearch } from './list/use-typed-search.ts';
import { useSelection } from './selection/use-selection.ts';
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
  const sort = search.sort ?? defaultSort(search);
  const listId = JSON.stringify([caller, q, filterOf(search), sort]);
  const { waiting, setIsScrolled, ...steady } = useSteadyRows(list.rows, listId, list.isOld);
  // A search ranks its hits again each time; only a listing grows while it is read.
  const rows = useWithoutHidden(q === undefined ? steady.rows : list.rows);
  const selection = useSelection(listId);
  const listbox = useRef<HTMLDivElement>(null);
  const openKey = address.mode === 'new' ? undefined : address.key;

  const opened = useFact(openKey).data;
  const isListed = openKey === undefined || rows.some(({ key }) => key === openKey);
  /** Where the open fact would be in the list that does not contain it. */
  const beside = isListed || !opened || q !== undefined ? 0 : placeOf(opened, rows, sort);

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
    listId,
    listbox,
    rows,
    /** How many new rows wait until the list is scrolled to its top. */
    waiting: q === undefined ? waiting : 0,
    setIsScrolled,
    caller,
    mayForget,
    mayStore,
    selection,
    openKey,
    open,
    /** The open fact, if it is not among the rows that are loaded. */
    unlisted: isListed ? undefined : opened,
    /** Opens the row that many steps away; `extend` selects the rows between. */
    move(step: number, extend = false) {
      const from = rows.findIndex(({ key }) => key === openKey);
      const start = step > 0 ? beside : beside - 1;
      const next = from >= 0 || !Number.isFinite(step) ? from + step : start;
      const to = rows[Math.max(0, Math.min(rows.length - 1, next))];
      if (!to) return;
      if (extend) selection.extendTo(to.key, rows, openKey);
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
