import { useEffect, useState } from 'react';

const TICK_MS = 200;

/** The time since `sinceMs`, updated while it is set. */
export function useElapsed(sinceMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (sinceMs === undefined) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [sinceMs]);
  return sinceMs === undefined ? 0 : Math.max(0, nowMs - sinceMs);
}
