import type { RefObject } from 'react';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { HISTORY } from './detail/history-id.ts';
import type { MemoryView } from './use-memory-view.ts';

interface WhySwitch {
  shown: boolean;
  show(shown: boolean): void;
}

/** The keys of the memory page. A key that the caller's rights do not allow is not bound. */
export function useMemoryHotkeys(
  view: MemoryView,
  input: RefObject<HTMLInputElement | null>,
  why: WhySwitch,
): void {
  const { move, openKey, selection, actions, startNew, mayForget, mayStore } = view;
  const targets = selection.selected.size > 0 ? [...selection.selected] : openKey ? [openKey] : [];
  const forget = () => actions.forget(targets);
  useHotkeys({
    '/': () => input.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    'shift+j': () => move(1, true),
    'shift+k': () => move(-1, true),
    w: () => why.show(!why.shown),
    h: () => document.getElementById(HISTORY)?.focus(),
    escape() {
      if (selection.selected.size > 0) selection.clear();
      else if (why.shown) why.show(false);
      else if (view.address.key !== undefined || view.address.mode !== undefined) view.close();
    },
    ...(openKey !== undefined ? { x: () => selection.toggle(openKey) } : {}),
    ...(mayForget && targets.length > 0 ? { backspace: forget, delete: forget } : {}),
    ...(startNew ? { n: startNew } : {}),
    ...(mayStore && openKey !== undefined ? { e: () => actions.edit(openKey) } : {}),
    ...(mayStore && targets.length > 0 ? { r: () => actions.renew(targets) } : {}),
  });
}
