import { afterEach, expect, it, vi } from 'vitest';
import { onStopSignals } from './stop-signals.ts';

afterEach(() => void vi.useRealTimers());

it('a signal that arrives twice at once counts once, and a later one insists', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const calls: string[] = [];
  const release = onStopSignals(
    ['SIGUSR2'],
    () => calls.push('first'),
    () => calls.push('again'),
  );
  process.emit('SIGUSR2', 'SIGUSR2');
  process.emit('SIGUSR2', 'SIGUSR2');
  expect(calls).toEqual(['first']);
  vi.advanceTimersByTime(1_000);
  process.emit('SIGUSR2', 'SIGUSR2');
  expect(calls).toEqual(['first', 'again']);
  release();
  process.emit('SIGUSR2', 'SIGUSR2');
  expect(calls).toHaveLength(2);
});
