import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
import { type BrowserFixture, CHROMIUM, openBrowserFixture } from './browser-fixture.ts';
import { storeSampleMemory } from './sample-memory.ts';

let fixture: BrowserFixture;

const FOUND = '/?q=deploy&key=konflux%2Fdeploy';
const MERGING = '/?key=konflux%2Fdeploy&mode=merge&with=konflux%2Fhotfix';
const ALL = [
  '/',
  FOUND,
  '/?mode=new',
  '/?mode=home',
  MERGING,
  '/?q=qwertzuiop',
  '/agents',
  '/connect',
  '/health',
];
/** Only the colours differ between the themes. */
const COLOURS = { paths: [FOUND, MERGING, '/connect', '/health'], rules: ['color-contrast'] };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.skipIf(!CHROMIUM)('accessibility of the UI', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await storeSampleMemory(fixture);
  });
  afterAll(() => fixture?.close());

  it.each([
    ['on a desktop, light', { colorScheme: 'light' }, { paths: ALL }],
    ['on a desktop, dark', { colorScheme: 'dark' }, COLOURS],
    ['on a phone, light', { ...PHONE, colorScheme: 'light' }, { paths: ALL }],
    ['on a phone, dark', { ...PHONE, colorScheme: 'dark' }, COLOURS],
  ] as const)('no page of the UI has accessibility violations %s', async (_name, look, check) => {
    const { paths, rules }: { paths: readonly string[]; rules?: string[] } = check;
    // Without motion: while colours fade in, their contrast is too low.
    const still = { ...look, reducedMotion: 'reduce', bypassCSP: true } as const;
    const { page, context, pageErrors } = await fixture.open('/', still);
    for (const path of paths) {
      await page.goto(fixture.server.url + path);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.waitForTimeout(250);
      expect(await page.locator('h1').count(), `headings of ${path}`).toBe(1);
      expect(await violationsIn(page, rules), path).toEqual([]);
      const { wide } = await page.evaluate<{ wide: boolean }>(
        '({ wide: document.documentElement.scrollWidth > innerWidth })',
      );
      expect(wide, `${path} is wider than the window`).toBe(false);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.waitForTimeout(250);
    expect(await violationsIn(page, rules), 'palette').toEqual([]);
    expect(pageErrors).toEqual([]);
    await context.clearCookies();
    await page.goto(fixture.server.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await violationsIn(page, rules), 'sign in').toEqual([]);
    await context.close();
  });
});
