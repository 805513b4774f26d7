import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserPlace, CHROMIUM, type OpenPage, openBrowserPlace, PASSWORD } from './browser-place.ts';

let here: BrowserPlace;
let open: OpenPage | undefined;
const visit = async (path: string) => {
  open = await here.open(path);
  open.page.setDefaultTimeout(8_000);
  return open.page;
};
const asAdmin = async (method: string, path: string, body: object, token?: string) => {
  const answer = await fetch(`${here.server.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { token: string };
};

// Why these are skipped without a Chromium is said in memory-page.test.ts.
describe.skipIf(!CHROMIUM)('health, privacy and tokens in a browser', () => {
  beforeAll(async () => {
    here = await openBrowserPlace();
    for (const n of [1, 2, 3])
      await here.api('POST', '/memory/store', { key: `kept/${n}`, value: `value ${n}` });
  });
  afterAll(() => here?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('mints a token, shows its light when it is used, and revokes it', async () => {
    const page = await visit('/connect');
    await page.getByLabel('Name').fill('laptop-7');
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByText('Waiting for its first call').waitFor();
    await open!.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy token' }).click();
    const token = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(await page.locator('main').textContent()).not.toContain(token);
    const use = () =>
      fetch(`${here.server.url}/api/v1/memory/facts`, { headers: { authorization: `Bearer ${token}` } });
    expect((await use()).status).toBe(200);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revoke laptop-7' }).click();
    await page.getByRole('button', { name: 'Revoke laptop-7' }).waitFor({ state: 'detached' });
    expect((await use()).status).toBe(401);
    expect(open!.complaints).toEqual([]);
  });

  it('lets an admin look at the memory of somebody else, under a banner, and only forget there', async () => {
    const { token: admin } = await asAdmin('POST', '/auth/login', { username: 'admin', password: PASSWORD });
    const ada = await asAdmin('POST', '/tokens', { subject: 'ada', scopes: ['memory:write'] }, admin);
    await asAdmin('POST', '/memory/store', { key: 'ada/one', value: 'hers' }, ada.token);
    const page = await visit('/health');
    await page.getByRole('link', { name: 'Look' }).click();
    await page.getByText('You are looking at the memory of ada.').waitFor();
    await page.getByRole('option').filter({ hasText: 'ada/one' }).click();
    await page.getByRole('button', { name: 'Forget for ada' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Edit|Renew|New fact)/ }).count()).toBe(0);
  });

  it('says that the server is down, and goes on when it is back', async () => {
    const page = await visit('/');
    await page.getByRole('option').filter({ hasText: 'kept/1' }).waitFor();
    here.place.env.HELMDECK_ADDR = new URL(here.server.url).host;
    await here.server.stop();
    await page.getByLabel('Search memory').fill('value');
    await page.getByText('The server is not answering.').first().waitFor();
    here.server = await here.place.serve('--init');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.locator('mark').first().waitFor();
    expect(await page.getByText('The server is not answering.').count()).toBe(0);
  });

  it('exports, erases with a receipt, and takes the export in again after a preview', async () => {
    const page = await visit('/health');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    const file = await download.path();
    await page.getByLabel('Type this to go on').fill('erase everybody');
    expect(await page.getByRole('button', { name: /^Erase and/ }).isDisabled()).toBe(true);
    await page.getByLabel('Type this to go on').fill('erase admin');
    await page.getByRole('button', { name: /^Erase and/ }).click();
    await page.getByRole('region', { name: 'Receipt' }).getByText('signature').waitFor();
    await page.getByLabel('Choose an export file').setInputFiles(file);
    await page.getByRole('button', { name: 'Import 3 facts' }).click();
    await page.getByText('3 stored').waitFor();
    const { facts } = (await (await here.api('GET', '/memory/facts')).json()) as { facts: unknown[] };
    expect(facts).toHaveLength(3);
  });
});
