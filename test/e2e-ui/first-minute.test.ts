import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserFixture, CHROMIUM, openBrowserFixture, until } from './browser-fixture.ts';

let fixture: BrowserFixture;
const count = async () =>
  ((await (await fixture.api('GET', '/memory/facts')).json()) as { facts: object[] }).facts.length;

describe.skipIf(!CHROMIUM)('an empty memory', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());

  it('an example fills it, is said to be one and is removed as a whole, and the first own fact appears at once', async () => {
    const { page, pageErrors, context } = await fixture.open();
    const title = page.getByRole('heading', { name: 'Nothing remembered yet' });
    await title.waitFor();
    expect(await page.getByRole('complementary', { name: 'Since your last visit' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'fill with an example, remove it later' }).click();
    await page.getByRole('option').filter({ hasText: 'people/mara' }).waitFor();
    await page.getByText('These contradict each other').waitFor();
    await page.getByRole('button', { name: 'Remove the example' }).click();
    await title.waitFor();
    expect(await count()).toBe(0);

    await page.getByLabel('One thing worth remembering').fill('I deploy via Konflux');
    await page.getByRole('button', { name: 'Remember', exact: true }).click();
    await page.getByRole('option').filter({ hasText: 'notes/i-deploy-via-konflux' }).waitFor();
    await until(async () => (await count()) === 1);
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
