import { useEffect, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { revealRow, useVisibleRows } from '../../kit/use-visible-rows.ts';
import { strings } from '../../strings.ts';
import { useRowPointer } from '../selection/use-row-pointer.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { FactRow } from './fact-row.tsx';
import { useListKeys } from './use-list-keys.ts';
import { useWidth } from './use-width.ts';

const ROW_PX = 82;
const PHONE_ROW_PX = 106;
const PHONE_PX = 760;
/** The line before the weaker matches. */
const LINE_PX = 32;
const AHEAD_ROWS = 30;
const PADDING_PX = 6;

const text = strings.memory;
const optionId = (key: string) => `fact-${encodeURIComponent(key)}`;

/** A virtual list: only visible rows are rendered, so that a hundred thousand facts scroll like a hundred. */
export function FactList({ view }: { view: MemoryView }) {
  const { list, rows, openKey, listId, waiting, setIsScrolled } = view;
  const { selected } = view.selection;
  const { q } = view.search;
  const scroller = view.listbox;
  const nowMs = useMinute();
  const strong = list.found?.strong ?? 0;
  const lineAt = strong > 0 && strong < rows.length ? strong : -1;
  const rowPx = useWidth() <= PHONE_PX ? PHONE_ROW_PX : ROW_PX;
  /** The rows after the line begin lower. */
  const linePx = (index: number) => (lineAt >= 0 && index >= lineAt ? LINE_PX : 0);
  const layout = { count: rows.length, rowPx, paddingPx: PADDING_PX, overscanRows: 4 };
  const visible = useVisibleRows(scroller, layout);
  const lastShown = visible.rows.at(-1)?.index ?? 0;
  const { hasMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - AHEAD_ROWS) loadMore();
  }, [hasMore, lastShown, rows.length, loadMore]);
  const toTop = () => {
    scroller.current?.scrollTo({ top: 0 });
    setIsScrolled(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(toTop, [listId]);
  const openIndex = rows.findIndex(({ key }) => key === openKey);
  useEffect(() => {
    if (openIndex < 0) return;
    const startPx = PADDING_PX + openIndex * rowPx + (lineAt >= 0 && openIndex >= lineAt ? LINE_PX : 0);
    revealRow(scroller.current!, startPx, rowPx);
  }, [openIndex, rowPx, lineAt, scroller]);
  const pointer = useRowPointer(view);
  const pageRows = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1);
  const onKeyDown = useListKeys(view, pageRows);
  return (
    <>
      {waiting > 0 && (
        <div className="new-rows-place">
          <button type="button" className="btn btn-s new-rows" onClick={toTop}>
            {text.newRows(waiting)}
          </button>
        </div>
      )}
      <div
        ref={scroller}
        className={`facts ${list.isOld ? 'old' : ''} ${selected.size > 0 ? 'choosing' : ''}`}
        role="listbox"
        aria-label={q === undefined ? text.results : text.resultsFor(q)}
        aria-multiselectable
        aria-activedescendant={openIndex >= 0 ? optionId(rows[openIndex]!.key) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={(event) => setIsScrolled(event.currentTarget.scrollTop > rowPx / 2)}
      >
        <div className="facts-space" style={{ height: visible.heightPx + linePx(rows.length) }} />
        {visible.rows.map(({ index, startPx }) => {
          const row = rows[index]!;
          const chosen = selected.has(row.key);
          const open = row.key === openKey;
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the listbox points at it instead
            <div
              key={row.key}
              id={optionId(row.key)}
              role="option"
              aria-selected={selected.size > 0 ? chosen : open}
              aria-posinset={index + 1}
              aria-setsize={list.hasMore ? -1 : rows.length}
              className={`fact ${open ? 'sel' : ''} ${chosen ? 'chosen' : ''} ${index === 0 || index === lineAt ? 'first' : ''}`}
              style={{ transform: `translateY(${startPx + linePx(index)}px)`, height: rowPx }}
              {...pointer(row.key)}
            >
              <span className="pick" aria-hidden="true">
                {chosen && <Icon name="check" small />}
              </span>
              <FactRow row={row} nowMs={nowMs} />
            </div>
          );
        })}
        {lineAt >= 0 && (
          <div
            className="weak-line"
            aria-hidden="true"
            style={{ transform: `translateY(${PADDING_PX + lineAt * rowPx}px)` }}
          >
            {text.weaker}
          </div>
        )}
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
