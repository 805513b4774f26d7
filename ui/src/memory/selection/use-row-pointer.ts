import { type PointerEvent, type MouseEvent as ReactMouseEvent, useRef } from 'react';
import type { MemoryView } from '../use-memory-view.ts';

const LONG_PRESS_MS = 450;
/** A finger that moves further than this scrolls. */
const MAX_DRIFT_PX = 10;

/** Opening and selecting rows with a mouse or a finger: checkbox, Ctrl, Shift, long press. */
export function useRowPointer({ rows, openKey, open, selection }: MemoryView) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined);
  const isTouch = useRef(false);
  const wasLong = useRef(false);
  const endPress = () => {
    clearTimeout(press.current?.timer);
    press.current = undefined;
  };
  return (key: string) => ({
    onPointerDown({ pointerType, clientX, clientY }: PointerEvent) {
      isTouch.current = pointerType === 'touch';
      wasLong.current = false;
      if (!isTouch.current) return;
      const timer = setTimeout(() => {
        wasLong.current = true;
        selection.toggle(key);
      }, LONG_PRESS_MS);
      press.current = { timer, x: clientX, y: clientY };
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = press.current ?? { x: clientX, y: clientY };
      if (Math.hypot(clientX - x, clientY - y) > MAX_DRIFT_PX) endPress();
    },
    onPointerUp: endPress,
    onPointerCancel: endPress,
    onContextMenu(event: ReactMouseEvent) {
      if (isTouch.current) event.preventDefault(); // the browser's own long press
    },
    onMouseDown(event: ReactMouseEvent) {
      if (event.shiftKey) event.preventDefault(); // it would select text
    },
    onClick(event: ReactMouseEvent) {
      if (wasLong.current) wasLong.current = false;
      else if (event.shiftKey) selection.extendTo(key, rows, openKey);
      else if (event.metaKey || event.ctrlKey || isPick(event.target)) selection.toggle(key);
      else if (isTouch.current && selection.selected.size > 0) selection.toggle(key);
      else open(key);
    },
  });
}

const isPick = (target: EventTarget) => target instanceof Element && target.closest('.pick') !== null;
