import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserFixture, CHROMIUM, openBrowserFixture } from './browser-fixture.ts';
import { storeSampleMemory } from './sample-memory.ts';

const ROUTER = readFileSync(resolve(import.meta.dirname, '../../ui/src/router.tsx'), 'utf8');
/** Every page of the UI, as its router has it, then states of them that load more, then the API documentation. */
const PATHS = [
  ...[...ROUTER.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!),
  '/?q=deploy&key=konflux%2Fdeploy',
  '/?mode=new',
  '/packs?pack=helmdeck.memory_recall',
  '/no-such-page',
  '/docs',
  '/docs#searchFacts',
];
const LOOKS = {
  'in a wide window': { viewport: { width: 1440, height: 900 } },
  'on a phone': { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
let fixture: BrowserFixture;

/** Adds requests that fail to the problems of a page, whether or not the page logs them. */
function watchRequests(page: Page, problems: string[]): void {
  page.on('requestfailed', (request) => {
    // The UI aborts a request whose response it no longer needs.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      problems.push(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.url()} returned ${response.status()}`);
  });
}

describe.skipIf(!CHROMIUM)('the pages that the server has', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await storeSampleMemory(fixture);
  });
  afterAll(() => fixture?.close());

  it('the list of pages has those of the router', () => {
    expect(PATHS).toEqual(expect.arrayContaining(['/', '/routing', '/packs', '/connect', '/health']));
  });

  it.each(Object.entries(LOOKS))(
    'every page opens %s without a console error, a failed request or a sideways scroll',
    async (_name, look) => {
      const { page, context, pageErrors, quiet } = await fixture.open('/docs', look);
      watchRequests(page, pageErrors);
      for (const path of PATHS) {
        await page.goto('about:blank'); // a change of the hash alone would not load the page
        await page.goto(fixture.server.url + path);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await quiet();
        expect(pageErrors, path).toEqual([]);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, `${path} is wider than the window`).toBeLessThanOrEqual(0);
      }
      await context.close();
    },
  );
});
