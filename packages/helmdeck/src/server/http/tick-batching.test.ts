import { describe, expect, it } from 'vitest';
import { createTickBatching } from './tick-batching.ts';

describe('tick batching', () => {
  it('runs each step of all requests that arrive in one tick before the next step of any, and does not delay the first', async () => {
    const batched = createTickBatching();
    const steps: string[] = [];
    const request = (name: string) =>
      batched(async () => {
        steps.push(`${name} begins`);
        await undefined;
        steps.push(`${name} ends`);
        return name;
      });
    const answers = ['alone', 'second', 'third'].map(request);
    expect(steps).toEqual(['alone begins']);
    expect(await Promise.all(answers)).toEqual(['alone', 'second', 'third']);
    expect(steps.slice(2)).toEqual(['second begins', 'third begins', 'second ends', 'third ends']);
  });

  it('goes on after a request that failed', async () => {
    const batched = createTickBatching();
    const failed = batched(() => Promise.reject(new Error('no')));
    const beside = batched(() => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await beside).toBe('yes');
    let begun = false;
    void batched(() => {
      begun = true;
    });
    expect(begun).toBe(true);
  });
});
