import { afterEach, expect, it, vi } from 'vitest';
import { connection, watchServer } from './connection.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('an idle page without a stream of events notices that the server is away, and that it is back', async () => {
  vi.useFakeTimers();
  let isUp = true;
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('fetch', async () => {
    if (!isUp) throw new TypeError('Failed to fetch');
    return new Response('ok');
  });
  const stop = watchServer();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(connection.read().down).toBe(false);
  isUp = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(connection.read().down).toBe(true);
  isUp = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(connection.read().down).toBe(false);
  stop();
});
