import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void) {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

/** The width of the window, updated on resize. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);
