import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { may } from '../api/session-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { type Hotkeys, useHotkeys } from '../kit/use-hotkeys.ts';
import { useStable } from '../kit/use-stable.ts';
import { useSession } from '../session/session-context.ts';
import { announce } from '../shell/announcer.tsx';
import { RailContent } from '../shell/rail-slot.tsx';
import { strings } from '../strings.ts';
import { DetailPane } from './detail/detail-pane.tsx';
import { FactDetail } from './detail/fact-detail.tsx';
import { HISTORY } from './detail/fact-history.tsx';
import { useCaller, useExpiringSoon, useFacets, useFactList } from './fact-queries.ts';
import { ConfirmForget } from './forget/confirm-forget.tsx';
import { useHidden } from './forget/forgetting.ts';
import { UndoToast } from './forget/undo-toast.tsx';
import { BulkBar } from './list/bulk-bar.tsx';
import { FacetRail, totalOf } from './list/facet-rail.tsx';
import { FactList } from './list/fact-list.tsx';
import { FilterSheet } from './list/filter-sheet.tsx';
import { ListFoot } from './list/list-foot.tsx';
import { EmptyMemory, ListSkeleton, NothingFound } from './list/list-states.tsx';
import { ListToolbar } from './list/list-toolbar.tsx';
import { isFiltered, type MemorySearch } from './list/memory-search.ts';
import { SearchBar } from './list/search-bar.tsx';
import { useSelection } from './list/use-selection.ts';
import { useTypedSearch } from './list/use-typed-search.ts';
import { useFactActions } from './use-fact-actions.ts';
import { useLiveEvents } from './use-live-events.ts';

const text = strings.memory;

/** Search, list and the fact that is open, side by side. */
export function MemoryPage() {
  const address = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const caller = useCaller();
  const writes = may(useSession(), 'memory:write');
  const own = writes && caller === undefined;
  const [q, setQ, sentQ] = useTypedSearch(address.q);
  const search = { ...address, q };
  const list = useFactList(search);
  const hidden = useHidden();
  const rows = useMemo(
    () => (hidden.size === 0 ? list.rows : list.rows.filter(({ key }) => !hidden.has(key))),
    [list.rows, hidden],
  );
  const live = useLiveEvents();
  const soon = useExpiringSoon();
  const total = totalOf(useFacets('').data?.categories ?? []);
  const input = useRef<HTMLInputElement>(null);
  const selection = useSelection();
  const [showWhy, setShowWhy] = useState(false);
  const [showFilters, setShowFilters] = useState(false);

  const change = (next: Partial<MemorySearch>) => {
    sentQ.current = q;
    void navigate({ search: (before) => ({ ...before, q, ...next }), replace: true });
  };
  const open = (key: string | undefined) => change({ key, mode: undefined, with: undefined });
  const startNew = own ? () => change({ mode: 'new', key: undefined }) : undefined;
  const { actions, forgetNow, confirming, setConfirming, problem } = useFactActions(rows, (keys) => {
    selection.clear();
    if (address.key !== undefined && keys.includes(address.key)) open(nextKey(rows, keys, address.key));
  });
  const openKey = address.mode === 'new' ? undefined : address.key;
  const move = (step: 1 | -1, extend = false) => {
    const from = rows.findIndex(({ key }) => key === openKey);
    const to = rows[from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + step))];
    if (!to) return;
    if (extend) selection.add(...(openKey === undefined ? [] : [openKey]), to.key);
    open(to.key);
  };
  const targets = selection.selected.size > 0 ? [...selection.selected] : openKey ? [openKey] : [];
  useHotkeys({
    '/': () => input.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    'shift+j': () => move(1, true),
    'shift+k': () => move(-1, true),
    w: () => setShowWhy((before) => !before),
    h: () => document.getElementById(HISTORY)?.focus(),
    escape: () =>
      selection.selected.size > 0 ? selection.clear() : showWhy ? setShowWhy(false) : open(undefined),
    ...(writes && openKey !== undefined ? { x: () => selection.toggle(openKey) } : {}),
    ...(writes && targets.length > 0 ? forgetKeys(() => actions.forget(targets)) : {}),
    ...(own && startNew ? { n: startNew } : {}),
    ...(own && openKey !== undefined ? { e: () => actions.edit(openKey) } : {}),
    ...(own && targets.length > 0 ? { r: () => actions.renew(targets) } : {}),
  });
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  useEffect(() => {
    if (q !== undefined && !list.isOld && !list.isPending)
      announce(text.announceFound(rows.length, list.hasMore));
  }, [q, list.isOld, list.isPending, rows.length, list.hasMore]);

  const choose = useStable(change);
  const { prefix, category, tag, source } = address;
  // What is typed changes nothing here, so typing need not wait for it.
  const facets = useMemo(
    () => <FacetRail search={{ prefix, category, tag, source }} onChoose={choose} />,
    [prefix, category, tag, source, choose],
  );
  const hit = rows.find(({ key }) => key === openKey)?.hit;
  return (
    <div className="split">
      <RailContent>{facets}</RailContent>
      <section className="list-pane" aria-label={text.facts}>
        <h1 className="sr">{text.title}</h1>
        <SearchBar
          q={q}
          onSearch={setQ}
          input={input}
          summary={summaryOf(list, rows.length, total)}
          onNew={startNew}
          onMove={move}
        />
        <ListToolbar
          search={search}
          soon={{ count: soon.facts.length, more: soon.more }}
          onChange={change}
          onFilters={() => setShowFilters(true)}
          onRenewAll={own && rows.length > 0 ? () => actions.renew(rows.map(({ key }) => key)) : undefined}
        />
        <SearchNotes list={list} shown={rows.length} problem={problem} />
        {list.error && list.rows.length === 0 ? (
          <div className="facts p-4">
            <ProblemNote error={list.error} title={text.loadFailed} onRetry={list.retry} />
          </div>
        ) : list.isPending ? (
          <ListSkeleton />
        ) : rows.length > 0 ? (
          <FactList
            list={{ ...list, rows }}
            q={q}
            openKey={openKey}
            selected={selection.selected}
            onOpen={open}
            onToggle={selection.toggle}
          />
        ) : q === undefined && !isFiltered(search) ? (
          <EmptyMemory onNew={startNew} />
        ) : (
          <NothingFound
            filtered={isFiltered(search)}
            onClear={() =>
              change({
                prefix: undefined,
                category: undefined,
                tag: undefined,
                source: undefined,
                expiring: undefined,
              })
            }
            onStore={startNew}
          />
        )}
        {selection.selected.size > 0 && (
          <BulkBar
            keys={[...selection.selected]}
            actions={actions}
            mayRenew={own}
            caller={caller}
            onClear={selection.clear}
          />
        )}
        <ListFoot live={live} writes={own} />
      </section>
      <DetailPane
        search={search}
        close={() => open(undefined)}
        saved={(key) => open(key)}
        fact={
          openKey !== undefined && (
            <FactDetail
              factKey={openKey}
              hit={hit}
              search={search}
              showWhy={showWhy}
              onWhy={() => setShowWhy(!showWhy)}
              actions={writes ? actions : undefined}
              caller={caller}
              onOpen={open}
              onClose={() => open(undefined)}
            />
          )
        }
      />
      {showFilters && <FilterSheet onClose={() => setShowFilters(false)}>{facets}</FilterSheet>}
      <UndoToast onUndo={(keys) => open(keys.at(-1))} />
      {confirming && (
        <ConfirmForget
          count={confirming.length}
          caller={caller}
          onYes={() => forgetNow(confirming)}
          onNo={() => setConfirming(undefined)}
        />
      )}
    </div>
  );
}

function SearchNotes(props: { list: ReturnType<typeof useFactList>; shown: number; problem: unknown }) {
  const { list, shown, problem } = props;
  return (
    <>
      {problem !== undefined && (
        <div className="p-3">
          <ProblemNote error={problem} />
        </div>
      )}
      {list.found?.abstained && shown > 0 && <p className="list-note">{text.weak}</p>}
      {list.found?.degraded && <p className="list-note">{text.degraded}</p>}
    </>
  );
}

const forgetKeys = (forget: () => void): Hotkeys => ({ backspace: forget, delete: forget });

/** After a forget the next row is open, or the one before where there is none. */
function nextKey(
  rows: readonly { key: string }[],
  gone: readonly string[],
  from: string,
): string | undefined {
  const at = rows.findIndex(({ key }) => key === from);
  const stays = ({ key }: { key: string }) => !gone.includes(key);
  return (rows.slice(at + 1).find(stays) ?? rows.slice(0, Math.max(0, at)).findLast(stays))?.key;
}

function summaryOf(list: ReturnType<typeof useFactList>, shown: number, total: number): string {
  if (list.found === undefined) return total === 0 ? '' : text.total(total);
  const say = list.found.isCut ? text.foundAbove : text.found;
  return say(shown, total, list.found.tookMs);
}
