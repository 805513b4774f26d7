import { describe, expect, it } from 'vitest';
import { createLimitedResolve } from './system-resolve.ts';

describe('DNS look-ups', () => {
  it('hanging look-ups leave threads free, and cancelled ones never start', async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const resolve = createLimitedResolve((host) => {
      asked.push(host);
      return new Promise((done) => answers.set(host, () => done([{ address: '1.1.1.1', family: 4 }])));
    }, 2);
    const slow = [resolve('a.example'), resolve('b.example')];
    const gone = new AbortController();
    const impatient = resolve('c.example', gone.signal);
    const patient = resolve('d.example');
    gone.abort();
    expect(asked).toEqual(['a.example', 'b.example']);
    answers.get('a.example')!();
    await slow[0];
    await expect(impatient).rejects.toThrow();
    answers.get('b.example')!();
    await slow[1];
    await expect.poll(() => asked).toEqual(['a.example', 'b.example', 'd.example']);
    answers.get('d.example')!();
    expect(await patient).toEqual([{ address: '1.1.1.1', family: 4 }]);
    const failing = createLimitedResolve(() => Promise.reject(new Error('no such name')), 1);
    for (let n = 0; n < 3; n++) await expect(failing('x')).rejects.toThrow('no such name');
  });
});
