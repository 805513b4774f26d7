import { useCallback, useRef } from 'react';

/** Returns a function with a stable identity that calls the latest `work`, so that memoised children do not rerender. */
export function useStable<A extends unknown[], R>(work: (...given: A) => R): (...given: A) => R {
  const current = useRef(work);
  current.current = work;
  return useCallback((...given: A) => current.current(...given), []);
}
