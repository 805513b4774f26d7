import { useMemo, useRef } from 'react';
import { isOwn, type Whose } from '../api/fact-api.ts';
import { may } from '../api/session-api.ts';
import { pageLocation } from '../navigation/location.ts';
import { useNavigate, useSearch, useWhose } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { useMayWriteIn } from '../spaces/space-queries.ts';
import { type Row, useFact, useFactList } from './fact-queries.ts';
import { useHidden } from './forget/forgetting.ts';
import { defaultSort, filterOf, type MemorySearch } from './list/memory-search.ts';
import { placeOf } from './list/place-of.ts';
import { useSteadyRows } from './list/use-steady-rows.ts';
import { useTypedSearch } from './list/use-typed-search.ts';
import { isPhone } from './list/use-width.ts';
import { useSelection } from './selection/use-selection.ts';
import { useFactActions } from './use-fact-actions.ts';

export type MemoryView = ReturnType<typeof useMemoryView>;

/** The state of the memory page: what is searched, listed, open and selected, and what can be done with it. */
export function useMemoryView() {
  const whose = useWhose();
  const given = useSearch({ from: '/' });
  // The forms write to one's own memory: the address alone must not open one over another.
  const address = isOwn(whose) || given.mode === 'home' ? given : { ...given, mode: undefined };
  const navigate = useNavigate({ from: '/' });
  const mayWriteHere = useMayWriteIn(whose.space);
  const mayForget = may(useSession(), 'memory:write') && mayWriteHere;
  // In another memory one may forget, but not store.
  const mayStore = mayForget && isOwn(whose);
  const [q, setQ, sentQ] = useTypedSearch(address.q);
  const search: MemorySearch = { ...address, q };
  const list = useFactList(search);
  const sort = search.sort ?? defaultSort(search);
  const listId = JSON.stringify([whose, q, filterOf(search), sort]);
  const { waiting, setIsScrolled, ...steady } = useSteadyRows(list.rows, listId, list.isOld);
  // A search ranks its hits again each time; only a listing grows while it is read.
  const rows = useWithoutHidden(q === undefined ? steady.rows : list.rows, whose);
  const selection = useSelection(listId);
  const listbox = useRef<HTMLDivElement>(null);
  const openKey = address.mode === 'new' ? undefined : address.key;

  const { data: loaded, error: openError } = useFact(openKey);
  const opened = openError ? undefined : loaded;
  const isListed = openKey === undefined || rows.some(({ key }) => key === openKey);
  /** Where the open fact would be in the list that does not contain it. */
  const beside = isListed || !opened || q !== undefined ? 0 : placeOf(opened, rows, sort);

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
    listId,
    listbox,
    rows,
    /** How many new rows wait until the list is scrolled to its top. */
    waiting: q === undefined ? waiting : 0,
    setIsScrolled,
    whose,
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
function useWithoutHidden(rows: Row[], whose: Whose): Row[] {
  const hidden = useHidden(whose);
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
