import { useMemo, useRef, useState } from 'react';
import type { Row } from '../fact-queries.ts';
import { type SteadyRows, steadyRows } from './steady-rows.ts';

/**
 * Holds new rows back while the list is scrolled, so that what is being read does not move. `id` names the list; rows
 * that still belong to another one (`isOld`) are passed on.
 */
export function useSteadyRows(latest: Row[], id: string, isOld: boolean) {
  const [isScrolled, setIsScrolled] = useState(false);
  const shown = useRef<{ id: string; rows: Row[] }>(undefined);
  const steady = useMemo((): SteadyRows => {
    const before = shown.current;
    const hold = isScrolled && !isOld && before?.id === id;
    const next = hold ? steadyRows(before.rows, latest) : { rows: latest, waiting: 0 };
    shown.current = isOld ? undefined : { id, rows: next.rows };
    return next;
  }, [latest, id, isOld, isScrolled]);
  return { ...steady, setIsScrolled };
}
