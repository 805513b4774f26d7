import { useEffect, useRef, useState } from 'react';
import { revealRow, useVisibleRows } from '../../kit/use-visible-rows.ts';
import { strings } from '../../strings.ts';
import type { FactList as FactListData } from '../fact-queries.ts';
import { FactRow } from './fact-row.tsx';
import { useWidth } from './use-width.ts';

const ROW_PX = 82;
const PHONE_ROW_PX = 106;
const PHONE_PX = 760;
const AHEAD_ROWS = 30;
const PADDING_PX = 6;

interface FactListProps {
  list: FactListData;
  q: string | undefined;
  openKey: string | undefined;
  selected: ReadonlySet<string>;
  onOpen(key: string): void;
  onToggle(key: string): void;
}

const optionId = (key: string) => `fact-${encodeURIComponent(key)}`;

/** A virtual list: only visible rows are rendered, so that a hundred thousand facts scroll like a hundred. */
export function FactList({ list, q, openKey, selected, onOpen, onToggle }: FactListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const phone = useWidth() <= PHONE_PX;
  const rowPx = phone ? PHONE_ROW_PX : ROW_PX;
  const { rows } = list;
  const nowMs = useMinute();
  const layout = { count: rows.length, rowPx, paddingPx: PADDING_PX, overscanRows: 4 };
  const visible = useVisibleRows(scroller, layout);
  const lastShown = visible.rows.at(-1)?.index ?? 0;
  const { hasMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && lastShown > rows.length - AHEAD_ROWS) loadMore();
  }, [hasMore, lastShown, rows.length, loadMore]);
  const openIndex = rows.findIndex(({ key }) => key === openKey);
  useEffect(() => {
    if (openIndex >= 0) revealRow(scroller.current!, PADDING_PX + openIndex * rowPx, rowPx);
  }, [openIndex, rowPx]);
  return (
    <div
      ref={scroller}
      className={`facts ${list.isOld ? 'old' : ''}`}
      role="listbox"
      aria-label={q === undefined ? strings.memory.results : strings.memory.resultsFor(q)}
      aria-multiselectable={selected.size > 0 || undefined}
      aria-activedescendant={openIndex >= 0 ? optionId(rows[openIndex]!.key) : undefined}
      tabIndex={0}
    >
      <div className="facts-space" style={{ height: visible.heightPx }} />
      {visible.rows.map(({ index, startPx }) => {
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
            style={{ transform: `translateY(${startPx}px)`, height: rowPx }}
            onClick={(event) => (event.metaKey || event.ctrlKey ? onToggle(row.key) : onOpen(row.key))}
          >
            <FactRow row={row} nowMs={nowMs} />
          </div>
        );
      })}
    </div>
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
