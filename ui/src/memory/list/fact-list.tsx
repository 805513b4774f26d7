import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { FactRow } from './fact-row.tsx';
import { useWidth } from './use-width.ts';

const ROW_PX = 82;
const PHONE_ROW_PX = 106;
const PHONE_PX = 760;
const AHEAD_ROWS = 30;

const optionId = (key: string) => `fact-${encodeURIComponent(key)}`;

/** A virtual list: only visible rows are rendered, so that a hundred thousand facts scroll like a hundred. */
export function FactList({ view }: { view: MemoryView }) {
  const { list, rows, openKey, listId, waiting, setIsScrolled } = view;
  const { selected, toggle } = view.selection;
  const { q } = view.search;
  const scroller = useRef<HTMLDivElement>(null);
  const phone = useWidth() <= PHONE_PX;
  const rowPx = phone ? PHONE_ROW_PX : ROW_PX;
  const nowMs = useMinute();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 4,
    paddingStart: 6,
    paddingEnd: 6,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: row sizes are cached and change with the layout
  useEffect(() => virtual.measure(), [rowPx]);
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  const { hasMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - AHEAD_ROWS) loadMore();
  }, [hasMore, lastShown, rows.length, loadMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    return () => setIsScrolled(false);
  }, [listId]);
  const openIndex = rows.findIndex(({ key }) => key === openKey);
  useEffect(() => {
    if (openIndex >= 0) virtual.scrollToIndex(openIndex, { align: 'auto' });
  }, [openIndex, virtual]);
  const showNew = () => {
    scroller.current?.scrollTo({ top: 0 });
    setIsScrolled(false);
  };
  return (
    <>
      {waiting > 0 && (
        <div className="new-rows-place">
          <button type="button" className="btn btn-s new-rows" onClick={showNew}>
            {strings.memory.newRows(waiting)}
          </button>
        </div>
      )}
      <div
        ref={scroller}
        className={`facts ${list.isOld ? 'old' : ''}`}
        role="listbox"
        aria-label={q === undefined ? strings.memory.results : strings.memory.resultsFor(q)}
        aria-multiselectable={selected.size > 0 || undefined}
        aria-activedescendant={openIndex >= 0 ? optionId(rows[openIndex]!.key) : undefined}
        tabIndex={0}
        onScroll={(event) => setIsScrolled(event.currentTarget.scrollTop > rowPx / 2)}
      >
        <div className="facts-space" style={{ height: virtual.getTotalSize() }} />
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          const chosen = selected.has(row.key);
          const open = row.key === openKey;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus and handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the listbox points at it instead
            <div
              key={row.key}
              id={optionId(row.key)}
              role="option"
              aria-selected={selected.size > 0 ? chosen : open}
              aria-posinset={index + 1}
              aria-setsize={list.hasMore ? -1 : rows.length}
              className={`fact ${open ? 'sel' : ''} ${chosen ? 'chosen' : ''} ${index === 0 ? 'first' : ''}`}
              style={{ transform: `translateY(${start}px)`, height: rowPx }}
              onClick={(event) => (event.metaKey || event.ctrlKey ? toggle(row.key) : view.open(row.key))}
            >
              <FactRow row={row} nowMs={nowMs} />
            </div>
          );
        })}
      </div>
    </>
  );
}

/** Ages and times left are updated once a minute. */
function useMinute(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
