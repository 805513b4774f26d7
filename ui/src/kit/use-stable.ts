import { useCallback, useRef } from 'react';

/** The same function for as long as the component lives, doing what the latest one does: what it is given to need not render again. */
export function useStable<A extends unknown[], R>(work: (...given: A) => R): (...given: A) => R {
  const current = useRef(work);
  current.current = work;
  return useCallback((...given: A) => current.current(...given), []);
}
