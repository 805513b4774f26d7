import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { FreshRow } from './fresh-log.ts';
import { createFreshRows } from './fresh-rows.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('no transaction is left open that nothing ends, even if a commit of it failed a moment before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const steps: string[] = [];
  const log = { append: () => true, restart() {}, remove() {} };
  const fresh = createFreshRows(log, [], {
    prepare: () => steps.push('prepare'),
    settle() {
      steps.push('settle');
      fresh.rolledBack();
      throw new Error('the disk is full');
    },
  });
  const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
  const row = { id: Buffer.alloc(16, 1), kind: 'fact', group: null, rev: 1, ...times, body: Buffer.alloc(1) };
  fresh.keep({ ref: { ns: Buffer.alloc(16), generation: 1 }, seq: 1, row } as FreshRow);
  vi.advanceTimersByTime(100);
  await nextTurn();
  expect(steps).toEqual(['settle', 'prepare']);
  vi.advanceTimersByTime(100);
  expect(steps).toEqual(['settle', 'prepare', 'settle']);
});
