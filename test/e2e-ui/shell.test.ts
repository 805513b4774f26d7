import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/services/free-port.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  signedToken,
  until,
} from './browser-fixture.ts';
import { storeSampleMemory } from './sample-memory.ts';

let fixture: BrowserFixture;
let open: Omit<OpenPage, 'quiet'> | undefined;
const visit = async (path: string, options: Parameters<BrowserFixture['open']>[1] = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const banner = (page: Page) => page.getByText('The server is not answering.');
describe.skipIf(!CHROMIUM)('the shell of the UI', () => {
  beforeAll(async () => {
    // A fixed port, so that the page finds the server again after a restart.
    fixture = await openBrowserFixture(async ({ env }) => {
      env.HELMDECK_ADDR = `127.0.0.1:${await freePort()}`;
    });
    await storeSampleMemory(fixture);
    await fixture.api('POST', '/tokens', { name: 'tablet', client: 'cursor', scopes: ['memory:read'] });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('the frame of the app is there before its scripts are, and gives way to the app', async () => {
    const page = await visit('/');
    await page.locator('.fact').first().waitFor();
    expect(await page.locator('#frame').count()).toBe(0);
    await page.route(/\/assets\/.*\.js$/, () => {}); // never answered, as over a very slow line
    await page.reload({ waitUntil: 'commit' });
    await page.locator('#frame').getByText('Helmdeck').waitFor();
    const [app, main] = [page.locator('#frame .rail'), page.locator('#frame .main')];
    expect((await main.boundingBox())?.x).toBe((await app.boundingBox())?.width);
    expect(open!.pageErrors).toEqual([]);
  });

  it('a long list draws only the rows in view, and scrolls to its last one', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => ({
      key: `long/${String(n).padStart(3, '0')}`,
      value: `row ${n}`,
    }));
    await fetch(`${fixture.server.url}/api/v1/memory/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const page = await visit('/?prefix=long%2F&sort=key&key=long%2F040');
    await page.locator('.fact.sel').waitFor(); // the open fact is brought into view
    expect(await page.locator('.fact').count()).toBeLessThan(40);
    const last = page.locator('.fact').filter({ hasText: 'long/299' });
    await until(async () => {
      await page.evaluate("document.querySelector('.facts').scrollTop = 1e6");
      return last.isVisible();
    });
    expect(await page.locator('.fact').count()).toBeLessThan(40);
    await fixture.api('POST', '/memory/forget', { scope: 'prefix:long/', confirm: true });
  });

  it('the rail has the version, help and the API, and the theme returns to that of the system', async () => {
    const page = await visit('/connect', { colorScheme: 'dark' });
    const rail = page.getByRole('complementary');
    const { version } = (await (await fetch(`${fixture.server.url}/version`)).json()) as { version: string };
    await rail.getByText(`v${version}`).waitFor();
    expect(await rail.getByRole('link', { name: 'API' }).getAttribute('href')).toBe('/docs');
    await rail.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('dialog', { name: 'Help' }).getByText('a text under a key').waitFor();
    await page.keyboard.press('Escape');
    const stored = () => page.evaluate("localStorage.getItem('helmdeck-theme')");
    for (const [before, after] of [
      ['like the system', 'light'],
      ['light', 'dark'],
      ['dark', null],
    ]) {
      await rail.getByRole('button', { name: `Theme: ${before}` }).click();
      expect(await stored()).toBe(after);
    }
    await rail.getByRole('button', { name: 'Theme: like the system' }).waitFor();
  });

  it('the sign-in card says where the password is, and stays in its place when it is wrong', async () => {
    const page = await visit('/');
    await open!.context.clearCookies();
    await page.reload();
    await page.getByText('data/secrets.env').waitFor();
    const card = page.locator('.auth-card');
    const before = await card.boundingBox();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    const after = await card.boundingBox();
    expect([after?.x, after?.y]).toEqual([before?.x, before?.y]);
    expect(after?.height).toBeGreaterThan(before!.height);
  });

  it('a session that may only read can export, says that it only reads, and is not offered what it may not do', async () => {
    const context = await fixture.browser.newContext();
    const page = await context.newPage();
    open = { context, page, pageErrors: [] };
    await context.request.post(`${fixture.server.url}/api/v1/auth/session`, {
      headers: { authorization: `Bearer ${signedToken('admin', 600)}` },
    });
    await page.goto(`${fixture.server.url}/health`);
    await page.getByRole('complementary').getByText('read only').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.jsonl$/);
    expect(await page.getByRole('button', { name: /Import|Erase/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('row', { name: /first-token|First token/i }).waitFor();
    // A token with just the scope of this session may be revoked, one with more may not.
    await page.getByRole('button', { name: 'Revoke tablet' }).waitFor();
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(1);
  });

  it('a page whose code cannot be loaded says so in its place, and opens after trying again', async () => {
    const context = await fixture.browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.route(/routing-page/, (route) => route.abort());
    await context.request.post(`${fixture.server.url}/api/v1/auth/session`, {
      headers: { authorization: `Bearer ${fixture.token}` },
    });
    const page = await context.newPage();
    open = { context, page, pageErrors: [] };
    await page.goto(fixture.server.url);
    await page.locator('.fact').first().waitFor();
    await page.getByRole('link', { name: 'Learned', exact: true }).click();
    const failed = page.getByRole('heading', { name: 'This part could not be opened' });
    await failed.waitFor();
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    await page.locator('.fact').first().waitFor();
    await page.goBack();
    await failed.waitFor();
    await context.unroute(/routing-page/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Learned').waitFor();
  });

  it('an idle page notices that the server is away, every other page still opens, and none claims what it cannot know', async () => {
    const page = await visit('/');
    const loaded = () =>
      page.evaluate<string>(
        "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js')).join(' ')",
      );
    await until(async () => /routing-page.*runs-chart/.test(await loaded()));
    await page.waitForLoadState('networkidle').catch(() => {});
    await fixture.server.stop();
    await banner(page).waitFor();
    for (const name of ['Learned', 'Packs and pipelines', 'Health and privacy', 'Connect']) {
      await page.getByRole('link', { name }).click();
      await (name === 'Packs and pipelines' ? page.locator('.packs') : heading(page, name)).waitFor();
      expect(await banner(page).count(), `sentences on ${name}`).toBe(1);
    }
    await page.getByRole('heading', { name: 'Not known right now' }).waitFor();
    expect(await page.getByText('Not connected yet').count()).toBe(0);
    fixture.server = await fixture.sandbox.serve('--init');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Tokens', { exact: true }).waitFor();
    await banner(page).waitFor({ state: 'detached' });
  });
});
