import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

const GAP_PX = 8;

export interface MenuItem {
  label: string;
  icon: IconName;
  act(): void;
}

/** A button that opens a menu. The arrow keys move in it, Esc closes it and returns the focus. */
export function MenuButton({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [open, setOpen] = useState(false);
  const [upwards, setUpwards] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => setUpwards(open && root.current !== null && !fitsBelow(root.current)), [open]);
  useEffect(() => {
    if (!open) return;
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else if (!moveFocus(root.current, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the menu inside
    <div className="menu-place" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className="btn btn-ghost btn-s btn-icon"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="more" />
      </button>
      {open && (
        <div className={`pop menu ${upwards ? 'menu-up' : ''}`} role="menu" aria-label={label}>
          {items.map(({ label: name, icon, act }, index) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              ref={(item) => void (index === 0 && item?.focus({ preventScroll: true }))}
              onClick={() => {
                close();
                act();
              }}
            >
              <Icon name={icon} small />
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Whether the menu below its button ends within the window, above what is fixed there, or would not fit above either. */
function fitsBelow(root: HTMLElement): boolean {
  const { top, bottom } = root.getBoundingClientRect();
  const height = root.querySelector<HTMLElement>('[role="menu"]')?.offsetHeight ?? 0;
  const fixed = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0;
  return bottom + height + GAP_PX <= innerHeight - fixed || top < height + GAP_PX;
}

/** Moves the focus to another item; returns false for a key that is not for moving. */
function moveFocus(root: HTMLElement | null, key: string): boolean {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const places: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const to = places[key];
  if (to === undefined) return false;
  items[to]?.focus();
  return true;
}
