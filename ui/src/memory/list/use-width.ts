import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void) {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

export const useWidth = (): number => useSyncExternalStore(subscribe, () => innerWidth);
