import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LOGS = 400;

const visit = async (path = '/', options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const rows = (page: Page) => page.getByRole('listbox').getByRole('option');
const row = (page: Page, key: string) => rows(page).filter({ hasText: key });
const stored = async (query: string) => {
  const answer = await fixture.api('GET', `/memory/facts?limit=200&${query}`);
  return ((await answer.json()) as { facts: { key: string }[] }).facts.map(({ key }) => key);
};

/** The key of the first row that is wholly visible. */
const topKey = (page: Page) =>
  page.evaluate<string | undefined>(`(() => {
    const topOf = (element) => element.getBoundingClientRect().top;
    const list = document.querySelector('[role=listbox]');
    const visible = [...list.querySelectorAll('.fact')].filter((fact) => topOf(fact) >= topOf(list));
    return visible.sort((a, b) => topOf(a) - topOf(b))[0]?.querySelector('.key')?.textContent;
  })()`);

/** Stores facts in order, the last one newest. */
async function store(facts: readonly { key: string; value: string; [field: string]: unknown }[]) {
  const answer = await fixture.api('POST', '/memory/store/batch', { facts });
  const { results } = (await answer.json()) as { results: { error?: string }[] };
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
}

describe.skipIf(!CHROMIUM)('the list of the Memory page in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    const logs = Array.from({ length: LOGS }, (_, at) => ({
      key: `log/${String(at).padStart(3, '0')}`,
      value: `Entry ${at} of the long log`,
      category: 'log',
    }));
    await store(logs);
    await store([
      {
        key: 'team/deploy/eu',
        value: 'Deploys to Frankfurt at night',
        category: 'deploys',
        tags: ['eu', 'night'],
      },
      { key: 'team/deploy/us', value: 'Deploys to Ohio at noon', category: 'deploys', tags: ['us', 'noon'] },
      { key: 'team/lunch', value: 'Lunch in Frankfurt at noon', category: 'team', tags: ['eu', 'noon'] },
    ]);
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('the list on a phone draws only the visible rows and loads one page', async () => {
    const page = await visit('/', PHONE);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await rows(page).first().waitFor();
    // Long enough for a list without an end to load further pages.
    await page.waitForTimeout(1_000);
    expect(await rows(page).count()).toBeLessThanOrEqual(40);
    expect(requests.filter((url) => url.includes('cursor='))).toEqual([]);
    await page.locator('.facts').evaluate((list) => {
      list.scrollTop = 4_000;
    });
    await row(page, 'log/361').waitFor();
    expect(await rows(page).count()).toBeLessThanOrEqual(40);
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  });

  it('a held Backspace or Delete key forgets one fact', async () => {
    await store(['a', 'b', 'c', 'd', 'e'].map((name) => ({ key: `held/${name}`, value: name })));
    const page = await visit('/?prefix=held%2F&key=held%2Fc');
    await page.getByRole('heading', { name: 'held/c' }).waitFor();
    await until(async () => (await rows(page).count()) === 5);
    for (const key of ['Backspace', 'Delete']) {
      const before = await rows(page).count();
      for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down(key);
      await page.keyboard.up(key);
      await until(async () => (await rows(page).count()) < before);
      await page.waitForTimeout(200);
      expect(await rows(page).count()).toBe(before - 1);
    }
    // A held arrow key still moves on.
    await row(page, 'held/e').click();
    for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down('j');
    await page.getByRole('heading', { name: 'held/a' }).waitFor();
  });

  it('the summary and the counts of the filters follow every filter and the search', async () => {
    const page = await visit('/?prefix=team%2F');
    const facet = (name: string) => page.getByRole('region', { name, exact: true });
    const choice = (name: string, value: string) =>
      facet(name).getByRole('button', { name: new RegExp(`^#?${value} ?[\\d,]+$`) });
    const count = async (name: string, value: string) =>
      (await choice(name, value).locator('.n').textContent()) ?? '';
    const summary = page.locator('.searchbar .num');
    const all = ((await (await fixture.api('GET', '/memory/facets')).json()) as { total: number }).total;
    await until(async () => (await summary.textContent()) === `3 of ${all}`);
    expect(await count('Category', 'deploys')).toBe('2');
    expect(await count('Category', 'log')).toBe('0');
    expect(await choice('Category', 'log').isDisabled()).toBe(true);
    expect(await count('Tag', 'noon')).toBe('2');
    await choice('Category', 'deploys').click();
    await until(async () => (await summary.textContent()) === `2 of ${all}`);
    // Another category can still be chosen instead; the tags are those of the listed facts.
    await until(async () => (await count('Tag', 'noon')) === '1');
    expect(await count('Category', 'team')).toBe('1');
    expect(await count('Keys', 'team/')).toBe('2');
    await choice('Tag', 'noon').click();
    await until(async () => (await rows(page).count()) === 1);
    await until(async () => (await count('Tag', 'eu')) === '0');
    await page.getByRole('button', { name: 'Remove filter deploys' }).click();
    await choice('Tag', 'eu').click();
    await row(page, 'team/lunch').waitFor();
    await until(async () => (await summary.textContent()) === `1 of ${all}`);
    // Several tags at once survive a reload.
    await page.reload();
    await row(page, 'team/lunch').waitFor();
    expect(await rows(page).count()).toBe(1);

    await page.goto(`${fixture.server.url}/?q=deploys`);
    await row(page, 'team/deploy/eu').waitFor();
    await until(async () => (await count('Category', 'deploys')) === '2');
    expect(await count('Category', 'team')).toBe('0');
    expect(await summary.textContent()).toMatch(new RegExp(`^2 of ${all} in \\d+ ms$`));
    expect(open!.pageErrors).toEqual([]);
  });

  it('facts that agents store while the list is scrolled wait behind a button and do not move the rows', async () => {
    const page = await visit();
    await page.getByText('Live', { exact: true }).waitFor();
    const list = page.getByRole('listbox');
    await list.evaluate((element) => element.scrollTo({ top: 1_500 }));
    await until(async () => (await topKey(page)) !== undefined);
    await page.waitForTimeout(200);
    const before = await topKey(page);
    const keys = ['new/a', 'new/b', 'new/c'];
    await store(keys.map((key) => ({ key, value: 'stored by an agent', ttl_seconds: 7_200 })));
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await topKey(page)).toBe(before);
    await page.getByRole('button', { name: '3 new' }).click();
    await row(page, 'new/c').waitFor();
    expect(await page.getByRole('button', { name: '3 new' }).count()).toBe(0);
    // At the top they come in at once.
    await store([{ key: 'new/d', value: 'stored by an agent', ttl_seconds: 7_200 }]);
    await row(page, 'new/d').waitFor();
    // A hidden tab leaves the few connections that a browser has to the others, and catches up when it is shown.
    const turn = (state: 'hidden' | 'visible') =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await turn('hidden');
    await page.getByText('Not live', { exact: true }).waitFor();
    await store([{ key: 'new/e', value: 'stored by an agent', ttl_seconds: 7_200 }]);
    await turn('visible');
    await row(page, 'new/e').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('an open fact that is not in the list can be shown in it, and J goes on from its place', async () => {
    const page = await visit('/?key=log%2F000&sort=key&category=log');
    await page.getByRole('heading', { name: 'log/000' }).waitFor();
    await row(page, 'log/000').waitFor();
    expect(await page.getByText('is not in this list').count()).toBe(0);
    await page.goto(`${fixture.server.url}/?key=log%2F000`);
    await page.getByText('log/000 is not in this list.').waitFor();
    await page.keyboard.press('j');
    // The oldest fact comes after every row that is loaded.
    const last = (await stored('limit=100')).at(99)!;
    await page.getByRole('heading', { name: last }).waitFor();
    await page.goto(`${fixture.server.url}/?key=log%2F000&category=team`);
    await page.getByRole('button', { name: 'Show it' }).click();
    await row(page, 'log/000').waitFor();
    expect(await rows(page).count()).toBe(1);
  });

  it('the edges of selected rows are whole, and the logo keeps its size on a tablet', async () => {
    const page = await visit('/?prefix=team%2F', { viewport: { width: 820, height: 1180 } });
    await row(page, 'team/lunch').click({ modifiers: ['Control'] });
    await row(page, 'team/deploy/us').click({ modifiers: ['Control'] });
    const edges = await page.evaluate<
      string[][]
    >(`[...document.querySelectorAll('.fact.chosen')].map((row) => {
      const hairline = (each) => getComputedStyle(each, '::before').borderTopColor;
      return [getComputedStyle(row).zIndex, hairline(row), hairline(row.nextElementSibling ?? row)];
    })`);
    const clear = 'rgba(0, 0, 0, 0)';
    expect(edges).toEqual([
      ['1', clear, clear],
      ['1', clear, clear],
    ]);
    // Fonts differ in width: where the name stands beside it, a wide one must not squeeze it.
    await page.evaluate("document.querySelector('.rail .brand').style.letterSpacing = '1em'");
    for (const width of [820, 1024]) {
      await page.setViewportSize({ width, height: 1180 });
      expect((await page.locator('.rail .logo').boundingBox())?.width, `${width} px`).toBe(22);
    }
  });

  it('only a search without a hit offers to store its text as a fact', async () => {
    const page = await visit('/?category=log&prefix=team%2F');
    await page.getByRole('heading', { name: 'No fact fits' }).waitFor();
    expect(await page.getByRole('button', { name: 'Store this as a fact' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Search memory').fill('zeppelin');
    await page.getByRole('button', { name: 'Store this as a fact' }).waitFor();
  });
});
