import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';

const ITEMS = 'button:not(:disabled)';
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => Math.min(count - 1, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Makes the buttons of an element one tab stop: the arrow keys, Home and End move between them. */
export function useRoving<E extends HTMLElement>(): {
  ref: RefObject<E | null>;
  onKeyDown(event: KeyboardEvent): void;
} {
  const ref = useRef<E>(null);
  // After every render: the buttons come and go with the counts.
  useEffect(() => {
    const items = itemsOf(ref.current);
    const stop =
      items.find((item) => item === document.activeElement) ??
      items.find((item) => item.ariaPressed === 'true') ??
      items[0];
    for (const item of items) item.tabIndex = item === stop ? 0 : -1;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const items = itemsOf(ref.current);
    const at = items.indexOf(event.target as HTMLElement);
    const next = at < 0 ? undefined : items[STEPS[event.key]?.(at, items.length) ?? -1];
    if (!next) return;
    event.preventDefault();
    for (const item of items) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  };
  return { ref, onKeyDown };
}

const itemsOf = (element: HTMLElement | null): HTMLElement[] =>
  element ? [...element.querySelectorAll<HTMLElement>(ITEMS)] : [];
