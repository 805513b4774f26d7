import type { OnProgress } from '../deps.ts';
import type { Screen } from './screen.ts';

const SHOW_AFTER_MS = 1_000;
const REFRESH_MS = 100;

/** Runs `work` and shows its progress on a terminal once it takes longer than a second. */
export async function withProgress<T>(
  screen: Screen,
  label: string,
  describe: (done: number, of: number | undefined) => string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  let shownMs = 0;
  let shown = false;
  try {
    return await work((done, of) => {
      const nowMs = performance.now();
      if (nowMs - startMs < SHOW_AFTER_MS || nowMs - shownMs < REFRESH_MS) return;
      shownMs = nowMs;
      shown = true;
      screen.status(`${label} …${of ? ` ${bar(done / of)}` : ''} ${describe(done, of)}`);
    });
  } finally {
    if (shown) screen.status('');
  }
}

const BAR_CELLS = 20;

function bar(share: number): string {
  const part = Math.min(1, Math.max(0, share));
  const full = Math.floor(part * BAR_CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)} ${Math.floor(part * 100)}%`;
}
