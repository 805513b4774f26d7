import { describe, expect, it } from 'vitest';
import { createTickBatching } from './tick-batching.ts';

describe('tick batching', () => {
  it('tick batching runs each step of all requests that arrive in one tick before the next step of any, and does not delay the first', async () => {
    const batched = createTickBatching();
    const steps: string[] = [];
    const request = (name: string) =>
      batched(async () => {
        steps.push(`${name} starts`);
        await undefined;
        steps.push(`${name} ends`);
        return name;
      });
    const results = ['first', 'second', 'third'].map(request);
    expect(steps).toEqual(['first starts']);
    expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
    expect(steps.slice(2)).toEqual(['second starts', 'third starts', 'second ends', 'third ends']);
  });

  it('a failed request does not delay the requests in its tick or the next one', async () => {
    const batched = createTickBatching();
    const failed = batched(() => Promise.reject(new Error('no')));
    const sameTick = batched(() => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await sameTick).toBe('yes');
    let started = false;
    void batched(() => {
      started = true;
    });
    expect(started).toBe(true);
  });
});
