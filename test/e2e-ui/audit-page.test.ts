import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/services/free-port.ts';
import { violationsIn } from './accessibility.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  PASSWORD,
  signedToken,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: OpenPage;
let admin: string;
const call = async (token: string | undefined, method: string, path: string, body?: object) => {
  const answer = await fetch(`${fixture.server.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: body && JSON.stringify(body),
  });
  return (await answer.json()) as { token: string };
};
const row = (sentence: string) => open.page.getByRole('row').filter({ hasText: sentence });
const READS = 120; // more than a page

describe.skipIf(!CHROMIUM)('the access audit and the backups in a browser', () => {
  beforeAll(async () => {
    // A fixed port, so that the page finds the server again after a restart.
    fixture = await openBrowserFixture(async ({ env }) => {
      env.HELMDECK_ADDR = `127.0.0.1:${await freePort()}`;
    });
    admin = (await call(undefined, 'POST', '/auth/login', { username: 'admin', password: PASSWORD })).token;
    const scopes = ['memory:read', 'memory:write'];
    for (const subject of ['alice', 'bob']) {
      const { token } = await call(admin, 'POST', '/tokens', { subject, scopes });
      await call(token, 'POST', '/memory/store', { key: 'tea', value: 'no sugar' });
    }
    await Promise.all(Array.from({ length: READS }, () => call(admin, 'GET', '/memory/facts?caller=alice')));
    await call(admin, 'POST', '/memory/forget', { scope: 'key:tea', caller: 'bob' });
    open = await fixture.open('/health', { bypassCSP: true });
  });
  afterAll(() => fixture?.close());

  it('the Health page shows the latest of the audit in words, and links to all of it', async () => {
    const { page } = open;
    await row('admin forgot 1 entry of bob').waitFor();
    expect(await row('admin looked at alice’s memory').count()).toBe(1);
    await page.getByRole('link', { name: 'See all' }).click();
    await page.getByRole('heading', { name: 'Access audit' }).waitFor();
    await page.getByText('Chain verified').waitFor();
  });

  it('adjacent reads are one row that unfolds, also across pages', async () => {
    const { page } = open;
    const look = row('admin looked at alice’s memory');
    await look.waitFor();
    expect(await row('admin made a token for alice').count()).toBe(0);
    await page.getByRole('button', { name: 'Show older' }).click();
    await row('admin made a token for alice').waitFor();
    expect(await look.innerText()).toContain(`(${READS} reads)`);
    await look.locator('summary').click();
    expect(await look.getByText('/api/v1/memory/facts').count()).toBe(READS);
    expect(await look.locator('td').first().getAttribute('title')).toMatch(/\d\d:\d\d:\d\d/);
    expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
  });

  it('filters by name and action are kept in the URL and asked of the server', async () => {
    const { page } = open;
    await page.getByLabel('Whose').fill('bob');
    await page.getByLabel('Whose').press('Enter');
    await row('looked at alice').waitFor({ state: 'detached' });
    await row('admin made a token for bob').waitFor();
    await page.getByLabel('What', { exact: true }).selectOption('Forgot');
    await row('admin made a token for bob').waitFor({ state: 'detached' });
    await row('admin forgot 1 entry of bob').waitFor();
    expect(new URL(page.url()).search).toBe('?target=bob&action=forget');
    await page.reload();
    await row('admin forgot 1 entry of bob').waitFor();
    await page.getByLabel('Who', { exact: true }).fill('carol');
    await page.getByLabel('Who', { exact: true }).press('Enter');
    await page.getByText('No record fits these filters.').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row('looked at alice').waitFor();
    expect(await page.getByLabel('Whose').inputValue()).toBe('');
    expect(await violationsIn(page)).toEqual([]);
    expect(open.pageErrors).toEqual([]);
  });

  it('the palette opens the audit for an admin; others neither find it there nor see it', async () => {
    const { page } = open;
    await page.goto(`${fixture.server.url}/connect`);
    await page.getByRole('heading', { level: 1 }).waitFor(); // before, no key is bound
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Access audit' }).click();
    await row('looked at alice').waitFor();
    const context = await fixture.browser.newContext();
    await context.request.post(`${fixture.server.url}/api/v1/auth/session`, {
      headers: { origin: fixture.server.url, authorization: `Bearer ${signedToken('bob', 600)}` },
    });
    const his = await context.newPage();
    await his.goto(`${fixture.server.url}/audit`);
    await his.getByText('Only admins see the access audit.').waitFor();
    expect(await his.getByRole('table').count()).toBe(0);
    await his.keyboard.press('Control+k');
    await his.getByRole('option', { name: 'Health and privacy' }).waitFor();
    expect(await his.getByRole('option', { name: 'Access audit' }).count()).toBe(0);
    await context.close();
  });

  it('the Backups card warns without a schedule, and with one says where the newest is; a removed record breaks the chain', async () => {
    const { page } = open;
    await page.goto(`${fixture.server.url}/health`);
    const card = page.getByRole('region', { name: 'Backups' });
    await card.getByText('No scheduled backups.').waitFor();
    await card.getByText('Save the key file').waitFor();
    await card.getByRole('button', { name: 'I saved it elsewhere' }).click();
    await page.reload();
    await card.getByText(/^You said on .* that the key file is saved/).waitFor();
    expect(await card.getByText('Save the key file').count()).toBe(0);
    await card.getByRole('button', { name: 'Not any more' }).click();
    await card.getByText('Save the key file').waitFor();
    await fixture.server.stop();
    const { env, dir } = fixture.sandbox;
    const database = new DatabaseSync(env.HELMDECK_DB!);
    const { changes } = database
      .prepare(
        "DELETE FROM rows WHERE seq = (SELECT seq FROM rows WHERE kind = 'access' ORDER BY seq LIMIT 1 OFFSET 9)",
      )
      .run();
    database.close();
    expect(Number(changes)).toBe(1);
    env.HELMDECK_BACKUP_URL = join(dir, 'kept-elsewhere');
    fixture.server = await fixture.sandbox.serve('--init');
    await page.goto(`${fixture.server.url}/audit`);
    await page.getByText('The chain is broken.').waitFor();
    await page.goto(`${fixture.server.url}/health`);
    await card.getByText(env.HELMDECK_BACKUP_URL).waitFor();
    await card.getByText(/^just now, [\d.]+ kB/).waitFor();
    expect(await card.getByText('every day').count()).toBe(1);
    expect(await card.getByText('No scheduled backups.').count()).toBe(0);
  });
});
