import { useEffect, useRef } from 'react';
import { letterKeysOn } from './letter-keys.ts';

export type Hotkeys = Record<string, (event: KeyboardEvent) => void>;

/** The name a key goes by in the tables: `mod+k`, `shift+j`, `j`, `escape`. */
export function hotkeyName(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : '';
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && /^[a-z]$/.test(key) ? 'shift+' : '';
  return `${mod}${event.altKey ? 'alt+' : ''}${shift}${key}`;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Keys for a whole page. Single letters are off while a person types or while a dialog is open. */
export function useHotkeys(hotkeys: Hotkeys, enabled = true): void {
  const current = useRef(hotkeys);
  current.current = hotkeys;
  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const name = hotkeyName(event);
      const always = name.startsWith('mod+');
      if (/^(shift\+)?.$/.test(name) && !letterKeysOn() && name !== '?') return;
      if (!always && (isTyping(event.target) || document.querySelector('dialog[open]'))) return;
      const work = current.current[name];
      if (!work) return;
      event.preventDefault();
      work(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [enabled]);
}
