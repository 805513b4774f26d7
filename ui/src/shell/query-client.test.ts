import { QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { queryClient } from './query-client.ts';

it('a change that is noticed while a list loads for the first time is not missed', async () => {
  let stored = 'before';
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey: ['late'],
    // The server reads, and then the answer takes its time.
    queryFn() {
      const read = stored;
      return new Promise<string>((resolve) => answers.push(() => resolve(read)));
    },
  });
  const stop = observer.subscribe(() => {});
  await expect.poll(() => answers.length).toBe(1);
  stored = 'after';
  for (let events = 0; events < 3; events++) void queryClient.invalidateQueries({ queryKey: ['late'] });
  answers.shift()!();
  await expect.poll(() => answers.length).toBe(1);
  answers.shift()!();
  await expect.poll(() => observer.getCurrentResult().data).toBe('after');
  expect(answers, 'once more, not once per event').toEqual([]);
  stop();
});
