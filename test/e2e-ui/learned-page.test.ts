import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';
import { overflowing, twoFrames } from './overflow.ts';
import { type Gates, makePacksFolder, RELEASE_PIPELINE } from './sample-runs.ts';

let fixture: BrowserFixture;
let gates: Gates;
let pipeline: string;
let open: OpenPage | undefined;
let ranAtMs: number;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, { reducedMotion: 'reduce', ...options });
  return open.page;
};
const runPack = (pack: string, input: object) => fixture.api('POST', `/packs/${pack}`, input);
const card = (page: Page, heading: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });
const WIDTHS = [390, 820, 1024, 1440];
/** After the range of a day, and still in what is fetched to compare it with the day before. */
const LATER_MS = 36 * 3_600_000;

describe.skipIf(!CHROMIUM)('runs, findings and the catalogue in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture((sandbox) => {
      gates = makePacksFolder(sandbox.dir);
      sandbox.env.HELMDECK_PACKS_DIR = gates.folder;
    });
    for (let n = 0; n < 5; n++) await runPack('release.check_links', { text: 'notes' });
    await runPack('github.get_issue', { repo: 'owner/name', issue_number: 1 });
    for (const audience of ['everybody', 'finance', 'platform engineers'])
      await runPack('release.write_notes', { source_content: audience, persona: 'technical', audience });
    await runPack('helmdeck.route', { user_intent: 'write release notes' });
    const created = await fixture.api('POST', '/pipelines', RELEASE_PIPELINE);
    pipeline = ((await created.json()) as { id: string }).id;
    await fixture.api('POST', `/pipelines/${pipeline}/run`, { inputs: { audience: 'engineers' } });
    await until(async () => {
      const { runs } = (await (
        await fixture.api('GET', `/memory/run-records?pipeline=${pipeline}`)
      ).json()) as {
        runs: object[];
      };
      return runs.length === 1;
    });
    ranAtMs = Date.now();
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('a finding names the pack that failed, and leads to its runs and to what each of them said', async () => {
    const page = await visit('/routing');
    const links = card(page, 'Findings').locator('tr').filter({ hasText: 'release.check_links' });
    await links.getByText('6', { exact: true }).waitFor(); // five alone, one in the pipeline
    await card(page, 'Findings').locator('tr').filter({ hasText: 'Release notes' }).waitFor();
    expect(await card(page, 'Findings').getByText('pipe_').count()).toBe(0);
    await links.getByRole('link').click();
    const activity = card(page, 'Recent activity');
    await until(async () => (await activity.locator('tbody tr').count()) === 6);
    await activity.getByRole('link', { name: 'release.check_links', exact: true }).last().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One of three links does not answer.').waitFor();
    await dialog.getByText('Correct the link to the snapshot').waitFor();
    await dialog.getByText('handler_failed').waitFor();
    expect(await overflowing(page)).toEqual([]);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Remove filter release\.check_links/ }).click();
    await activity.getByRole('link', { name: 'release.write_notes' }).first().click();
    await dialog.getByText('"platform engineers"').waitFor();
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await page.getByLabel('audience').waitFor();
    expect(await page.getByLabel('audience').inputValue()).toBe('platform engineers');
    await card(page, 'Runs of this pack').getByRole('link', { name: 'ok' }).last().click();
    await dialog.getByText('"everybody"').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('the run of a pipeline shows all its inputs, its error with the hint of the pack, and leads to its steps', async () => {
    const page = await visit(`/routing?of=${pipeline}`);
    await card(page, 'Recent activity').getByRole('link', { name: 'Release notes', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"engineers"').waitFor();
    await dialog.getByText('Correct the link to the snapshot').waitFor();
    await dialog.getByRole('link', { name: 'Open this run' }).click();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('Correct the link to the snapshot').waitFor();
    expect(await run.getByText('One of three links does not answer.').count()).toBe(1);
    expect(await run.getByText('tell the author').count()).toBe(0);
    expect(await run.getByRole('button', { name: /^Resume/ }).count()).toBe(1);
  });

  it('values that few runs used and packs without learned values are left out, and questions are not runs', async () => {
    const page = await visit('/routing');
    const learned = card(page, 'Learned defaults');
    await learned.getByText('3 of 3').waitFor();
    expect(await learned.getByText('everybody').count()).toBe(0); // 1 of 3
    expect(await learned.locator('.learn').count()).toBe(1);
    await until(async () => (await card(page, 'Recent activity').locator('tbody tr').count()) === 12);
    expect(await page.getByText('helmdeck.route').count()).toBe(0);
    const runs = page.locator('.stat').filter({ hasText: 'Runs' }).locator('dd');
    // Nine by hand, then two steps and the pipeline itself.
    expect(await runs.textContent()).toMatch(/^12\b/);
    await page.getByText('Routing memory:').waitFor();
  });

  it('findings are those of the range, and a bar of the chart leads to its failed runs', async () => {
    const page = await visit('/connect');
    await page.clock.setFixedTime(ranAtMs); // the last bar is the hour of the last failed run
    await page.goto(`${fixture.server.url}/routing?range=24h`);
    await card(page, 'Findings').getByText('release.check_links').waitFor();
    const canvas = page.locator('.chart-canvas .u-over');
    const { width, height } = (await canvas.boundingBox())!;
    await canvas.click({ position: { x: width - width / 48, y: height - 4 } });
    await page.getByRole('link', { name: /^Remove filter failed · / }).waitFor();
    const rows = card(page, 'Recent activity').locator('tbody tr');
    await rows.first().waitFor();
    await until(async () => (await rows.filter({ hasText: 'ok' }).count()) === 0);
    await page.clock.setFixedTime(ranAtMs + LATER_MS);
    await page.goto(`${fixture.server.url}/routing?range=24h`);
    await card(page, 'Findings').getByText('Nothing failed').waitFor();
    await page.getByRole('button', { name: '7 d' }).click();
    await card(page, 'Findings').getByText('release.check_links').waitFor();
  });

  it('the chart and the bars are visible in forced colours', async () => {
    const page = await visit('/routing', { forcedColors: 'active', bypassCSP: true });
    await page.locator('canvas').waitFor();
    await page.waitForTimeout(200);
    const colours = await page.evaluate<{ large: number; swatches: string[] }>(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const counts = {};
      for (const colour of new Uint32Array(data.buffer)) counts[colour] = (counts[colour] ?? 0) + 1;
      const style = (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor;
      return {
        large: Object.values(counts).filter((count) => count > 60).length,
        swatches: ['.sw-ok', '.sw-hit', '.sw-bad', '.chart-surface', '.bar i'].map(style),
      };
    })()`);
    const [fresh, cached, failed, surface, bar] = colours.swatches;
    expect(new Set([fresh, cached, failed, surface]).size).toBe(4);
    expect(bar).not.toBe(surface);
    expect(colours.large).toBeGreaterThan(2); // the surface, a bar and the text at least
    expect(await violationsIn(page, ['color-contrast'])).toEqual([]);
  });

  it('the catalogue scrolls to what is open and marks it, lists what was used first, and shows no lone version', async () => {
    const page = await visit('/packs?pack=vault.write', { viewport: { width: 1440, height: 500 } });
    const current = page.locator('.catalogue [aria-current="page"]');
    await current.waitFor();
    await until(async () => {
      const box = await current.boundingBox();
      return box !== null && box.y > 50 && box.y + box.height <= 500;
    });
    await page.getByRole('heading', { name: 'Used lately' }).waitFor();
    expect(await page.locator('.catalogue h2').first().textContent()).toBe('Used lately');
    expect(await page.locator('.catalogue .pack').first().textContent()).toContain('release.check_links');
    expect(await page.locator('.catalogue .chip', { hasText: /^v1$/ }).count()).toBe(0);
  });

  it('on a phone the catalogue is a sheet that closes when a pack is chosen, and an address is one line', async () => {
    const page = await visit('/packs', { viewport: { width: 390, height: 844 }, bypassCSP: true });
    await page.getByRole('button', { name: 'Choose a pack or pipeline' }).click();
    const sheet = page.getByRole('dialog', { name: 'Catalogue' });
    await sheet.getByRole('link', { name: /^http\.fetch/ }).waitFor();
    expect(await overflowing(page)).toEqual([]);
    expect(await violationsIn(page)).toEqual([]);
    await sheet.getByRole('link', { name: /^http\.fetch/ }).click();
    await sheet.waitFor({ state: 'detached' });
    expect(await page.getByLabel('url').evaluate(({ tagName }) => tagName)).toBe('INPUT');
    await page.getByRole('button', { name: 'http.fetch' }).waitFor();
  });

  it('nothing sticks out of its box on these pages at any width', async () => {
    const page = await visit('/routing');
    const paths = ['/routing', '/packs?pack=release.collect_changes', `/packs?pipeline=${pipeline}`];
    for (const path of paths) {
      await page.goto(fixture.server.url + path);
      await page.locator('h1').first().waitFor();
      if (path === '/routing') await page.locator('canvas').waitFor();
      if (path.includes('pipeline')) await page.getByRole('button', { name: /^Resume/ }).waitFor();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await twoFrames(page);
        expect(await overflowing(page), `${path} at ${width}`).toEqual([]);
      }
    }
  });
});
