import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
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
const TABLET = { viewport: { width: 820, height: 1180 } };
const ITEMS = 230;

const visit = async (path = '/', options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const rows = (page: Page) => page.getByRole('listbox').getByRole('option');
const row = (page: Page, key: string) => rows(page).filter({ hasText: key });
const keysWith = async (query: string) => {
  const answer = await fixture.api('GET', `/memory/facets?${query}`);
  return ((await answer.json()) as { total: number }).total;
};
const calls = (page: Page, name: string) => {
  const made: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && request.url().includes(name)) made.push(request.method());
  });
  return made;
};

async function store(facts: readonly { key: string; value: string; [field: string]: unknown }[]) {
  const answer = await fixture.api('POST', '/memory/store/batch', { facts });
  const { results } = (await answer.json()) as { results: { error?: string }[] };
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
}

describe.skipIf(!CHROMIUM)('selecting and finding facts on the Memory page in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await store(
      Array.from({ length: ITEMS }, (_, at) => ({
        key: `item/${String(at).padStart(3, '0')}`,
        value: `Number ${at}`,
        category: 'items',
        tags: [`t${String(at % 20).padStart(2, '0')}`],
      })),
    );
    await store([
      { key: 'soon/late', value: 'ends later', ttl_seconds: 400_000, category: 'soon' },
      { key: 'soon/early', value: 'ends first', ttl_seconds: 7_200, category: 'soon' },
      { key: 'find/strong', value: 'Zeppelin hangar in Friedrichshafen', category: 'find' },
      {
        key: 'find/weak',
        value: `${'Many other words about trains, ferries and buses. '.repeat(20)} zeppelin`,
        category: 'find',
      },
      { key: 'find/markdown', value: '## Title\n\n- use `helm` **now**', category: 'find' },
      { key: 'find/arabic', value: 'مرحبا بالعالم.', category: 'find' },
    ]);
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('rows are selected by checkbox, range and header, and tagged in one call', async () => {
    const page = await visit('/?prefix=item%2F&sort=key');
    await row(page, 'item/001').hover();
    await row(page, 'item/001').locator('.pick').click();
    await page.getByText('1 selected').waitFor();
    expect(await page.locator('.detail h1, .detail .detail-key').count()).toBe(0);
    await row(page, 'item/004').click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    const bulk = calls(page, '/facts');
    const bar = page.getByRole('region', { name: 'Selected facts' });
    await bar.getByRole('button', { name: 'Tags' }).click();
    await page.getByLabel('Add tags').fill('picked, four');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await keysWith('tag=picked&tag=four')) === 4);
    await bar.getByRole('button', { name: 'Category' }).click();
    await page.getByRole('dialog').getByLabel('Category').fill('sorted');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await keysWith('category=sorted')) === 4);
    expect(bulk).toEqual(['POST', 'POST']);
    const download = page.waitForEvent('download');
    await bar.getByRole('button', { name: 'Export' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { key: string }).key).sort()).toEqual([
      'item/001',
      'item/002',
      'item/003',
      'item/004',
    ]);
    // The header selects what is loaded; one more click selects what matches.
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByText('100 selected').waitFor();
    await bar.getByRole('button', { name: `Select all ${ITEMS}` }).click();
    await page.getByText(`${ITEMS} selected`).waitFor();
    await bar.getByRole('button', { name: 'Renew' }).click();
    await page.getByRole('status').getByText(`Renewed ${ITEMS} facts`).waitFor();
    // A selection does not outlive its list.
    await page.getByLabel('Search memory').fill('number');
    await until(async () => (await bar.count()) === 0);
    expect(open!.pageErrors).toEqual([]);
  });

  it('tags, category and renewal of several facts are each undone in one call, to what every fact had', async () => {
    await store([
      { key: 'undo/hours', value: 'one', tags: ['red', 'old'], category: 'first', ttl_seconds: 7_200 },
      { key: 'undo/month', value: 'two', tags: [], category: 'second', ttl_seconds: 2_592_000 },
      { key: 'undo/year', value: 'three', tags: ['blue'], category: 'first', ttl_seconds: 20_000_000 },
    ]);
    const filed = async () => {
      const answer = await fixture.api('GET', '/memory/facts?prefix=undo/&sort=key');
      const { facts } = (await answer.json()) as { facts: Record<string, unknown>[] };
      return facts.map(({ category, tags, expires_at, version }) => ({
        category,
        tags,
        expires_at,
        version,
      }));
    };
    const was = await filed();
    const page = await visit('/?prefix=undo%2F&sort=key');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    const sent = calls(page, '/facts');
    const bar = page.getByRole('region', { name: 'Selected facts' });
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    const undone = async (said: string) => {
      await page.locator('.toast').getByText(said).waitFor();
      expect(await filed()).not.toEqual(was);
      await page.getByRole('button', { name: /^Undo/ }).click();
      await page.locator('.toast').getByText('Brought back').waitFor();
      expect(await filed()).toEqual(was);
    };
    await bar.getByRole('button', { name: 'Tags' }).click();
    await page.getByLabel('Add tags').fill('blue, new');
    await page.getByLabel('Remove tags').fill('red');
    await save();
    await undone('3 facts changed');
    await bar.getByRole('button', { name: 'Category' }).click();
    await page.getByRole('dialog').getByLabel('Category').fill('third');
    await save();
    await undone('3 facts changed');
    expect(sent).toEqual(['POST', 'POST', 'POST', 'POST']);
    await bar.getByRole('button', { name: 'Renew' }).click();
    await undone('Renewed 3 facts');
    // Two lifetimes, so two calls, and one to undo them.
    expect(sent.length).toBe(7);
    await page.keyboard.press('r');
    await undone('Renewed 3 facts');
    expect(open!.pageErrors).toEqual([]);
  });

  it('undoing a change of several facts leaves alone what another client re-filed or forgot meanwhile, and says how many', async () => {
    const names = ['kept', 'refiled', 'forgotten'];
    await store(names.map((name) => ({ key: `both/${name}`, value: name, category: 'first' })));
    const categoryOf = async (name: string) => {
      const answer = await fixture.api('GET', `/memory/facts/both%2F${name}`);
      return ((await answer.json()) as { category?: string }).category;
    };
    const page = await visit('/?prefix=both%2F&sort=key');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    const bar = page.getByRole('region', { name: 'Selected facts' });
    await bar.getByRole('button', { name: 'Category' }).click();
    await page.getByRole('dialog').getByLabel('Category').fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.toast').getByText('3 facts changed').waitFor();
    await fixture.api('PATCH', '/memory/facts/both%2Frefiled', { category: 'theirs' });
    await fixture.api('DELETE', '/memory/facts/both%2Fforgotten');
    const sent = calls(page, '/facts');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.locator('.toast').getByText('Brought back 1 fact; 2 changed since were left alone').waitFor();
    expect(sent).toEqual(['POST']);
    expect(await Promise.all(names.map(categoryOf))).toEqual(['first', 'theirs', undefined]);
    // The same for one fact.
    await row(page, 'both/kept').click();
    await page
      .locator('.detail')
      .getByRole('button', { name: /^Renew/ })
      .click();
    await page.locator('.toast').getByText('Renewed until').waitFor();
    await fixture.api('PATCH', '/memory/facts/both%2Fkept', { category: 'theirs' });
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.locator('.toast').getByText('Left alone: it was changed since').waitFor();
    expect(await categoryOf('kept')).toBe('theirs');
  });

  it('several facts are forgotten after a confirmation in one call', async () => {
    await store(['a', 'b', 'c'].map((name) => ({ key: `gone/${name}`, value: name })));
    const page = await visit('/?prefix=gone%2F');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    const sent = calls(page, '/facts');
    await page.clock.install();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Forget 3 facts' }).click();
    await until(async () => (await rows(page).count()) === 0);
    expect(await keysWith('prefix=gone/')).toBe(3);
    // The ten seconds in which it can be undone:
    await page.clock.fastForward(11_000);
    await until(async () => (await keysWith('prefix=gone/')) === 0);
    expect(sent).toEqual(['POST']);
  });

  it('a long press on a phone selects, and then a tap selects too', async () => {
    const page = await visit('/?prefix=item%2F&sort=key', PHONE);
    await row(page, 'item/000').waitFor();
    await row(page, 'item/000').dispatchEvent('pointerdown', {
      pointerType: 'touch',
      clientX: 60,
      clientY: 200,
    });
    await page.getByText('1 selected').waitFor();
    await row(page, 'item/000').dispatchEvent('pointerup', { pointerType: 'touch' });
    await row(page, 'item/002').tap();
    await page.getByText('2 selected').waitFor();
    expect(page.url()).not.toContain('key=item');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const forget = (await page.getByRole('button', { name: 'Forget' }).boundingBox())!;
    expect(forget.x + forget.width).toBeLessThan(390);
  });

  it('a line separates strong from weak matches; rows show no marks and lay out right-to-left text', async () => {
    const page = await visit('/?q=zeppelin+hangar');
    await row(page, 'find/strong').waitFor();
    await row(page, 'find/weak').waitFor();
    const top = async (locator: ReturnType<Page['locator']>) => (await locator.boundingBox())!.y;
    const line = await top(page.locator('.weak-line'));
    expect(line).toBeGreaterThan(await top(row(page, 'find/strong')));
    expect(line).toBeLessThan(await top(row(page, 'find/weak')));
    await page.goto(`${fixture.server.url}/?category=find`);
    expect(await row(page, 'find/markdown').locator('.fact-text').textContent()).toBe('Title use helm now');
    const direction = `getComputedStyle(document.querySelector('.fact-text:dir(rtl)')).direction`;
    expect(await page.evaluate(direction)).toBe('rtl');
  });

  it('expiring facts are sorted by their end, views are saved, and all tags can be filtered by name', async () => {
    const page = await visit('/?category=soon&expiring=true');
    await row(page, 'soon/late').waitFor();
    const keys = await rows(page).locator('.key').allTextContents();
    expect(keys).toEqual(['soon/early', 'soon/late']);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Ends soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto(`${fixture.server.url}/?since=2001-01-01`);
    await page.getByRole('button', { name: 'Remove filter Since 2001-01-01' }).waitFor();
    await rows(page).first().waitFor();
    await page.goto(`${fixture.server.url}/?since=2101-01-01`);
    await page.getByRole('heading', { name: 'No fact fits' }).waitFor();
    await page.getByRole('button', { name: 'Ends soon', exact: true }).click();
    await row(page, 'soon/late').waitFor();
    expect(page.url()).toContain('expiring=true');
    expect(page.url()).not.toContain('since');
    await page.goto(`${fixture.server.url}/?category=items`);
    await page
      .getByRole('region', { name: 'Tag' })
      .getByRole('button', { name: /^Show all/ })
      .click();
    await page.getByLabel('Filter by name').fill('19');
    const dialog = page.getByRole('dialog', { name: 'Tag' });
    expect(await dialog.getByRole('listitem').count()).toBe(1);
    await dialog.getByRole('button', { name: /^t19/ }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter #t19' }).waitFor();
  });

  it('the list has the keys of a listbox, each filter is one tab stop, and the focus is never lost', async () => {
    const page = await visit('/?prefix=item%2F&sort=key&category=items');
    await row(page, 'item/005').click();
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    await heading('item/005');
    await page.keyboard.press('Home');
    await heading('item/000');
    await page.keyboard.press('PageDown');
    await until(async () => !page.url().includes('item%2F000'));
    await page.keyboard.press('PageUp');
    await heading('item/000');
    await page.keyboard.press(' ');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('100 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Edit fact' }).waitFor();
    await page.keyboard.press('Escape');
    await until(async () => page.evaluate("document.activeElement.role === 'listbox'"));
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await until(async () => page.evaluate("document.activeElement.role === 'listbox'"));

    const stops = `[...document.querySelectorAll('.facet')].map((facet) =>
      [...facet.querySelectorAll('button')].filter(({ tabIndex, disabled }) => tabIndex === 0 && !disabled).length)`;
    await until(async () => (await page.evaluate<number[]>(stops)).length >= 4);
    expect(new Set(await page.evaluate<number[]>(stops))).toEqual(new Set([1]));
    const tags = page.getByRole('region', { name: 'Tag' }).getByRole('button');
    await tags.first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(await tags.nth(1).textContent());
  });

  it('on a tablet the rail is icons and the list has the width until a fact is open', async () => {
    const page = await visit('/?prefix=item%2F', { ...TABLET, bypassCSP: true });
    await rows(page).first().waitFor();
    const width = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0;
    expect(await width('.rail')).toBeLessThanOrEqual(64);
    expect(await width('.list-pane')).toBeGreaterThan(700);
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page
      .getByRole('dialog', { name: 'Filters' })
      .getByRole('button', { name: /^items/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await rows(page).first().click();
    await page.locator('.detail').waitFor();
    expect(await width('.list-pane')).toBeGreaterThan(300);
    const cut = `[...document.querySelectorAll('.list-pane, .searchbar, .detail, .rail')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1).map(({ className }) => className)`;
    expect(await page.evaluate<string[]>(cut)).toEqual([]);
    await rows(page)
      .nth(1)
      .click({ modifiers: ['Control'] });
    const bar = (await page.locator('.bulk').boundingBox())!;
    const last = (await page.getByRole('button', { name: 'Clear selection' }).boundingBox())!;
    expect(last.x + last.width).toBeLessThanOrEqual(bar.x + bar.width);
  });

  it('in forced colours the open and the selected row and the life bars stay visible', async () => {
    const page = await visit('/?prefix=item%2F', { forcedColors: 'active' });
    await rows(page).first().click();
    await rows(page)
      .nth(2)
      .click({ modifiers: ['Control'] });
    const looks = `['.fact.sel', '.fact.chosen'].map((name) => getComputedStyle(document.querySelector(name)).outlineStyle)`;
    expect(await page.evaluate<string[]>(looks)).toEqual(['solid', 'dashed']);
    const bar = `[getComputedStyle(document.querySelector('.fact .bar i')).backgroundColor, getComputedStyle(document.querySelector('.fact')).backgroundColor]`;
    const [life, ground] = await page.evaluate<string[]>(bar);
    expect(life).not.toBe(ground);
  });
});
