import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { violationsIn } from './accessibility.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: OpenPage;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Opens the page with one operation unfolded. */
async function openOperation(operationId: string, options = {}) {
  open = await fixture.open(`/docs#${operationId}`, options);
  const operation = open.page.locator(`#${operationId}`);
  await operation.getByRole('button', { name: 'Send' }).waitFor();
  return operation;
}

describe.skipIf(!CHROMIUM)('the API documentation page', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());
  afterEach(() => open.context.close());

  it('the API documentation page shows every operation with its responses and a form to try it', async () => {
    open = await fixture.open('/docs');
    const { page, pageErrors } = open;
    await page.locator('#storeFact').waitFor();
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    await until(async () => (await page.locator('.operation form').count()) === ROUTES.length);
    for (const { operationId, path, response, event } of ROUTES) {
      const operation = page.locator(`#${operationId}`);
      const text = await operation.innerText();
      expect(text, operationId).toContain(path);
      expect(text, operationId).toMatch(/Response 20[012] \(.+\)/);
      expect(text, operationId).toContain('internal: Look for the request id');
      if (response ?? event)
        expect(await operation.locator('.reference pre').last().innerText()).toMatch(/[{[]/);
    }
    expect(pageErrors).toEqual([]);
  });

  it('a signed-in user stores a fact from the API documentation page with the example body', async () => {
    const operation = await openOperation('storeFact');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(/^200 OK · etag: "1"/).waitFor();
    expect(await operation.locator('form pre').innerText()).toContain('"key": "deploy/konflux"');
    expect(open.pageErrors).toEqual([]);
  });

  it('a user who is not signed in sends a request from the API documentation page with a token', async () => {
    await fixture.api('POST', '/memory/store', { key: 'a/b c', value: 'with a slash and a space' });
    const operation = await openOperation('getFact');
    await open.context.clearCookies();
    await open.page.getByLabel('Token').fill(fixture.token);
    await operation.getByLabel('key (required)').fill('a/b c');
    await operation.getByLabel('version').fill('1');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(/^200 OK/).waitFor();
    expect(await operation.locator('form pre').innerText()).toContain('with a slash and a space');
    expect(open.pageErrors).toEqual([]);
  });

  it('the API documentation page shows events while they arrive, until the user stops the stream', async () => {
    const operation = await openOperation('streamMemoryEvents');
    await open.page.getByLabel('Token').fill(fixture.token);
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(/^200 OK/).waitFor();
    await fixture.api('POST', '/memory/store', { key: 'seen/live', value: 'x' });
    await operation.locator('form pre').getByText('"key":"seen/live"').waitFor();
    await operation.getByRole('button', { name: 'Stop' }).click();
    await operation.getByText(/· stopped$/).waitFor();
    expect(await operation.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(open.pageErrors).toEqual([]);
  });

  it('the filter of the API documentation page keeps the operations that have every word', async () => {
    open = await fixture.open('/docs');
    const { page } = open;
    await page.locator('#storeFact').waitFor();
    await page.getByLabel('Find').fill('pipeline stop');
    const shown = page.locator('.operation:visible');
    expect(await shown.evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'cancelRunOfPipeline',
      'cancelPipelineRun',
    ]);
  });

  it.each([
    ['in a wide window, light', { colorScheme: 'light' }],
    ['in a wide window, dark', { colorScheme: 'dark' }],
    ['on a phone, light', { ...PHONE, colorScheme: 'light' }],
    ['on a phone, dark', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('the API documentation page has no accessibility violations %s', async (_name, look) => {
    const operation = await openOperation('storeFact', { ...look, bypassCSP: true });
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(/^200 OK/).waitFor();
    expect(await violationsIn(open.page)).toEqual([]);
    const overflow = await open.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
