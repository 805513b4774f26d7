import { type RefObject, useEffect, useRef, useState } from 'react';
import { isOwn } from '../../api/fact-api.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { useSession } from '../../session/session-context.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { useExpiringCount, useFacets } from '../fact-queries.ts';
import { stepsFlag } from '../home/steps-flag.ts';
import { BulkBar, FirstMinute, FirstSteps, HomeLine } from '../lazy-parts.ts';
import { useLiveEvents } from '../use-live-events.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { FactList } from './fact-list.tsx';
import { ListFoot } from './list-foot.tsx';
import { ListNotes } from './list-notes.tsx';
import { ListSkeleton, NothingFound } from './list-states.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { filterOf, isFiltered, NO_FILTERS } from './memory-search.ts';
import { SearchBar } from './search-bar.tsx';
import { useHasSidePane } from './use-width.ts';

const text = strings.memory;

interface ListPaneProps {
  view: MemoryView;
  input: RefObject<HTMLInputElement | null>;
  onFilters(): void;
}

/** The search bar, the facts that were found or listed, and what can be done with several of them. */
export function ListPane({ view, input, onFilters }: ListPaneProps) {
  const { search, list, rows, selection, actions, mayStore } = view;
  const live = useLiveEvents();
  const { address } = view;
  const query = { ...filterOf(address), q: address.q };
  const soon = useExpiringCount(query);
  const all = useFacets({}).data?.total ?? 0;
  // What the address does not say yet has not been counted yet.
  const counted = useFacets(query);
  const matching = address.q === search.q && !counted.isPlaceholderData ? counted.data?.total : undefined;
  const hasSidePane = useHasSidePane();
  const isWhole = search.q === undefined && !isFiltered(search);
  const isEmpty = isWhole && rows.length === 0 && !list.isPending && !list.error;
  const hasSteps = useHasSteps(view, isEmpty);
  useFoundAnnouncement(view);
  return (
    <section className="list-pane" aria-label={text.facts}>
      <h1 className="sr">{text.title}</h1>
      <SearchBar
        q={search.q}
        onSearch={view.setQ}
        input={input}
        summary={summaryOf(view, matching, all)}
        onNew={view.startNew}
        onMove={view.move}
        onLeave={() => view.listbox.current?.focus()}
      />
      <ListToolbar
        search={search}
        soon={soon}
        onChange={view.change}
        onFilters={onFilters}
        rowsSelected={selectedOf(view)}
        onSelectRows={(select) => selection.set(select ? rows.map(({ key }) => key) : [])}
        onRenewAll={mayStore && rows.length > 0 ? () => actions.renew(rows.map(({ key }) => key)) : undefined}
      />
      <ListNotes view={view} />
      {hasSteps && isWhole && rows.length > 0 && <FirstSteps view={view} />}
      {!hasSidePane && isWhole && rows.length > 0 && (
        <HomeLine onOpen={() => view.change({ mode: 'home' }, { over: true })} />
      )}
      <ListBody view={view} isEmpty={isEmpty} />
      {selection.selected.size > 0 && <BulkBar view={view} query={query} matching={matching} />}
      <ListFoot live={live} writes={mayStore} />
    </section>
  );
}

/** The list, or what is shown in its place: an error, a skeleton, or why there is nothing. */
function ListBody({ view, isEmpty }: { view: MemoryView; isEmpty: boolean }) {
  const { list, rows, search, startNew } = view;
  if (list.error && list.rows.length === 0) {
    return (
      <div className="facts p-4">
        <ProblemNote error={list.error} title={text.loadFailed} onRetry={list.retry} />
      </div>
    );
  }
  if (list.isPending) return <ListSkeleton />;
  if (rows.length > 0) {
    return <FactList view={view} />;
  }
  if (isEmpty) return <FirstMinute mayStore={view.mayStore} />;
  const onStore = search.q === undefined ? undefined : startNew; // filters alone are nothing to store
  return (
    <NothingFound filtered={isFiltered(search)} onClear={() => view.change(NO_FILTERS)} onStore={onStore} />
  );
}

/** Whether the steps of the first minute are under way: they began with an empty memory, now or before a reload. */
function useHasSteps({ whose, listbox }: MemoryView, isEmpty: boolean): boolean {
  const { caller } = useSession();
  const [hasSteps, setHasSteps] = useState(() => stepsFlag.read(caller));
  if (isEmpty && !hasSteps) setHasSteps(true);
  const wasEmpty = useRef(false);
  useEffect(() => {
    // The form of the first fact, which had the focus, is gone with the empty memory.
    if (wasEmpty.current && !isEmpty && document.activeElement === document.body)
      listbox.current?.focus({ preventScroll: true });
    wasEmpty.current = isEmpty;
  }, [isEmpty, listbox]);
  return hasSteps && isOwn(whose);
}

/** Announces to screen readers how many facts a search found. */
function useFoundAnnouncement({ search: { q }, list, rows }: MemoryView): void {
  const { hasMore, found: { strong = 0, abstained = false } = {} } = list;
  useEffect(() => {
    if (q === undefined || list.isOld || list.isPending) return;
    const weaker = strong < rows.length ? `, ${text.announceWeaker(rows.length - strong)}` : '';
    announce(abstained ? text.weak : text.announceFound(strong, hasMore && weaker === '') + weaker);
  }, [q, list.isOld, list.isPending, rows.length, hasMore, strong, abstained]);
}

function selectedOf({ rows, selection: { selected } }: MemoryView) {
  if (rows.length === 0) return undefined;
  const count = rows.filter(({ key }) => selected.has(key)).length;
  return count === 0 ? 'none' : count < rows.length ? 'some' : 'all';
}

/** How many facts match, of how many; `matching` is undefined until they are counted. */
function summaryOf({ list, rows, search }: MemoryView, matching: number | undefined, all: number): string {
  if (all === 0) return '';
  const { found } = list;
  if (found) {
    const { strong, tookMs, isCut } = found;
    if (!isCut || strong < list.rows.length) return text.found(strong, all, tookMs);
    return matching === undefined
      ? text.foundAbove(rows.length, all, tookMs)
      : text.found(matching, all, tookMs);
  }
  if (!isFiltered(search)) return text.total(all);
  return matching === undefined ? '' : text.filtered(matching, all);
}
