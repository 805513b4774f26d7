import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

interface RowLayout {
  count: number;
  /** Every row has this height. */
  rowPx: number;
  /** Above the first row and below the last. */
  paddingPx: number;
  /** Rows drawn beyond both edges, so that scrolling shows no gap. */
  overscanRows: number;
}

interface VisibleRows {
  rows: { index: number; startPx: number }[];
  heightPx: number;
}

/** The rows of a long list that are in view, and the height of all of them. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { count, rowPx, paddingPx, overscanRows }: RowLayout,
): VisibleRows {
  const [view, setView] = useState({ top: 0, fit: 0 });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const measure = () => {
      const top = Math.floor(Math.max(0, box.scrollTop - paddingPx) / rowPx);
      const fit = Math.ceil(box.clientHeight / rowPx) + 1;
      setView((before) => (before.top === top && before.fit === fit ? before : { top, fit }));
    };
    // At once: rendered a frame later, a fast scroll would show a gap.
    const onScroll = () => flushSync(measure);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, [scroller, rowPx, paddingPx]);
  const top = Math.max(0, Math.min(view.top, count - view.fit));
  const first = Math.max(0, top - overscanRows);
  const end = view.fit === 0 ? first : Math.min(count, top + view.fit + overscanRows);
  return {
    rows: Array.from({ length: end - first }, (_, at) => ({
      index: first + at,
      startPx: paddingPx + (first + at) * rowPx,
    })),
    heightPx: count * rowPx + 2 * paddingPx,
  };
}

/** Scrolls as little as needed to bring a row into view. */
export function revealRow(box: HTMLElement, startPx: number, rowPx: number): void {
  if (startPx < box.scrollTop) box.scrollTop = startPx;
  else if (startPx + rowPx > box.scrollTop + box.clientHeight)
    box.scrollTop = startPx + rowPx - box.clientHeight;
}
