import type { OnProgress } from '../deps.ts';
import type { Screen } from './screen.ts';

const SHOW_AFTER_MS = 1_000;
const REFRESH_MS = 100;
/** Without a terminal each report is a line of its own, in a log. */
const LOG_INTERVAL_MS = 10_000;

/** Runs `work` and reports its progress: as a status line once it takes longer than a second, in a log every ten seconds. */
export async function withProgress<T>(
  screen: Screen,
  label: string,
  describe: (done: number, of: number | undefined) => string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  const [showAfterMs, intervalMs] = screen.hasStatusLine
    ? [SHOW_AFTER_MS, REFRESH_MS]
    : [LOG_INTERVAL_MS, LOG_INTERVAL_MS];
  let shownMs = 0;
  let shown = false;
  try {
    return await work((done, of) => {
      const nowMs = performance.now();
      if (nowMs - startMs < showAfterMs || nowMs - shownMs < intervalMs) return;
      shownMs = nowMs;
      if (!screen.hasStatusLine) return screen.note(`${label} … ${describe(done, of)}`);
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
