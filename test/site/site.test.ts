import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../site/serve.ts';
import { violationsIn } from '../e2e-ui/accessibility.ts';
import { CHROMIUM } from '../e2e-ui/browser-fixture.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-site-'));

beforeAll(() => {
  const built = spawnSync(process.execPath, [join(ROOT, 'site/build.ts'), '--out', folder], {
    encoding: 'utf8',
  });
  expect(built.stderr).toBe('');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = () => globSync('**/*.html', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
const htmlOf = (path: string) => readFileSync(join(folder, path), 'utf8');
const idsOf = (path: string) => new Set([...htmlOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

it('every link, picture, style and script of the site leads to a file and an anchor of the site', () => {
  const ids = new Map(pages().map((path) => [path, idsOf(path)]));
  const files = new Set(globSync('**/*', { cwd: folder }).map((path) => path.replaceAll('\\', '/')));
  const broken = pages().flatMap((path) =>
    [...htmlOf(path).matchAll(/ (?:href|src)="([^"]+)"/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link))
      .filter((link) => {
        const [file, anchor] = link.split('#') as [string, string | undefined];
        const target = file === '' ? path : join(dirname(path), decodeURIComponent(file));
        return !files.has(target) || (anchor !== undefined && ids.get(target)?.has(anchor) === false);
      })
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it('every page of the documentation is in the navigation, decisions and the contents excepted', () => {
  const linked = new Set(
    [...htmlOf('contents.html').matchAll(/ href="([^"#]+)"/g)].map(([, link]) => link!.replace(/^\.\//, '')),
  );
  const missing = pages().filter(
    (path) => !linked.has(path) && !/^adr\/\d/.test(path) && path !== 'contents.html',
  );
  expect(missing).toEqual([]);
});

it('headings have the anchors that Git hosts give them', () => {
  expect(idsOf('howto/first-minute.html')).toContain('1-start');
  expect(idsOf('reference/cli.html')).toContain('where-commands-go');
});

it('the server of the site answers every path, and serves nothing outside its folder', async () => {
  const { url, server } = await serve(folder, 0);
  const statusOf = async (path: string) => (await fetch(url + path)).status;
  expect(await statusOf('/')).toBe(200);
  expect(await statusOf('%')).toBe(400);
  expect(await statusOf('..%2F..%2Fetc%2Fpasswd')).toBe(404);
  expect(await statusOf('howto/adapters.html')).toBe(200);
  server.close();
});

describe.skipIf(!CHROMIUM)('the site in a browser', () => {
  let browser: Browser;
  let site: { url: string; server: Server };
  beforeAll(async () => {
    site = await serve(folder, 0);
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    site?.server.close();
  });

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('requestfailed', (request) => problems.push(request.url()));
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url)) problems.push(`request to ${request.url()}`);
    });
    await page.goto(site.url + path);
    return { page, problems };
  }
  const widthBeyond = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  it.each([
    ['on a desktop, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['on a phone, dark', { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'dark' }],
  ] as const)('the landing page and a page of the documentation are clean %s', async (_, options) => {
    for (const path of ['', 'howto/first-minute.html']) {
      const { page, problems } = await open(path, options);
      expect(await violationsIn(page), path).toEqual([]);
      expect(await widthBeyond(page), path).toBe(0);
      expect(problems, path).toEqual([]);
      await page.close();
    }
  });

  it('search finds a section by its words with a typing error, and Enter opens it', async () => {
    const { page, problems } = await open('howto/vault.html');
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('rotate memroy key');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').first().innerText()).toContain('Rotate');
    expect(await violationsIn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/rotate-the-key\.html/);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('the picture of the recording shows every line at its end', async () => {
    const shown = async (path: string) => {
      const { page } = await open(path, { reducedMotion: 'no-preference' });
      const opacities = await page.evaluate<string[]>(
        "[...document.querySelectorAll('text')].map((line) => getComputedStyle(line).opacity)",
      );
      await page.close();
      return opacities.filter((opacity) => opacity === '1').length / opacities.length;
    };
    expect(await shown('recording.svg#end')).toBe(1);
    expect(await shown('recording.svg')).toBeLessThan(1);
  });

  it('the recording is there at once with reduced motion, and at its end on demand', async () => {
    const source = (page: Page) => page.evaluate<string>("document.querySelector('#recording').currentSrc");
    const still = await open('');
    await expect.poll(() => source(still.page)).toMatch(/recording\.svg#end$/);
    expect(await still.page.locator('[data-recording]').isVisible()).toBe(false);
    await still.page.close();
    const { page, problems } = await open('', { reducedMotion: 'no-preference' });
    expect(await source(page)).toMatch(/recording\.svg$/);
    await page.getByRole('button', { name: 'Show the end' }).click();
    await expect.poll(() => source(page)).toMatch(/recording\.svg\?end#end$/);
    await page.getByRole('button', { name: 'Play it again' }).click();
    await expect.poll(() => source(page)).toMatch(/recording\.svg\?\d+$/);
    expect(problems).toEqual([]);
    await page.close();
  });
});
