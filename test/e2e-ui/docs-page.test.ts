import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { type BrowserFixture, CHROMIUM, openBrowserFixture } from './browser-fixture.ts';

let fixture: BrowserFixture;

describe.skipIf(!CHROMIUM)('the API documentation page', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());

  it('the API documentation page lists every route, and fills in an example body from the schemas it refers to', async () => {
    const { page, context, pageErrors } = await fixture.open('/docs');
    await page.locator('#post_memory_store').waitFor();
    expect(await page.locator('details').count()).toBe(ROUTES.length);
    await page.locator('#post_memory_store summary').click();
    const body = await page.locator('#post_memory_store textarea').inputValue();
    expect(JSON.parse(body)).toEqual({ key: 'text', value: 'text' });
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
