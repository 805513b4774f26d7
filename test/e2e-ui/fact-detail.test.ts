import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const LONG = 'projects/atlas/decisions/2026/042-drop-redis-and-keep-a-single-database-for-everything';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const at = (key: string) => `/?key=${encodeURIComponent(key)}`;
const row = (page: Page, key: string) => page.getByRole('option').filter({ hasText: key });
const heading = (page: Page, key: string) => page.getByRole('heading', { name: key });
const store = (key: string, value: string, more = {}) =>
  fixture.api('POST', '/memory/store', { key, value, ...more });
const menu = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** Elements of the open fact that reach out of it sideways, other than those that scroll on their own. */
const OVERFLOWING = `(() => {
  const pane = document.querySelector('.detail');
  const edge = pane.getBoundingClientRect();
  const scrolls = (element) => element.closest('pre, .prose-table') !== null;
  const wide = [...pane.querySelectorAll('*')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && !scrolls(element) && (box.right > edge.right + 1 || box.left < edge.left - 1);
  });
  const area = pane.querySelector('.detail-scroll');
  return [...wide.map((element) => element.outerHTML.slice(0, 120)), ...(area.scrollWidth > area.clientWidth ? ['.detail-scroll scrolls'] : [])];
})()`;

describe.skipIf(!CHROMIUM)('an open fact', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    const decision = 'We drop Redis for Atlas and keep one database, decided with the platform team';
    const more = {
      category: 'decisions-of-the-platform-team',
      tags: ['a-rather-long-tag-for-a-narrow-pane', 'atlas'],
    };
    await store(LONG, decision, more);
    await store(`${LONG}-follow-up-of-the-platform-team`, `${decision} in May`, more);
    await store('plain/one', 'The first plain fact', { tags: ['plain'] });
    await store('plain/two', 'The second plain fact', { category: 'people' });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('nothing of an open fact is wider than its pane on a phone, a tablet and a desktop', async () => {
    const page = await visit(at(LONG));
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('button', { name: /^Merge with/ }).waitFor();
      expect(await page.evaluate(OVERFLOWING), `${width} px`).toEqual([]);
    }
  });

  it('a fact that another client forgot is shown as gone, and can be searched for and written again', async () => {
    await store('gone/soon', 'not for long');
    const page = await visit(at('gone/soon'));
    await page.getByRole('button', { name: /^Edit/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await fixture.api('DELETE', '/memory/facts/gone%2Fsoon');
    await page.getByText('This fact is no longer there.').waitFor();
    expect(await page.locator('.detail').getByText('not for long').count()).toBe(0);
    for (const name of [/^Edit/, /^Renew/, /^Forget/])
      expect(await page.locator('.actions').getByRole('button', { name }).count()).toBe(0);
    await page.getByRole('button', { name: 'Write it again' }).click();
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('gone/soon');
    await page.goto(`${fixture.server.url}${at('never/was')}`);
    await page.getByText('There is no fact with this key.').waitFor();
  });

  it('an open fact says since when it is unconfirmed, and Still true confirms the version that is shown', async () => {
    const body = JSON.stringify({ key: 'old/one', value: 'An old fact', created_at: '2026-03-03T12:00:00Z' });
    await fetch(`${fixture.server.url}/api/v1/memory/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/x-ndjson' },
      body,
    });
    const page = await visit(at('old/one'));
    const list = page.locator('.detail dl');
    await list.getByText('since 3 Mar 2026').waitFor();
    await list.getByRole('button', { name: 'Still true' }).click();
    await list.getByText('Confirmed', { exact: true }).waitFor();
    await page.locator('.toast', { hasText: 'Confirmed' }).getByRole('button', { name: 'Undo' }).click();
    await list.getByText('since 3 Mar 2026').waitFor();
    await list.getByRole('button', { name: 'Still true' }).click();
    await list.getByText('Confirmed', { exact: true }).waitFor();
    expect(await list.getByText('Unconfirmed').count()).toBe(0);
    const stored = async () =>
      (await (await fixture.api('GET', '/memory/facts/old%2Fone')).json()) as { stale?: true };
    expect(await stored(), 'it waits for an undo').toHaveProperty('stale');
    await page.goto(`${fixture.server.url}/health`);
    await until(async () => (await stored()).stale === undefined);
    expect(await stored()).toMatchObject({ version: 1, confirmed_by: { surface: 'ui' } });
    expect(open!.pageErrors).toEqual([]);
  });

  it('Back returns to the facts and filters before, and the title names the open fact', async () => {
    const page = await visit('/health');
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    await row(page, 'plain/one').click();
    await until(async () => (await page.title()) === 'plain/one · Memory · Helmdeck');
    await row(page, 'plain/two').click();
    await page.locator('.detail').getByRole('button', { name: 'people' }).click();
    await until(async () => (await page.locator('.fact').count()) === 1);
    // Typing changes the address without an entry for each letter.
    await page.getByLabel('Search memory').pressSequentially('plain', { delay: 40 });
    await until(async () => page.url().includes('q=plain'));
    await page.goBack();
    await until(async () => (await page.locator('.fact').count()) > 1);
    await heading(page, 'plain/two').waitFor();
    await page.goBack();
    await heading(page, 'plain/one').waitFor();
    await page.goBack();
    await page.getByRole('complementary', { name: 'Since your last visit' }).waitFor();
    expect(await page.title()).toBe('Memory · Helmdeck');
    await page.goForward();
    await heading(page, 'plain/one').waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { name: 'Health and privacy' }).waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('on a phone Back, a tap beside the sheet and a drag of its handle close it, and a drag upwards enlarges it', async () => {
    const page = await visit('/', PHONE);
    const sheet = page.locator('aside.detail:not(.home)', { hasText: 'The first plain fact' });
    const reopen = async () => {
      await row(page, 'plain/one').click();
      await sheet.waitFor();
      // It rises first.
      await until(async () => Math.abs((await sheet.boundingBox())!.y - 844 * 0.38) < 4);
    };
    const drag = async (byPx: number) => {
      const { x, width, y } = (await page.locator('.sheet-handle').boundingBox())!;
      await page.mouse.move(x + width / 2, y + 8);
      await page.mouse.down();
      for (const part of [0.3, 0.7, 1]) await page.mouse.move(x + width / 2, y + 8 + byPx * part);
      await page.mouse.up();
    };
    await reopen();
    await page.goBack();
    await sheet.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/');
    await reopen();
    await page.mouse.click(195, 60);
    await sheet.waitFor({ state: 'detached' });
    await reopen();
    await drag(-280);
    await until(async () => (await sheet.boundingBox())!.height > 844 * 0.9);
    await drag(700);
    await sheet.waitFor({ state: 'detached' });
    // After a forget the sheet closes instead of showing the next fact under the thumb.
    await store('thumb/one', 'under the thumb');
    await row(page, 'thumb/one').click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.locator('aside.detail').first().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Undo/ }).click();
  });

  it('shows which agent was last given it and for which questions, as soon as it is read', async () => {
    await store('read/falcon', 'The falcon nests on the town hall');
    const page = await visit(at('read/falcon'));
    await page.getByText('The falcon nests').last().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText(/read by/).count()).toBe(0);
    for (const query of ['where does the falcon nest', 'falcon on the town hall'])
      await fixture.api('POST', '/packs/helmdeck.memory_recall', { query });
    const reads = page.locator('section', { hasText: 'Given to agents' }).last();
    await reads.getByText(/read by First token (just now|1 min ago)/).waitFor();
    await reads.getByRole('button', { name: '“falcon on the town hall”' }).waitFor();
    expect(await reads.getByRole('listitem').count()).toBe(2);
    await reads.getByRole('button', { name: '“where does the falcon nest”' }).click();
    await until(
      async () => (await page.getByLabel('Search memory').inputValue()) === 'where does the falcon nest',
    );
    await page.getByRole('option').filter({ hasText: 'plain/one' }).waitFor({ state: 'detached' });
    await page.goto(fixture.server.url + at('plain/one'));
    await page.getByText('First stored').waitFor();
    expect(await page.getByText('Given to agents').count()).toBe(0);
  });

  it('a version has an address, shows its whole text, and is compared with the present one', async () => {
    for (const value of ['one sheep', 'two sheep', 'three goats']) await store('versions/sheep', value);
    const page = await visit(`${at('versions/sheep')}&version=2`);
    const second = page.locator('.ver-item', { hasText: 'v2' });
    await second.locator('ins', { hasText: 'two' }).waitFor();
    await second.getByRole('button', { name: 'Full text' }).click();
    await second.getByText('two sheep', { exact: true }).waitFor();
    await second.getByRole('button', { name: 'Against now' }).click();
    await second.locator('ins', { hasText: 'three goats' }).waitFor();
    await page.getByRole('button', { name: /v1/ }).first().click();
    await until(async () => page.url().includes('version=1'));
    await page.getByText('The first value.').waitFor();
  });

  it('the menu copies a link that opens the fact, duplicates it, shows it as stored and exports it', async () => {
    await store('menu/fact', '**bold** words', { tags: ['kept'] });
    const page = await visit(at('menu/fact'));
    await open!.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.prose strong').waitFor();
    await menu(page, 'Copy link');
    await page.locator('.toast', { hasText: 'Link copied' }).waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    await menu(page, 'Show as stored');
    await page.locator('.detail pre', { hasText: '**bold** words' }).waitFor();
    const saved = page.waitForEvent('download');
    await menu(page, 'Export this fact');
    const line = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    expect(line).toMatchObject({ key: 'menu/fact', value: '**bold** words', tags: ['kept'] });
    await menu(page, 'Duplicate');
    await until(
      async () => (await page.getByRole('textbox', { name: 'Key' }).inputValue()) === 'menu/fact-copy',
    );
    await page.getByRole('button', { name: /^Save/ }).click();
    await heading(page, 'menu/fact-copy').waitFor();
    await page.locator('dd').getByRole('button', { name: 'kept' }).click();
    await until(async () => (await page.locator('.fact').count()) === 2);
    await page.goto(link);
    await heading(page, 'menu/fact').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('Esc in the editor returns the focus to where it was', async () => {
    const page = await visit(at('plain/one'));
    await row(page, 'plain/one').waitFor();
    await page.locator('.facts').focus();
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Value' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.facts:focus').waitFor();
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('textbox', { name: 'Value' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Edit/ }).and(page.locator(':focus')).waitFor();
  });

  it('right-to-left text starts on the right, in the value and in the editor', async () => {
    await store('i18n/arabic', 'يفضل محمد القهوة بدون سكر.', { tags: ['قهوة'] });
    const page = await visit(at('i18n/arabic'));
    const direction = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).direction`);
    await page.locator('.prose').waitFor();
    expect(await direction('.prose')).toBe('rtl');
    expect(await direction('dd .chip')).toBe('rtl');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('textbox', { name: 'Value' }).waitFor();
    expect(await direction('textarea')).toBe('rtl');
  });

  it('a Markdown table is shown as one, and a link shows its address before it opens without a referrer', async () => {
    const value =
      'See [the runbook](https://example.org/run?a=1) or [this](javascript:alert(1)).\n\n| step | s |\n|---|--:|\n| restore | 12 |';
    await store('format/table', value);
    const page = await visit(at('format/table'));
    await page.getByRole('cell', { name: 'restore' }).waitFor();
    expect(await page.locator('main a[target]').count()).toBe(0);
    await page.getByRole('button', { name: 'the runbook' }).click();
    const link = page.getByRole('dialog').getByRole('link', { name: 'Open' });
    await page.getByRole('dialog').getByText('https://example.org/run?a=1').waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'this', exact: true }).click();
    await page.getByText('can only be copied').waitFor();
    expect(await page.getByRole('dialog').getByRole('link').count()).toBe(0);
    expect(open!.pageErrors).toEqual([]);
  });

  it('a long value is folded, so that its source and history stay in reach', async () => {
    const lines = Array.from({ length: 120 }, (_, n) => `Line ${n} of a long note.`).join('\n');
    await store('format/long', lines);
    const page = await visit(at('format/long'));
    const height = async () => (await page.locator('.detail .prose').locator('../..').boundingBox())!.height;
    await page.getByRole('button', { name: 'Show all', exact: true }).waitFor();
    await until(async () => (await height()) < 460);
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await until(async () => (await height()) > 2_000);
  });

  it('an open fact shows what contradicts it, also after a reload', async () => {
    await store('infra/cluster', 'Staging has 3 replicas.');
    await store('notes/today', 'Staging has 5 replicas.');
    const page = await visit(at('infra/cluster'));
    await page.locator('.detail .note-warn').getByRole('button', { name: 'notes/today' }).click();
    await heading(page, 'notes/today').waitFor();
    await page.reload();
    await page.locator('.detail .note-warn').getByRole('button', { name: 'infra/cluster' }).waitFor();
  });

  it('the source names the client and the token it used', async () => {
    const minted = await fixture.api('POST', '/tokens', {
      name: 'laptop',
      client: 'claude-code',
      ttl_seconds: 3_600,
    });
    const { token } = (await minted.json()) as { token: string };
    await fetch(`${fixture.server.url}/api/v1/memory/store`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'origin/laptop', value: 'from the laptop' }),
    });
    const page = await visit(at('origin/laptop'));
    await page.locator('dd').getByRole('button', { name: 'Claude Code on laptop' }).click();
    await until(async () => (await page.locator('.fact').count()) === 1);
  });
});
