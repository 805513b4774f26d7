import { beforeEach, describe, expect, it } from 'vitest';
import { createUndoQueue, UNDO_MS, type UndoQueue } from './undo-queue.ts';

let nowMs: number;
let timer: { work: () => void; atMs: number } | undefined;
let sent: [key: string, leaving: boolean][];
let settled: string[][];
let refuse: Set<string>;
let queue: UndoQueue;

beforeEach(() => {
  nowMs = 0;
  timer = undefined;
  sent = [];
  settled = [];
  refuse = new Set();
  queue = createUndoQueue({
    async send(key, leaving) {
      sent.push([key, leaving]);
      if (refuse.has(key)) throw new Error('refused');
    },
    now: () => nowMs,
    setTimer: (work, ms) => {
      timer = { work, atMs: nowMs + ms };
      return timer;
    },
    clearTimer: (given) => {
      if (given === timer) timer = undefined;
    },
    onSettled: ({ failed }) => settled.push(failed),
  });
});

async function pass(ms: number): Promise<void> {
  nowMs += ms;
  if (timer && timer.atMs <= nowMs) timer.work();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the undo queue', () => {
  it('the queue sends forgets after ten seconds and hides the facts until the server has responded', async () => {
    queue.add(['a']);
    await pass(UNDO_MS - 1);
    expect(sent).toEqual([]);
    expect(queue.hidden().has('a')).toBe(true);
    await pass(1);
    expect(sent).toEqual([['a', false]]);
    expect(settled).toEqual([[]]);
    expect(queue.hidden().size).toBe(0);
  });

  it('the queue never sends a forget that was undone', async () => {
    queue.add(['a', 'b']);
    expect(queue.bringBack(['a', 'b'])).toEqual(['a', 'b']);
    await pass(UNDO_MS * 2);
    expect(sent).toEqual([]);
    expect(queue.hidden().size).toBe(0);
  });

  it('the queue takes back some of the pending forgets and sends the others in time', async () => {
    queue.add(['a', 'b']);
    await pass(4_000);
    expect(queue.bringBack(['a', 'c'])).toEqual(['a']);
    await pass(6_000);
    expect(sent).toEqual([['b', false]]);
  });

  it('the queue adds a second forget to the pending ones and restarts the ten seconds', async () => {
    queue.add(['a']);
    await pass(9_000);
    queue.add(['b']);
    await pass(9_000);
    expect(sent).toEqual([]);
    expect(queue.state().keys).toEqual(['a', 'b']);
    await pass(1_000);
    expect(sent.map(([key]) => key)).toEqual(['a', 'b']);
  });

  it('the queue pauses while the pointer rests on the toast, and resumes with the remaining time', async () => {
    queue.add(['a']);
    await pass(6_000);
    queue.hold();
    await pass(60_000);
    expect(sent).toEqual([]);
    queue.release();
    await pass(3_999);
    expect(sent).toEqual([]);
    await pass(1);
    expect(sent).toHaveLength(1);
  });

  it('the queue sends everything immediately when the page is closed, paused or not', () => {
    queue.add(['a']);
    queue.hold();
    queue.flush(true);
    expect(sent).toEqual([['a', true]]);
    expect(queue.bringBack(['a'])).toEqual([]);
  });

  it('the queue reports the keys that the server refused to forget', async () => {
    refuse.add('b');
    queue.add(['a', 'b']);
    await pass(UNDO_MS);
    expect(settled).toEqual([['b']]);
  });
});
