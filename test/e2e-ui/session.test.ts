import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  PASSWORD,
  signedToken,
  until,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: Omit<OpenPage, 'quiet'> | undefined;
const row = (page: Page, key: string) => page.getByRole('option').filter({ hasText: key });
const stranger = async () => {
  const context = await fixture.browser.newContext();
  const page = await context.newPage();
  open = { context, page, pageErrors: [] };
  await page.goto(fixture.server.url);
  return page;
};
const withToken = async (page: Page, token: string) => {
  const field = page.getByLabel('Token', { exact: true });
  // After signing out the sign-in page is mounted again when the request ends, and forgets a click before that.
  await until(async () => {
    await page.getByRole('button', { name: 'Token', exact: true }).click();
    return field.isVisible();
  });
  await field.fill(token);
  await page.keyboard.press('Enter');
};

describe.skipIf(!CHROMIUM)('who is signed in', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await fixture.api('POST', '/memory/store', { key: 'konflux/deploy', value: 'always via Konflux' });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('a user signs in with the password and with a token, and scripts can read neither afterwards', async () => {
    const page = await stranger();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Wrong username or password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await row(page, 'konflux/deploy').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await withToken(page, fixture.token);
    await row(page, 'konflux/deploy').waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
    );
    expect(kept).not.toContain(fixture.token.slice(0, 20));
    expect(kept).not.toContain(PASSWORD);
    const cookies = await open!.context.cookies(`${fixture.server.url}/api/v1/x`);
    expect(cookies).toMatchObject([{ name: 'helmdeck_session', httpOnly: true, sameSite: 'Strict' }]);
  });

  it('when a token expires, the sign-in page opens at the same URL, and rejects an expired token', async () => {
    const page = await stranger();
    await withToken(page, signedToken('admin', 600));
    await row(page, 'konflux/deploy').click();
    await page.getByRole('heading', { name: 'konflux/deploy' }).waitFor();
    const address = page.url();
    // As the cookie is once its token has expired.
    const [cookie] = await open!.context.cookies();
    expect(cookie!.value).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await open!.context.addCookies([{ ...cookie!, value: signedToken('admin', -10) }]);
    await page.getByLabel('Search memory').fill('konflux');
    await page.getByText('Your session has ended').waitFor();
    await withToken(page, signedToken('admin', -10));
    await page.getByRole('alert').getByText('expired or was revoked').waitFor();
    await page.goto(address);
    await withToken(page, fixture.token);
    await page.getByRole('heading', { name: 'konflux/deploy' }).waitFor();
  });

  it('signing out sends a pending forget', async () => {
    await fixture.api('POST', '/memory/store', { key: 'test/last-wish', value: 'forget me' });
    open = await fixture.open('/?key=test%2Flast-wish');
    const { page } = open;
    await page.getByRole('button', { name: /^Forget/ }).click();
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await fixture.api('GET', '/memory/facts/test%2Flast-wish')).status).toBe(404);
  });
});
