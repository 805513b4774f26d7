import { type RefObject, useEffect } from 'react';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { useExpiringSoon, useFacets } from '../fact-queries.ts';
import { FirstMinute } from '../lazy-parts.ts';
import { useLiveEvents } from '../use-live-events.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { BulkBar } from './bulk-bar.tsx';
import { totalOf } from './facet-rail.tsx';
import { FactList } from './fact-list.tsx';
import { ListFoot } from './list-foot.tsx';
import { ListSkeleton, NothingFound } from './list-states.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { isFiltered, type MemorySearch } from './memory-search.ts';
import { SearchBar } from './search-bar.tsx';

const text = strings.memory;
const NO_FILTERS: Partial<MemorySearch> = {
  prefix: undefined,
  category: undefined,
  tag: undefined,
  source: undefined,
  expiring: undefined,
};

interface ListPaneProps {
  view: MemoryView;
  input: RefObject<HTMLInputElement | null>;
  onFilters(): void;
}

/** The search bar, the facts that were found or listed, and what can be done with several of them. */
export function ListPane({ view, input, onFilters }: ListPaneProps) {
  const { search, list, rows, selection, actions, mayStore } = view;
  const live = useLiveEvents();
  const soon = useExpiringSoon();
  const total = totalOf(useFacets('').data?.categories ?? []);
  useFoundAnnouncement(view);
  return (
    <section className="list-pane" aria-label={text.facts}>
      <h1 className="sr">{text.title}</h1>
      <SearchBar
        q={search.q}
        onSearch={view.setQ}
        input={input}
        summary={summaryOf(list, rows.length, total)}
        onNew={view.startNew}
        onMove={view.move}
      />
      <ListToolbar
        search={search}
        soon={{ count: soon.facts.length, more: soon.more }}
        onChange={view.change}
        onFilters={onFilters}
        onRenewAll={mayStore && rows.length > 0 ? () => actions.renew(rows.map(({ key }) => key)) : undefined}
      />
      <ListNotes view={view} />
      <ListBody view={view} />
      {selection.selected.size > 0 && (
        <BulkBar
          keys={[...selection.selected]}
          actions={actions}
          mayRenew={mayStore}
          caller={view.caller}
          onClear={selection.clear}
        />
      )}
      <ListFoot live={live} writes={mayStore} />
    </section>
  );
}

/** The list, or what is shown in its place: an error, a skeleton, or why there is nothing. */
function ListBody({ view }: { view: MemoryView }) {
  const { list, rows, search, selection, startNew } = view;
  if (list.error && list.rows.length === 0) {
    return (
      <div className="facts p-4">
        <ProblemNote error={list.error} title={text.loadFailed} onRetry={list.retry} />
      </div>
    );
  }
  if (list.isPending) return <ListSkeleton />;
  if (rows.length > 0) {
    return (
      <FactList
        list={{ ...list, rows }}
        q={search.q}
        openKey={view.openKey}
        selected={selection.selected}
        onOpen={view.open}
        onToggle={selection.toggle}
      />
    );
  }
  const filtered = isFiltered(search);
  if (search.q === undefined && !filtered) return <FirstMinute mayStore={view.mayStore} />;
  return <NothingFound filtered={filtered} onClear={() => view.change(NO_FILTERS)} onStore={startNew} />;
}

/** What the list does not show by itself: weak matches, a search without meaning. */
function ListNotes({ view: { list, rows } }: { view: MemoryView }) {
  return (
    <>
      {list.found?.abstained && rows.length > 0 && <p className="list-note">{text.weak}</p>}
      {list.found?.degraded && <p className="list-note">{text.degraded}</p>}
    </>
  );
}

/** Announces to screen readers how many facts a search found. */
function useFoundAnnouncement({ search: { q }, list, rows }: MemoryView): void {
  useEffect(() => {
    if (q !== undefined && !list.isOld && !list.isPending)
      announce(text.announceFound(rows.length, list.hasMore));
  }, [q, list.isOld, list.isPending, rows.length, list.hasMore]);
}

function summaryOf(list: MemoryView['list'], shown: number, total: number): string {
  if (list.found === undefined) return total === 0 ? '' : text.total(total);
  const say = list.found.isCut ? text.foundAbove : text.found;
  return say(shown, total, list.found.tookMs);
}
