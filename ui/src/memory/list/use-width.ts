import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void) {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

/** The width of the window, updated on resize. */
export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);

const PHONE_PX = 760;
const TABLET_PX = 1000;

/** Whether there is room for a pane beside the list while no fact is open, as `narrow.css` lays it out. */
export const useHasSidePane = (): boolean => useWidth() > TABLET_PX;

/** Whether the open fact is a sheet over the list, as `narrow.css` lays it out. */
export const isPhone = (): boolean => innerWidth <= PHONE_PX;
