import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
import { type BrowserFixture, CHROMIUM, type OpenPage, openBrowserFixture } from './browser-fixture.ts';
import { overflowing } from './overflow.ts';

let fixture: BrowserFixture;
let admin: OpenPage;

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
/** Light and dark, wide and on a phone. */
async function assertAccessible(page: Page): Promise<void> {
  const size = page.viewportSize()!;
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await violationsIn(page), `${width} ${colorScheme}`).toEqual([]);
      expect(await overflowing(page), `${width} ${colorScheme}`).toEqual([]);
    }
  await page.setViewportSize(size);
}

describe.skipIf(!CHROMIUM)('spaces in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    admin = await fixture.open('/spaces', { bypassCSP: true, acceptDownloads: true });
  });
  afterAll(() => fixture?.close());

  it('an admin makes a space, gives access to a person and a group, changes a role and takes it back', async () => {
    const { page } = admin;
    await page.getByText('There is no space yet.').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Name', { exact: true }).fill('platform');
    await page.getByRole('button', { name: 'Make space' }).click();
    await page.getByRole('heading', { name: 'platform', level: 1 }).waitFor();
    expect(await page.getByLabel('Role of admin').inputValue()).toBe('owner');
    const give = async (name: string, role: string, until = '') => {
      await page.getByLabel('Username or group').fill(name);
      await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
      await page.getByLabel('Until').fill(until);
      await page.getByRole('button', { name: 'Give access' }).click();
      await row(page, name).waitFor();
    };
    await give('ada', 'reader');
    await give('group:platform', 'proposer', '2999-12-31');
    expect(await row(page, 'group:platform').textContent()).toContain('2999');
    await page.getByLabel('Role of ada').selectOption('writer');
    await expect
      .poll(
        async () =>
          (
            (await (await fixture.asPerson('GET', '/spaces/platform/grants')).json()) as {
              grants: { principal: string; role: string }[];
            }
          ).grants.find(({ principal }) => principal === 'ada')?.role,
      )
      .toBe('writer');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Take access from ada' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take access' }).click();
    await row(page, 'ada').waitFor({ state: 'detached' });
    await page.getByLabel('Facts at most').fill('500');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'What was done in it' }).click();
    await page.getByText('took access to the space platform from ada').waitFor();
    expect(admin.pageErrors).toEqual([]);
  });

  it('a refused name is explained, and the last owner cannot be taken out', async () => {
    const { page } = admin;
    await page.goto(`${fixture.server.url}/spaces?space=platform`);
    await page.getByLabel('Role of admin').selectOption('reader');
    await page.getByText('owner', { exact: false }).first().waitFor();
    await page.getByRole('alert').waitFor();
    await page.reload();
    expect(await page.getByLabel('Role of admin').inputValue()).toBe('owner');
    await page.goto(`${fixture.server.url}/spaces?space=nowhere`);
    await page.getByText('There is no such space, or you have no access to it.').waitFor();
    expect(admin.pageErrors.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  it('a fact is shared from its menu, and the space counts it', async () => {
    const { page } = admin;
    await fixture.api('POST', '/memory/store', {
      key: 'deploy/when',
      value: 'Deploys are on Mondays.',
    });
    await page.goto(`${fixture.server.url}/?key=deploy%2Fwhen`);
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Share in a space' }).click();
    await assertAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).click();
    await page.locator('.toast', { hasText: 'Shared in platform' }).waitFor();
    await page.goto(`${fixture.server.url}/spaces?space=platform`);
    await page.getByText('1 fact ·').first().waitFor();
  });

  it('its memory is shown under a banner with the names of writers, and a forget there leaves the own fact of the same key', async () => {
    const { page } = admin;
    await fixture.api('POST', '/memory/store', { key: 'tea/mine', value: 'Only in the own memory.' });
    await fixture.asPerson('POST', '/memory/store?space=platform', {
      key: 'deploy/how',
      value: 'Deploys go through the pipeline.',
    });
    await page.getByRole('link', { name: 'Open its memory' }).click();
    await page.getByText('You see the space platform.').waitFor();
    const rows = page.getByRole('listbox').getByRole('option');
    await rows.filter({ hasText: 'deploy/how' }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await rows.filter({ hasText: 'tea/mine' }).count()).toBe(0);
    await rows.filter({ hasText: 'deploy/when' }).click();
    const detail = page.getByRole('complementary', { name: 'deploy/when' });
    await detail.getByText('Deploys are on Mondays.').waitFor();
    await assertAccessible(page);
    // What writes to one's own memory is not offered, and the address alone does not open it either.
    expect(await detail.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.goto(`${fixture.server.url}/?space=platform&key=deploy%2Fwhen&mode=edit`);
    await detail.getByText('Deploys are on Mondays.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).count()).toBe(0);

    const forgotten = page.waitForRequest((request) => request.method() === 'DELETE');
    await detail.getByRole('button', { name: 'Forget in platform' }).click();
    await page.locator('.toast').filter({ hasText: 'deploy/when' }).waitFor();
    await page.getByRole('link', { name: 'Back to mine' }).click();
    await rows.filter({ hasText: 'tea/mine' }).waitFor();
    await rows.filter({ hasText: 'deploy/when' }).waitFor();
    expect((await forgotten).url()).toContain('space=platform');
    const status = async (query: string) =>
      (await fixture.asPerson('GET', `/memory/facts/deploy%2Fwhen${query}`)).status;
    await expect.poll(() => status('?space=platform'), { timeout: 30_000 }).toBe(404);
    expect(await status('')).toBe(200);
    expect(await rows.filter({ hasText: 'deploy/when' }).count()).toBe(1);
    // From one's own memory straight to that of a space, in which each fact says who wrote it.
    await page.getByLabel('Memory shown').selectOption('platform');
    await page.getByText('You see the space platform.').waitFor();
    await rows.filter({ hasText: /deploy\/how.*admin \(/s }).waitFor();
    await page.getByLabel('Memory shown').selectOption('My memory');
    await rows.filter({ hasText: 'tea/mine' }).waitFor();

    await page.goto(`${fixture.server.url}/spaces`);
    await page.getByRole('link', { name: 'Open its memory: platform' }).waitFor();
    await assertAccessible(page);
    await page.goto(`${fixture.server.url}/spaces?space=platform`);
    expect(admin.pageErrors).toEqual([]);
  });

  it('a reader of a space sees its facts and nothing that changes them', async () => {
    const { page } = admin;
    const person = fixture.asPerson;
    await person('POST', '/spaces', { slug: 'library' });
    await person('POST', '/memory/store?space=library', { key: 'book/one', value: 'On the first shelf.' });
    await person('PUT', '/spaces/library/grants/ada', { role: 'owner' });
    expect((await person('PUT', '/spaces/library/grants/admin', { role: 'reader' })).status).toBe(200);
    await page.goto(`${fixture.server.url}/?space=library&key=book%2Fone`);
    const detail = page.getByRole('complementary', { name: 'book/one' });
    await detail.getByText('On the first shelf.').waitFor();
    await admin.quiet();
    for (const name of [/Forget/, /Edit/, /Renew/])
      expect(await page.getByRole('button', { name }).count(), `${name}`).toBe(0);
    expect((await person('DELETE', '/spaces/library')).status).toBe(200);
    await page.goto(`${fixture.server.url}/spaces?space=platform`);
    expect(admin.pageErrors).toEqual([]);
  });

  it('a writer decides on the page of a space about what was proposed to it', async () => {
    const { page } = admin;
    const propose = (key: string, value: string) =>
      fixture.asPerson('POST', '/memory/store?space=platform', { key, value, propose: true });
    await fixture.asPerson('POST', '/memory/store?space=platform', {
      key: 'tea/when',
      value: 'Tea is at four.',
    });
    await propose('tea/where', 'Tea is <b>in the kitchen</b>.');
    await propose('tea/when', 'Tea is at five.');
    await page.goto(`${fixture.server.url}/spaces?space=platform`);
    const inbox = page.getByRole('region', { name: 'Waits for a writer' });
    await inbox.getByText('Tea is <b>in the kitchen</b>.').waitFor();
    await inbox.getByText('proposed by admin').first().waitFor();
    await assertAccessible(page);
    await inbox.getByRole('button', { name: 'Accept tea/where' }).click();
    await inbox.getByText('Tea is <b>in the kitchen</b>.').waitFor({ state: 'detached' });
    await inbox.getByRole('button', { name: 'Reject tea/when' }).click();
    await inbox.waitFor({ state: 'detached' });
    const storedValue = async (key: string) => {
      const path = `/memory/facts/${encodeURIComponent(key)}?space=platform`;
      return ((await (await fixture.asPerson('GET', path)).json()) as { value?: string }).value;
    };
    expect(await storedValue('tea/where')).toBe('Tea is <b>in the kitchen</b>.');
    expect(await storedValue('tea/when')).toBe('Tea is at four.');
    expect(admin.pageErrors).toEqual([]);
  });

  it('an erase asks for the name, saves a receipt and leaves no space', async () => {
    const { page } = admin;
    await page.getByText('Erase this space').click();
    const erase = page.getByRole('button', { name: 'Erase space' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('To confirm, type').fill('platform');
    await assertAccessible(page);
    const receipt = page.waitForEvent('download');
    await erase.click();
    expect((await receipt).suggestedFilename()).toMatch(/^helmdeck-receipt-.*\.json$/);
    await page.getByText('The space platform was erased.').waitFor();
    await page.getByText('There is no space yet.').waitFor();
    expect(admin.pageErrors).toEqual([]);
  });
});
