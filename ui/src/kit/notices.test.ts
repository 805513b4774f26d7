import { beforeEach, describe, expect, it } from 'vitest';
import { createNotices, NOTICE_MS } from './notices.ts';

let nowMs = 0;
let timer: { work(): void; atMs: number } | undefined;
let notices: ReturnType<typeof createNotices>;

beforeEach(() => {
  nowMs = 0;
  timer = undefined;
  notices = createNotices({
    now: () => nowMs,
    setTimer: (work, ms) => {
      timer = { work, atMs: nowMs + ms };
      return timer;
    },
    clearTimer: (given) => {
      if (given === timer) timer = undefined;
    },
  });
});

function pass(ms: number): void {
  nowMs += ms;
  if (timer && timer.atMs <= nowMs) timer.work();
}

describe('the notice of a write', () => {
  it('a notice with undo disappears after ten seconds, not counting the time the pointer rests on it', () => {
    notices.show({ text: 'Saved', undo: async () => {} });
    pass(6_000);
    notices.hold();
    pass(60_000);
    notices.release();
    pass(NOTICE_MS - 6_001);
    expect(notices.state()?.text).toBe('Saved');
    pass(1);
    expect(notices.state()).toBeUndefined();
  });

  it('a failure stays until it is answered', () => {
    notices.show({ text: 'Not saved', retry: () => {} });
    notices.hold();
    notices.release();
    pass(3_600_000);
    expect(notices.state()?.text).toBe('Not saved');
  });

  it('a newer notice replaces an older one and has its own time', () => {
    notices.show({ text: 'one', undo: async () => {} });
    pass(9_000);
    notices.show({ text: 'two', undo: async () => {} });
    pass(9_000);
    expect(notices.state()?.text).toBe('two');
  });
});
