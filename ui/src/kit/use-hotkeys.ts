import { useEffect, useRef } from 'react';
import { letterKeysOn } from './letter-keys.ts';

/** The handlers by key. A handler that returns `false` leaves the key to others. */
export type Hotkeys = Record<string, (event: KeyboardEvent) => unknown>;

/** The name of a key in `Hotkeys`: `mod+k`, `shift+j`, `j`, `escape`. */
function hotkeyName(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : '';
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && /^[a-z]$/.test(key) ? 'shift+' : '';
  return `${mod}${event.altKey ? 'alt+' : ''}${shift}${key}`;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Keys that move act again while they are held; anything else acts once per press. */
const MOVES = /^((shift\+)?[jk]|arrow\w+|page\w+)$/;

/**
 * Binds keys for a whole page. Single letters are ignored while typing and while a dialog is open. `first`: handle keys
 * in the capture phase, before the page.
 */
export function useHotkeys(hotkeys: Hotkeys, enabled = true, first = false): void {
  const current = useRef(hotkeys);
  current.current = hotkeys;
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const name = hotkeyName(event);
      if (event.repeat && !MOVES.test(name)) return;
      const always = name.startsWith('mod+');
      if (/^(shift\+)?.$/.test(name) && !letterKeysOn() && name !== '?') return;
      if (!always && (isTyping(event.target) || document.querySelector('dialog[open]'))) return;
      const work = current.current[name];
      if (work && work(event) !== false) event.preventDefault();
    };
    addEventListener('keydown', onKey, first);
    return () => removeEventListener('keydown', onKey, first);
  }, [enabled, first]);
}
