import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  PASSWORD,
  until,
} from './browser-fixture.ts';
import { type Gates, makePacksFolder, RELEASE_PIPELINE } from './sample-runs.ts';

let fixture: BrowserFixture;
let gates: Gates;
let pipeline: string;
let open: OpenPage | undefined;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const call = async (token: string, method: string, path: string, body?: object) => {
  const answer = await fetch(`${fixture.server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return (await answer.json()) as Record<string, string>;
};
const notes = (source_content: string) => ({ source_content, persona: 'technical', audience: 'engineers' });
const records = async () =>
  ((await (await fixture.api('GET', '/memory/defaults')).json()) as { recent: { id: string }[] }).recent;
const card = (page: Page, heading: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

describe.skipIf(!CHROMIUM)('the Routing page in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture((sandbox) => {
      gates = makePacksFolder(sandbox.dir);
      sandbox.env.HELMDECK_PACKS_DIR = gates.folder;
    });
    const run = (pack: string, input: object) => fixture.api('POST', `/packs/${pack}`, input);
    for (const text of ['one', 'one', 'two']) await run('release.write_notes', notes(text));
    await run('release.write_notes', { ...notes('three'), strict: true });
    await run('release.check_links', { text: 'notes' });
    await run('release.collect_changes', {});
    pipeline = (await call(fixture.token, 'POST', '/pipelines', RELEASE_PIPELINE)).id!;
    gates.open('links-answer');
    await fixture.api('POST', `/pipelines/${pipeline}/run`, { inputs: { audience: 'engineers' } });
    await until(async () => (await records()).some(({ id }) => id === pipeline));
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('the page shows learned defaults with their evidence, findings, and runs per day as a chart and a table', async () => {
    const page = await visit('/routing');
    const learned = card(page, 'Learned defaults');
    await learned.getByText('engineers').first().waitFor();
    await learned.getByText('5 of 5').first().waitFor();
    await card(page, 'Findings').getByText('title_long').waitFor();
    await card(page, 'Findings').getByText('handler_failed').waitFor();
    await card(page, 'Runs per day').locator('canvas').waitFor();
    await page.getByText('Show the numbers').click();
    const table = card(page, 'Runs per day').locator('tbody');
    await table.locator('tr').first().waitFor();
    // Sums all days: the test may start before midnight and end after it.
    const [uncached, ...others] = await Promise.all(
      [2, 3, 4].map(async (column) =>
        (await table.locator(`td:nth-child(${column})`).allTextContents())
          .map(Number)
          .reduce((all, each) => all + each, 0),
      ),
    );
    expect(others).toEqual([1, 1]); // one from the cache, one that failed
    expect(uncached! + 2).toBe((await records()).length);
    await page.getByRole('button', { name: '24 h' }).click();
    await page.getByRole('heading', { name: 'Runs per hour' }).waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('a keyboard chord opens the page, and a learned default leads to the form filled with it', async () => {
    await fixture.api('POST', '/memory/store', { key: 'kept/as-it-is', value: 'not renewed by a chord' });
    const page = await visit('/?key=kept%2Fas-it-is');
    await page.getByRole('heading', { name: 'kept/as-it-is' }).waitFor();
    const { expires_at } = await call(fixture.token, 'GET', '/memory/facts/kept%2Fas-it-is');
    await page.keyboard.press('g');
    await page.keyboard.press('r'); // alone it renews the open fact
    await page.getByRole('heading', { name: 'Learned', exact: true }).waitFor();
    expect((await call(fixture.token, 'GET', '/memory/facts/kept%2Fas-it-is')).expires_at).toBe(expires_at);
    await card(page, 'Learned defaults').getByRole('link', { name: 'release.write_notes' }).click();
    await page.getByLabel('audience').waitFor();
    await until(async () => (await page.getByLabel('audience').inputValue()) === 'engineers');
  });

  it('an admin sees the runs of another caller under a banner, and forgetting names that caller', async () => {
    const { token: admin = '' } = await call('', 'POST', '/auth/login', {
      username: 'admin',
      password: PASSWORD,
    });
    const { token: ada = '' } = await call(admin, 'POST', '/tokens', {
      subject: 'ada',
      scopes: ['packs:run'],
    });
    for (let n = 0; n < 3; n++)
      await call(ada, 'POST', '/packs/release.write_notes', { ...notes('hers'), audience: 'her team' });
    const page = await visit('/routing?caller=ada');
    await page.getByText('You are looking at the memory of ada.').waitFor();
    await card(page, 'Learned defaults').getByText('her team').waitFor();
    await page.getByRole('button', { name: 'Forget all for ada…' }).click();
    await page.getByRole('button', { name: 'Forget for ada', exact: true }).click();
    await page.getByText('Nothing learned yet').waitFor();
    expect((await records()).length).toBeGreaterThan(0);
  });

  it('the Routing and Packs pages have no accessibility violations on a desktop in light', async () => {
    const page = await visit('/routing', { colorScheme: 'light', reducedMotion: 'reduce', bypassCSP: true });
    for (const path of [...PAGES, '/packs', '/packs?pack=vault.read', '/packs?mode=new'])
      await expectAccessible(page, path);
    await page.getByLabel('What should I use?').fill('translate my poem into klingon');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing fits yet.').waitFor();
    await page.waitForTimeout(200);
    expect(await violationsIn(page), 'answer').toEqual([]);
  });

  it('the Routing and Packs pages have no accessibility violations and no overflow on a phone in dark', async () => {
    const phone = { colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 390, height: 844 } };
    const page = await visit('/routing', { ...phone, bypassCSP: true });
    for (const path of PAGES) {
      await expectAccessible(page, path, ['color-contrast', 'target-size', 'scrollable-region-focusable']);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBe(0);
    }
  });

  const PAGES = ['/routing', '/packs?pack=release.collect_changes', '/packs?pipeline=PIPELINE'];
  async function expectAccessible(page: Page, path: string, rules?: string[]): Promise<void> {
    await page.goto(fixture.server.url + path.replace('PIPELINE', pipeline));
    await page.locator('h1').first().waitFor();
    if (path.includes('collect')) await page.getByRole('button', { name: 'Add author' }).click();
    if (path.includes('pipeline=')) await page.getByRole('button', { name: 'write', exact: true }).click();
    if (path === '/routing') await page.locator('canvas').waitFor();
    await page.waitForTimeout(150);
    expect(await violationsIn(page, rules), path).toEqual([]);
  }

  it('one run can be forgotten with time to undo, then everything learned about a pack, then everything', async () => {
    const page = await visit('/routing');
    const before = (await records()).length;
    const forget = page.getByRole('button', { name: 'Forget this run of release.collect_changes' });
    await forget.last().click();
    await page.getByText('Forgot').first().waitFor();
    expect(await records()).toHaveLength(before);
    await page.keyboard.press('z');
    await until(async () => (await forget.count()) === 2);
    await forget.last().click();
    await page.goto('about:blank');
    await until(async () => (await records()).length === before - 1);
    await page.goto(`${fixture.server.url}/routing`);
    await page.getByRole('button', { name: 'Forget what was learned about release.write_notes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await until(async () => !(await records()).some(({ id }) => id === 'release.write_notes'));
    await page.getByRole('link', { name: 'release.write_notes' }).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Forget all…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByText('Nothing learned yet').waitFor();
    expect(await records()).toEqual([]);
  });
});
