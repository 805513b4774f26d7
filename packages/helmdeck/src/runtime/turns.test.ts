import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const [ada, bob] = [Buffer.from('ada'), Buffer.from('bob')];

it('work of one namespace runs one after another in order, also after a failure, and other namespaces do not wait', async () => {
  const inTurn = createTurns();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const step = (ns: Buffer, name: string, work: () => Promise<unknown>) =>
    inTurn(ns, async () => {
      log.push(`${name} begins`);
      await work();
      log.push(`${name} ends`);
      return name;
    });
  const first = step(ada, 'first', () => gate.promise);
  const second = step(ada, 'second', () => Promise.reject(new Error('second failed')));
  const third = step(ada, 'third', nextTick);
  expect(await step(bob, 'other', nextTick)).toBe('other');
  expect(log).toEqual(['first begins', 'other begins', 'other ends']);
  gate.resolve();
  expect(await first).toBe('first');
  await expect(second).rejects.toThrow('second failed');
  expect(await third).toBe('third');
  expect(log.slice(3)).toEqual(['first ends', 'second begins', 'third begins', 'third ends']);
});
