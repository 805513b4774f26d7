import { type PointerEvent, useRef } from 'react';
import { strings } from '../strings.ts';

/** Below this share of the window a dragged sheet closes, above the other it takes all of it. */
const CLOSE_BELOW = 0.4;
const FULL_ABOVE = 0.76;
const FULL = '95dvh';
const TAP_PX = 6;
const HEIGHT = '--sheet';

/** The handle of a sheet on a phone: a drag makes it larger or smaller or closes it, a tap switches its size. */
export function SheetHandle({ onClose }: { onClose(): void }) {
  const start = useRef<{ y: number; height: number } | undefined>(undefined);
  const sheetOf = (event: PointerEvent) => event.currentTarget.parentElement!;
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { y: event.clientY, height: sheetOf(event).getBoundingClientRect().height };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!start.current) return;
    const height = start.current.height + start.current.y - event.clientY;
    sheetOf(event).style.setProperty(HEIGHT, `${Math.max(0, Math.min(height, innerHeight * 0.95))}px`);
  };
  const onPointerUp = (event: PointerEvent) => {
    const from = start.current;
    start.current = undefined;
    if (!from) return;
    const sheet = sheetOf(event);
    const moved = event.clientY - from.y;
    const share = (from.height - moved) / innerHeight;
    const wasFull = from.height / innerHeight > FULL_ABOVE;
    const full = Math.abs(moved) < TAP_PX ? !wasFull : share > FULL_ABOVE;
    if (full) sheet.style.setProperty(HEIGHT, FULL);
    else sheet.style.removeProperty(HEIGHT);
    if (Math.abs(moved) >= TAP_PX && share < CLOSE_BELOW) onClose();
  };
  return (
    <div
      className="sheet-handle"
      title={strings.detail.drag}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    />
  );
}
