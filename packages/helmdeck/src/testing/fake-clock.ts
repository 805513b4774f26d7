/** A clock that tests advance by hand, so that they can check expiry to the millisecond. */
export function fakeClock(startMs = Date.UTC(2026, 0, 1)): {
  now(): number;
  advance(ms: number): void;
  set(ms: number): void;
} {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    set: (ms) => {
      nowMs = ms;
    },
  };
}
