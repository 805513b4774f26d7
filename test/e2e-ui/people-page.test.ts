import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcProvider, oidcProvider } from '../support/oidc-provider.ts';
import { freePort } from '../support/services/free-port.ts';
import { violationsIn } from './accessibility.ts';
import { type BrowserFixture, CHROMIUM, type OpenPage, openBrowserFixture } from './browser-fixture.ts';
import { overflowing } from './overflow.ts';

const PASSWORD = 'a long enough password';
let fixture: BrowserFixture;
let provider: OidcProvider;
let admin: OpenPage;

/** A page of a person who is not signed in. */
async function stranger(path: string): Promise<Page> {
  const context = await fixture.browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(path.startsWith('http') ? path : fixture.server.url + path);
  return page;
}
const row = (name: string) => admin.page.getByRole('row').filter({ hasText: name });
const choose = async (name: string, action: string) => {
  await admin.page.getByRole('button', { name: `Actions for ${name}` }).click();
  await admin.page.getByRole('menuitem', { name: action, exact: true }).click();
};
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
async function invite(name: string): Promise<string> {
  const { page } = admin;
  await page.getByLabel('Username').fill(name);
  await page.getByRole('button', { name: 'Make invitation link' }).click();
  return page.getByLabel(`Invitation link for ${name}`).inputValue();
}
async function setPassword(page: Page): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

describe.skipIf(!CHROMIUM)('people in a browser', () => {
  beforeAll(async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    fixture = await openBrowserFixture(async ({ env, dir }) => {
      provider = await oidcProvider(dir, `${url}/api/v1/auth/oidc/callback`);
      provider.setPeople({ ada: { name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true } });
      await provider.start();
      env.HELMDECK_ADDR = new URL(url).host;
      env.HELMDECK_PUBLIC_URL = url;
      env.HELMDECK_OIDC_ISSUER = provider.issuer;
      env.HELMDECK_OIDC_CLIENT_ID = 'helmdeck';
      env.HELMDECK_OIDC_CLIENT_SECRET = 'a secret of the client';
      env.HELMDECK_OIDC_ALLOW = '@example.org';
    });
    admin = await fixture.open('/people', { bypassCSP: true, acceptDownloads: true });
  });
  afterAll(async () => {
    await fixture?.close();
    await provider?.stop();
  });

  it('a person who is invited sets a password with the link, sees no People page, and changes the password', async () => {
    const link = await invite('grace');
    await row('grace').getByText('invited').waitFor();
    await assertAccessible(admin.page);
    const page = await stranger(link);
    await page.getByText('Your username is grace').waitFor();
    await assertAccessible(page);
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password again').fill('something else entirely');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByText('The two new passwords differ.').waitFor();
    await setPassword(page);
    expect(page.url()).toBe(`${fixture.server.url}/`);
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
    await page.goto(`${fixture.server.url}/people`);
    await page.getByText('Only admins see the people').waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).click();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password', { exact: true }).fill('another long password');
    await page.getByLabel('New password again').fill('another long password');
    const change = page.getByRole('dialog').getByRole('button', { name: 'Change password' });
    await change.click();
    await page.getByText('The current password is wrong.').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Current password').fill(PASSWORD);
    await change.click();
    await page.getByRole('dialog').getByText('Password changed.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(link);
    await page.getByText('was used already').waitFor();
    await page.context().close();
  });

  it('an admin changes the role, sets quotas, disables, resets and removes, each after a question that says what ends', async () => {
    const { page } = admin;
    await choose('grace', 'Make admin');
    await page.getByRole('dialog').getByRole('button', { name: 'Make admin' }).click();
    await row('grace').getByText('Admin', { exact: true }).waitFor();
    await choose('grace', 'Set quotas');
    await page.getByLabel('Facts at most').fill('500');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await row('grace').getByText('of 500').waitFor();
    await choose('grace', 'Disable');
    await assertAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row('grace').getByText('disabled').waitFor();
    await choose('grace', 'Enable');
    await row('grace').getByText('disabled').waitFor({ state: 'detached' });
    await choose('grace', 'New password link');
    await page.getByRole('dialog').getByRole('button', { name: 'New password link' }).click();
    await page.getByLabel('Invitation link for grace').waitFor();
    await choose('grace', 'Remove');
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove and erase' });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel('To confirm, type').fill('grace');
    const receipt = page.waitForEvent('download');
    await remove.click();
    expect((await receipt).suggestedFilename()).toMatch(/^helmdeck-receipt-.*\.json$/);
    await page.getByText('grace was removed.').waitFor();
    expect(await row('grace').count()).toBe(0);
    expect(admin.pageErrors).toEqual([]);
  });

  it('on a phone the actions of the last person are above the navigation, not behind it', async () => {
    await invite('hedy');
    await admin.page.setViewportSize({ width: 390, height: 844 });
    const button = admin.page.getByRole('button', { name: 'Actions for hedy' });
    const { y, height } = (await button.boundingBox())!;
    await admin.page.setViewportSize({ width: 390, height: Math.ceil(y + height) + 62 });
    await choose('hedy', 'Remove');
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await admin.page.setViewportSize({ width: 1440, height: 900 });
  });

  it('a person signs in with the identity provider, comes back to the page they wanted, and is listed', async () => {
    const page = await stranger('/health');
    const button = page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` });
    await button.waitFor();
    await assertAccessible(page);
    await button.click();
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Health and privacy' }).waitFor();
    expect(page.url()).toBe(`${fixture.server.url}/health`);
    await admin.page.reload();
    await row('Ada Lovelace').getByText(new URL(provider.issuer).host).waitFor();
    await admin.page.goto(`${fixture.server.url}/connect`);
    await admin.page.getByText(`${provider.issuer}#ada`).waitFor();
    expect(await overflowing(admin.page)).toEqual([]);
    await admin.page.goto(`${fixture.server.url}/people`);
    await page.goto(`${fixture.server.url}/connect`);
    await page.getByText('Browser sessions (1) · this one').waitFor();
    expect(await page.getByText(`${provider.issuer}#ada`).isVisible(), 'as a token of somebody else').toBe(
      false,
    );
    await choose('ada', 'Make admin');
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Make admin' }).click();
    await row('Ada Lovelace').getByText('Admin', { exact: true }).waitFor();
    await page.goto(`${fixture.server.url}/people`);
    await button.click(); // the provider still knows her
    const own = page.getByRole('row').filter({ hasText: 'Ada Lovelace' });
    await own.getByText('you', { exact: true }).waitFor();
    await page.goto(`${fixture.server.url}/?sign_in=not_allowed`);
    await page.context().close();
    const refused = await stranger('/?sign_in=not_allowed');
    await refused.getByText('you may not use this server').waitFor();
    await refused.context().close();
  });
});
