import { useEffect, useState } from 'react';

/** The element that takes the focus if the one that had it is gone. */
export const FOCUS_FALLBACK = 'data-focus-fallback';

/** When the component is closed, the focus returns to where it was before. */
export function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // By now what replaces the component is on the page.
      if (document.activeElement !== document.body) return;
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      const target = isThere ? opener : document.querySelector<HTMLElement>(`[${FOCUS_FALLBACK}]`);
      target?.focus({ preventScroll: true });
    },
    [opener],
  );
}
