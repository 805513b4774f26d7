import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';
import { storeSampleMemory } from './sample-memory.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const visit = async (path = '/', options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const row = (page: Page, key: string) => page.getByRole('option').filter({ hasText: key });
const exists = async (key: string) =>
  (await fixture.api('GET', `/memory/facts/${encodeURIComponent(key)}`)).status === 200;

describe.skipIf(!CHROMIUM)('the Memory page in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await storeSampleMemory(fixture);
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('search shows results while the user types, highlights the words and explains a hit', async () => {
    const page = await visit();
    await row(page, 'konflux/deploy').waitFor();
    await page.keyboard.press('/');
    // Slowly enough for the URL to be updated in between.
    await page.keyboard.type('deploy konflux', { delay: 60 });
    expect(await page.getByLabel('Search memory').inputValue()).toBe('deploy konflux');
    await page.locator('mark', { hasText: 'Konflux' }).first().waitFor();
    expect(await page.locator('.fact').first().textContent()).toContain('konflux/');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('w');
    await page.getByRole('region', { name: 'Why this hit' }).getByText('2 of 2 words').waitFor();
    await until(async () => page.url().includes('q=deploy'));
    await page.reload();
    await page.locator('mark').first().waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('the list can be filtered by folder and category, also during a search', async () => {
    const page = await visit();
    await page.getByRole('button', { name: /^konflux\/ \d/ }).click();
    await until(async () => (await page.locator('.fact').count()) === 6);
    await page.getByRole('button', { name: /deploy_targets/ }).click();
    await until(async () => (await page.locator('.fact').count()) === 2);
    await page.getByRole('button', { name: 'Remove filter konflux/' }).click();
    await page.getByLabel('Search memory').fill('konflux');
    await row(page, 'konflux/limits').waitFor();
    await until(async () => (await page.locator('.fact').count()) === 2);
  });

  it('a fact can be written and edited, and an older version restored from its history', async () => {
    const page = await visit();
    await row(page, 'konflux/deploy').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Key' }).fill('test/editor');
    await page.getByRole('textbox', { name: 'Value' }).fill('prefers **vim** for everything');
    await page.getByRole('combobox', { name: 'Category' }).fill('not valid');
    await page.getByText('Letters, digits').waitFor();
    await page.getByRole('combobox', { name: 'Category' }).fill('preferences');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'test/editor' }).waitFor();
    expect(await page.locator('.prose strong').textContent()).toBe('vim');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Value' }).fill('prefers emacs for everything');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.locator('.diff ins', { hasText: 'emacs' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('3 versions').waitFor();
    const { value } = (await (await fixture.api('GET', '/memory/facts/test%2Feditor')).json()) as {
      value: string;
    };
    expect(value).toBe('prefers **vim** for everything');
    expect(open!.pageErrors).toEqual([]);
  });

  it('the editor shows both values of a concurrent edit, and reports a credential without showing it', async () => {
    await fixture.api('POST', '/memory/store', { key: 'test/race', value: 'one' });
    const page = await visit('/?key=test%2Frace');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('mine');
    await fixture.api('POST', '/memory/store', { key: 'test/race', value: 'theirs' });
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.locator('.diff del', { hasText: 'theirs' }).waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.locator('.prose', { hasText: 'mine' }).waitFor();
    await page.keyboard.press('e');
    await page
      .getByRole('textbox', { name: 'Value' })
      .fill('AKIAIOSFODNN7EXAMPLQ is the key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLQKEY');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.locator('.err', { hasText: 'vault' }).waitFor();
    expect(await page.locator('.err').textContent()).not.toContain('AKIA');
  });

  it('a forget can be undone for ten seconds, and is sent at once when the page is closed', async () => {
    for (const key of ['test/undo', 'test/leave'])
      await fixture.api('POST', '/memory/store', { key, value: key });
    const page = await visit('/?key=test%2Fundo');
    await page.getByRole('heading', { name: 'test/undo' }).waitFor();
    // On a busy machine the ten seconds could be over before the key is pressed.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.keyboard.press('Backspace');
    await page.getByText('Forgot').first().waitFor();
    await until(async () => (await row(page, 'test/undo').count()) === 0);
    expect(await exists('test/undo')).toBe(true);
    await page.keyboard.press('z');
    await row(page, 'test/undo').waitFor();
    await page.clock.resume();
    await row(page, 'test/leave').click();
    await page.getByRole('button', { name: /^Forget/ }).click();
    await until(async () => (await row(page, 'test/leave').count()) === 0);
    expect(await exists('test/leave')).toBe(true);
    await page.goto('about:blank');
    await until(async () => !(await exists('test/leave')));
    expect(await exists('test/undo')).toBe(true);
  });

  it('facts that expire soon are renewed together, and several selected facts are forgotten after one confirmation', async () => {
    for (const n of [1, 2]) {
      const fact = { key: `test/bulk-${n}`, value: `bulk ${n}`, ttl_seconds: 7_200 };
      await fixture.api('POST', '/memory/store', fact);
    }
    const page = await visit('/?prefix=test%2Fbulk&expiring=true');
    await page.getByRole('button', { name: 'Renew these' }).click();
    await page.getByText('No fact fits').waitFor();
    await page.goto(`${fixture.server.url}/?prefix=test%2Fbulk`);
    await row(page, 'test/bulk-1').waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Forget 2 facts' }).click();
    await page.getByText('Forgot 2 facts').first().waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await row(page, 'test/bulk-2').waitFor();
  });

  it('a value with HTML and links is shown as text, and nothing in it runs or loads', async () => {
    const image = '<img src=x onerror="document.title=1">';
    const key = 'test/<b>bold</b>';
    // One by one: together they read like an order to a model, and would wait in the inbox.
    for (const link of ['[go](javascript:alert(1))', '![p](http://example.org/p.png)']) {
      const stored = await fixture.api('POST', '/memory/store', { key, value: `${image} ${link}` });
      expect(stored.status).toBe(200);
      const page = await visit(`/?key=${encodeURIComponent(key)}&q=onerror`);
      await page.locator('.prose', { hasText: '<img src=x' }).waitFor();
      expect(await page.locator('main img, main b b, main a[href^="javascript"]').count()).toBe(0);
      expect(await page.title()).toBe(`${key} · Memory · Helmdeck`);
    }
    expect(open!.pageErrors).toEqual([]);
  });

  it('the list shows a fact that another client stores', async () => {
    const page = await visit();
    await page.getByText('Live', { exact: true }).waitFor();
    await fixture.api('POST', '/memory/store', { key: 'test/from-elsewhere', value: 'slipped in' });
    await row(page, 'test/from-elsewhere').waitFor();
  });

  it('two similar facts can be merged, and the other one is forgotten with time to undo', async () => {
    const value = 'Staging deploys go through the Argo pipeline';
    await fixture.api('POST', '/memory/store', { key: 'test/merge-a', value, tags: ['argo'] });
    await fixture.api('POST', '/memory/store', {
      key: 'test/merge-b',
      value: `${value} every night`,
      tags: ['night'],
    });
    const page = await visit('/?key=test%2Fmerge-a');
    await page.getByRole('button', { name: 'Merge with test/merge-b' }).click();
    const field = page.getByRole('textbox', { name: 'Value' });
    await until(async () => (await field.inputValue()) === `${value} every night`);
    await field.fill(`${value}, every night at two`);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'test/merge-a' }).waitFor();
    await page.locator('.prose', { hasText: 'at two' }).waitFor();
    await until(async () => (await row(page, 'test/merge-b').count()) === 0);
    expect(await exists('test/merge-b')).toBe(true);
    // The pending forget is also sent from a page of the UI without the list.
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    await page.goto('about:blank');
    await until(async () => !(await exists('test/merge-b')));
    const kept = (await (await fixture.api('GET', '/memory/facts/test%2Fmerge-a')).json()) as {
      tags: string[];
    };
    expect(kept).toMatchObject({ version: 2, tags: ['argo', 'night'] });
  });

  it('while the user writes a fact, similar ones are shown, and the text can be moved to one of them', async () => {
    const value = 'The espresso machine in the kitchen needs descaling each month';
    await fixture.api('POST', '/memory/store', { key: 'test/espresso', value });
    const page = await visit('/?mode=new');
    await page.getByRole('textbox', { name: 'Value' }).fill(`${value}, by whoever is last`);
    await page.getByRole('button', { name: 'Write it into test/espresso instead' }).click();
    await page.getByRole('heading', { name: 'Edit fact' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toContain('by whoever is last');
    await page.locator('.diff ins', { hasText: 'by whoever is last' }).waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('2 versions').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('the page can be used with the keyboard alone, and single-letter shortcuts can be switched off', async () => {
    const page = await visit();
    await row(page, 'konflux/deploy').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('rollback');
    await page.locator('mark').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'runbooks/rollback' }).waitFor();
    await page.locator('#fact-history').waitFor();
    await page.keyboard.press('h');
    await page.locator('#fact-history:focus').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: 'Use single-letter keys' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('heading', { name: 'Edit fact' }).count()).toBe(0);
  });

  it('the command palette opens a fact from another page', async () => {
    const page = await visit('/health');
    await page.getByRole('heading', { name: 'Health and privacy' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('rollback');
    await page.getByRole('option').filter({ hasText: 'runbooks/' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'runbooks/rollback' }).waitFor();
  });
});
