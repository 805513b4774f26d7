import type { KeyboardEvent } from 'react';
import type { MemoryView } from '../use-memory-view.ts';

/** The keys of a listbox while it has the focus. `pageRows`: how many rows are visible. */
export function useListKeys({ move, rows, openKey, selection }: MemoryView, pageRows: () => number) {
  return (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    const keys: Record<string, () => void> = {
      Home: () => move(Number.NEGATIVE_INFINITY, shiftKey),
      End: () => move(Number.POSITIVE_INFINITY, shiftKey),
      PageUp: () => move(-pageRows(), shiftKey),
      PageDown: () => move(pageRows(), shiftKey),
      ' ': () => openKey !== undefined && selection.toggle(openKey),
      ...(shiftKey ? { ArrowUp: () => move(-1, true), ArrowDown: () => move(1, true) } : {}),
    };
    if (event.metaKey || event.ctrlKey) {
      if (key.toLowerCase() !== 'a') return;
      selection.set(rows.map((row) => row.key));
    } else if (Object.hasOwn(keys, key)) keys[key]!();
    else return;
    event.preventDefault();
  };
}
