import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { withProgress } from './progress.ts';
import { createScreen } from './screen.ts';

afterEach(() => vi.restoreAllMocks());

/** What work of 25 seconds, with a report every second, prints on stderr. */
async function report(isTTY: boolean, json: boolean): Promise<string> {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const err = Object.assign(new PassThrough(), { isTTY });
  const screen = createScreen({ in: new PassThrough(), out: new PassThrough(), err }, json);
  await withProgress(
    screen,
    'Copying',
    (done, of) => `${done} of ${of} rows`,
    async (onProgress) => {
      for (let second = 1; second <= 25; second++) {
        nowMs = second * 1000;
        onProgress(second, 25);
      }
    },
  );
  return String(err.read() ?? '');
}

it('progress in a log is one line every ten seconds', async () => {
  expect(await report(false, false)).toBe('Copying … 10 of 25 rows\nCopying … 20 of 25 rows\n');
});

it('progress on a terminal replaces its line and is cleared at the end', async () => {
  const text = await report(true, false);
  expect(text.split('\r')).toHaveLength(27);
  expect(text).toContain('24 of 25 rows');
  expect(text.endsWith('\r\u001b[K')).toBe(true);
});

it('progress is not reported with --json', async () => {
  expect((await report(false, true)) + (await report(true, true))).toBe('');
});
