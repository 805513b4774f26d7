import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserFixture, CHROMIUM, openBrowserFixture, until } from './browser-fixture.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const KEY = 'notes/i-deploy-via-konflux';

let fixture: BrowserFixture;
/** Asks as the person: a call of an agent would be the first step. */
const count = async () =>
  ((await (await fixture.asPerson('GET', '/memory/facts')).json()) as { facts: object[] }).facts.length;
const title = (page: Page) => page.getByRole('heading', { name: 'Nothing remembered yet' });
const row = (page: Page, key: string) => page.getByRole('option').filter({ hasText: key });
const steps = (page: Page) => page.getByRole('region', { name: 'First steps' });
const ticks = (page: Page) => steps(page).getByRole('listitem').filter({ hasText: '(done)' });
const remember = async (page: Page, text: string) => {
  await page.getByLabel('One thing worth remembering').fill(text);
  await page.getByRole('button', { name: 'Remember', exact: true }).click();
};

describe.skipIf(!CHROMIUM)('an empty memory', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());

  it('on a phone the steps stay in one line above the first fact until they are closed', async () => {
    const { page, pageErrors, context } = await fixture.open('/', PHONE);
    await remember(page, 'I deploy via Konflux');
    await row(page, KEY).waitFor();
    await steps(page).getByText('2 of 3 done. Next: Connect an agent').waitFor();
    const { height } = (await steps(page).boundingBox())!;
    expect(height).toBeLessThan(50);
    await page.reload();
    await steps(page).getByRole('button', { name: 'Close the first steps' }).click();
    await steps(page).waitFor({ state: 'detached' });
    await page.reload();
    await row(page, KEY).waitFor();
    expect(await steps(page).count()).toBe(0);
    await fixture.asPerson('DELETE', `/memory/facts/${encodeURIComponent(KEY)}`);
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('an example fills it, is said to be one, and is removed as a whole or undone', async () => {
    const { page, pageErrors, context } = await fixture.open();
    await title(page).waitFor();
    expect(await page.getByRole('complementary', { name: 'Since your last visit' }).isVisible()).toBe(false);
    const fill = page.getByRole('button', { name: 'fill with an example, remove it later' });
    await fill.click();
    await row(page, 'people/mara').waitFor();
    await page.getByText('These contradict each other').waitFor();
    await steps(page).waitFor();
    expect(await ticks(page).count(), 'nobody told it anything yet').toBe(0);
    await page.getByRole('button', { name: 'Remove the example' }).click();
    await title(page).waitFor();
    expect(await count()).toBe(0);
    await fill.click();
    await page.locator('.toast', { hasText: 'Filled with' }).getByRole('button', { name: /^Undo/ }).click();
    await title(page).waitFor();
    await until(async () => (await count()) === 0);
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  it('the steps are ticked as they happen, over the facts too, and nothing typed is lost', async () => {
    const { page, pageErrors, context } = await fixture.open();
    await title(page).waitFor();
    expect(await page.locator('.first-step.done').count()).toBe(0);
    await page.getByLabel('One thing worth remembering').fill('I deploy via');
    await page.reload();
    const field = page.getByLabel('One thing worth remembering');
    await until(async () => (await field.inputValue()) === 'I deploy via');
    await remember(page, 'I deploy via Konflux');
    await row(page, KEY).waitFor();
    await page.locator('.facts:focus').waitFor();
    await until(async () => (await ticks(page).count()) === 2);
    await page.locator('.toast', { hasText: 'Stored' }).getByRole('button', { name: /^Undo/ }).click();
    await title(page).waitFor();
    expect(await field.inputValue()).toBe('I deploy via Konflux');
    expect(await count()).toBe(0);

    // An agent connects while the page is open, and is told something.
    await fixture.api('GET', '/memory/facts');
    await page.locator('.first-step.done', { hasText: 'Connect an agent' }).waitFor();
    await fixture.api('POST', '/memory/store', { key: 'told/first', value: 'I deploy on Tuesdays' });
    await row(page, 'told/first').waitFor();
    await until(async () => (await ticks(page).count()) === 3);
    await page.reload();
    await row(page, 'told/first').waitFor();
    expect(await steps(page).count(), 'all are done').toBe(0);
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
