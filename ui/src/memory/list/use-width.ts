import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void) {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

/** The width of the window, updated on resize. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);

const PHONE_PX = 760;

/** Whether the open fact is a sheet over the list, as `narrow.css` lays it out. */
export const isPhone = (): boolean => innerWidth <= PHONE_PX;
