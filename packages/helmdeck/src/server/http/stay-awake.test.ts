import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStayAwake } from './stay-awake.ts';

afterEach(() => vi.restoreAllMocks());

/** How often the event loop is kept from sleeping in a few of its turns. */
async function looks(during: () => void): Promise<number> {
  const wakings = vi.spyOn(globalThis, 'setImmediate');
  during();
  for (let count = 0; count < 5; count++) await turn();
  const count = wakings.mock.calls.length;
  wakings.mockRestore();
  return count;
}

describe('a server that was just asked', () => {
  it('looks out for the next request of somebody who came back at once', async () => {
    let nowMs = 0;
    const attention = createStayAwake(() => nowMs);
    attention.asked();
    attention.answered();
    nowMs = 0.1;
    attention.asked();
    expect(await looks(attention.answered)).toBeGreaterThan(3);
    nowMs = 1;
    await turn();
    expect(await looks(() => {})).toBe(0);
  });

  it('sleeps when several ask at once: they come without being looked for', async () => {
    let nowMs = 0;
    const attention = createStayAwake(() => nowMs);
    attention.asked();
    attention.answered();
    nowMs = 0.1;
    for (let count = 0; count < 3; count++) attention.asked();
    const answers = () => {
      for (let count = 0; count < 3; count++) attention.answered();
    };
    expect(await looks(answers)).toBe(0);
  });

  it('sleeps after an answer to somebody who asks once in a while', async () => {
    let nowMs = 0;
    const attention = createStayAwake(() => nowMs);
    for (; nowMs < 5; nowMs++) {
      attention.asked();
      expect(await looks(attention.answered)).toBe(0);
    }
  });
});
