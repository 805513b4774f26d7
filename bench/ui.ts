import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { openBrowserFixture } from '../test/e2e-ui/browser-fixture.ts';
import { firstScripts, UI_DIST } from '../test/e2e-ui/first-scripts.ts';
import { createRandom, makeFact } from './made-up-facts.ts';

// What users notice of the web UI: how much is loaded, when the page is interactive, how long a keystroke takes to
// become painted results, and how smoothly a phone scrolls. `npm run bench:ui [facts]`, with a real server and Chromium.

const FACTS = Number(process.argv[2] ?? 100_000);
const PHONE_FACTS = Math.min(FACTS, 50_000);
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** A phone of the middle range is about so many times slower than this machine. */
const CPU_SLOWDOWN = 4;
const SCROLL_PX = 30_000;
const SCROLL_PX_PER_SECOND = 3_000;
const WORDS = 15;
const BATCH = 5_000;
/** The pace of a fast typist. */
const BETWEEN_KEYS_MS = 120;

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;
const ms = (value: number) => `${value.toFixed(0)} ms`;

/** Size of the scripts of the first load as a server that compresses would send them. */
function firstLoadSize(): string {
  const files = firstScripts().map((name) => readFileSync(join(UI_DIST, name)));
  const kilobytes = (compressed: (file: Buffer) => Buffer) =>
    (files.reduce((sum, file) => sum + compressed(file).length, 0) / 1000).toFixed(1);
  return `${kilobytes((file) => gzipSync(file, { level: 9 }))} kB gzipped, ${kilobytes(brotliCompressSync)} kB with brotli`;
}

interface Load {
  firstPaintMs: number;
  listMs: number;
  interactiveMs: number;
}

/** Reloads the page and waits for its first rows; it is interactive when they are painted and no long task runs. */
async function measureLoad(page: Page, url: string): Promise<Load> {
  await page.goto('about:blank');
  await page.addInitScript(`
    globalThis.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((e) => e.startTime + e.duration)))
      .observe({ type: 'longtask', buffered: true });
    const watch = () => document.querySelector('.fact')
      ? setTimeout(() => { globalThis.listMs = performance.now(); })
      : requestAnimationFrame(watch);
    requestAnimationFrame(watch);
  `);
  await page.goto(url);
  await page.waitForFunction('globalThis.listMs !== undefined', undefined, { timeout: 120_000 });
  await page.waitForTimeout(500);
  return page.evaluate<Load>(`({
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    listMs,
    interactiveMs: Math.max(listMs, ...longTasks.filter((end) => end < listMs + 200)),
  })`);
}

/** Runs in the page: measures from keydown to the frame that shows the matching results. */
const INSTALL = `
  globalThis.painted = [];
  let pressedMs = 0;
  addEventListener('keydown', (event) => { pressedMs = event.timeStamp; }, true);
  addEventListener('input', (event) => {
    const wanted = 'Results for ' + event.target.value.trim();
    const startMs = pressedMs;
    const look = () => {
      const list = document.querySelector('[role=listbox]');
      const shown = list && list.getAttribute('aria-label') === wanted && !list.classList.contains('old');
      const nothing = document.querySelector('.empty h2') && !document.querySelector('.fact');
      if (!shown && !nothing) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => painted.push(performance.now() - startMs);
      port2.postMessage(0);
    };
    requestAnimationFrame(look);
  }, true);
`;

async function measureTyping(page: Page): Promise<number[]> {
  await page.evaluate(INSTALL);
  const random = createRandom(42);
  let keys = 0;
  for (let count = 0; count < WORDS; count++) {
    const { value } = makeFact(Math.floor(random() * FACTS));
    const words = value.split(' ').slice(0, 2).join(' ');
    await page.keyboard.press('/');
    for (const letter of words) {
      const startMs = performance.now();
      await page.keyboard.type(letter);
      keys++;
      await page.waitForFunction(`painted.length >= ${keys}`, undefined, { polling: 'raf', timeout: 30_000 });
      await page.waitForTimeout(Math.max(0, BETWEEN_KEYS_MS - (performance.now() - startMs)));
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }
  return page.evaluate<number[]>('painted');
}

interface Scroll {
  frames: number;
  dropped: number;
  longestMs: number;
  mostRows: number;
}

/** Runs in the page: counts the frames that are late, and the rows in the DOM, until `stopScroll` is set. */
const WATCH_FRAMES = `
  globalThis.scroll = { frames: 0, dropped: 0, longestMs: 0, mostRows: 0 };
  globalThis.stopScroll = false;
  let beforeMs = performance.now();
  const onFrame = (nowMs) => {
    const tookMs = nowMs - beforeMs;
    beforeMs = nowMs;
    scroll.frames++;
    scroll.dropped += Math.max(0, Math.round(tookMs / (1000 / 60)) - 1);
    scroll.longestMs = Math.max(scroll.longestMs, tookMs);
    scroll.mostRows = Math.max(scroll.mostRows, document.querySelectorAll('.fact').length);
    if (!stopScroll) requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
`;

/** Loads and scrolls the list as a phone with a slower processor would. */
async function measurePhone(): Promise<void> {
  const { page, context, pageErrors } = await fixture.open('/', { ...PHONE, bypassCSP: true });
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const loads: Load[] = [];
  for (let round = 0; round < 5; round++) loads.push(await measureLoad(page, fixture.server.url));
  const firstRow = percentile(
    loads.map(({ listMs }) => listMs),
    0.5,
  );
  await page.evaluate(WATCH_FRAMES);
  await devTools.send('Input.synthesizeScrollGesture', {
    x: 195,
    y: 500,
    yDistance: -SCROLL_PX,
    speed: SCROLL_PX_PER_SECOND,
    gestureSourceType: 'touch',
  });
  const scroll = await page.evaluate<Scroll>('stopScroll = true, scroll');
  console.log(
    `phone, processor ${CPU_SLOWDOWN} times slower, ${PHONE_FACTS.toLocaleString('en')} facts: first row ${ms(firstRow)} (median of 5)`,
  );
  console.log(
    `phone, scrolling ${SCROLL_PX.toLocaleString('en')} px: ${scroll.frames} frames, ${scroll.dropped} dropped, longest ${ms(scroll.longestMs)}, at most ${scroll.mostRows} rows in the DOM`,
  );
  for (const pageError of pageErrors) console.error(pageError);
  await context.close();
}

async function seed(from: number, to: number): Promise<void> {
  const seedMs = performance.now();
  for (let first = from; first < to; first += BATCH) {
    const count = Math.min(BATCH, to - first);
    const lines = Array.from({ length: count }, (_, at) => JSON.stringify(makeFact(first + at))).join('\n');
    const answer = await fetch(`${fixture.server.url}/api/v1/memory/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/x-ndjson' },
      body: lines,
    });
    const { stored } = (await answer.json()) as { stored: number };
    if (stored !== count) throw new Error(`stored ${stored} of ${count}`);
  }
  console.log(`seeded ${(to - from).toLocaleString('en')} facts in ${ms(performance.now() - seedMs)}`);
}

const fixture = await openBrowserFixture(({ env }) => {
  // Open: among thousands of made-up sentences a few would be quarantined or refused.
  Object.assign(env, {
    HELMDECK_RATE_LIMIT: 'off',
    HELMDECK_QUOTA_FACTS: 'off',
    HELMDECK_GATE: 'open',
    HELMDECK_SECRET_GUARD: 'off',
  });
});
try {
  await seed(0, PHONE_FACTS);
  await measurePhone();
  if (FACTS > PHONE_FACTS) await seed(PHONE_FACTS, FACTS);
  const timed = async (path: string) => {
    const startMs = performance.now();
    await (await fixture.api('GET', path)).text();
    return performance.now() - startMs;
  };
  console.log(`first search, which loads the image: ${ms(await timed('/memory/search?q=deploy'))}`);
  for (const path of [
    '/memory/facets',
    '/memory/facets',
    '/memory/facets?prefix=db/',
    '/memory/facts?expiring_within=604800&sort=expires',
    '/memory/facts?sort=key&limit=100',
    '/memory/stats?check=0',
    '/memory/stats',
    '/memory/stats',
  ])
    console.log(`GET ${path}: ${ms(await timed(path))}`);

  const { page, context, pageErrors } = await fixture.open('/', { bypassCSP: true });
  const loads: Load[] = [];
  for (let round = 0; round < 5; round++) loads.push(await measureLoad(page, fixture.server.url));
  const median = (of: (load: Load) => number) => ms(percentile(loads.map(of), 0.5));
  console.log(`first load, JavaScript: ${firstLoadSize()}`);
  console.log(
    `first contentful paint ${median((load) => load.firstPaintMs)}, list ${median((load) => load.listMs)}, interactive ${median((load) => load.interactiveMs)} (medians of 5)`,
  );
  const painted = await measureTyping(page);
  console.log(
    `keystroke to painted results, ${painted.length} keys: p50 ${ms(percentile(painted, 0.5))}, p95 ${ms(percentile(painted, 0.95))}, max ${ms(Math.max(...painted))}`,
  );
  for (const pageError of pageErrors) console.error(pageError);
  await context.close();
} finally {
  await fixture.close();
}
