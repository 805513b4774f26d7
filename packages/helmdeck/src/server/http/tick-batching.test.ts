import { describe, expect, it } from 'vitest';
import { createInStep } from './tick-batching.ts';

describe('requests that arrive together', () => {
  it('go on side by side, step by step, and the first of them without waiting', async () => {
    const inStep = createInStep();
    const steps: string[] = [];
    const request = (name: string) =>
      inStep(async () => {
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

  it('leave nobody waiting behind one that failed', async () => {
    const inStep = createInStep();
    const failed = inStep(() => Promise.reject(new Error('no')));
    const beside = inStep(() => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await beside).toBe('yes');
    let begun = false;
    void inStep(() => {
      begun = true;
    });
    expect(begun).toBe(true);
  });
});
