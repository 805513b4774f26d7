import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';

interface StoredFact {
  value: string;
  version: number;
  tags: string[];
  category: string;
  expires_at: string;
  source: { client?: string; surface: string };
}

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const path = (key: string) => `/memory/facts/${encodeURIComponent(key)}`;
const read = async (key: string) => (await (await fixture.api('GET', path(key))).json()) as StoredFact;
const exists = async (key: string) => (await fixture.api('GET', path(key))).status === 200;
const store = (key: string, value: string, more = {}) =>
  fixture.api('POST', '/memory/store', { key, value, ...more });
const visit = async (address: string) => {
  open = await fixture.open(address);
  return open.page;
};
const openFact = (key: string) => visit(`/?key=${encodeURIComponent(key)}`);
const value = (page: Page) => page.getByRole('textbox', { name: 'Value' });
const save = (page: Page) => page.getByRole('button', { name: /^Save/ }).click();
const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text });
const undo = (page: Page) => page.locator('.toast').getByRole('button', { name: /^Undo/ });
/** The toast says it, nothing at the foot of the list is covered, and Undo takes it back. */
async function undoes(page: Page, text: string | RegExp, holds: () => Promise<boolean>) {
  await toast(page, text).waitFor();
  const covered = await page.evaluate<boolean>(
    "document.querySelector('.toast').getBoundingClientRect().bottom > document.querySelector('.list-foot').getBoundingClientRect().top",
  );
  expect(covered).toBe(false);
  await undo(page).click();
  await toast(page, 'Brought back').waitFor();
  await until(holds);
}

describe.skipIf(!CHROMIUM)('what a write of a fact answers', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('a saved edit is said, and its undo restores the former text', async () => {
    await store('undo/edit', 'before', { tags: ['a'] });
    const page = await openFact('undo/edit');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await value(page).fill('after');
    await save(page);
    await undoes(page, 'Saved as v2', async () => (await read('undo/edit')).value === 'before');
    expect(await read('undo/edit')).toMatchObject({ version: 3, tags: ['a'] });
    expect(open!.pageErrors).toEqual([]);
  });

  it('a new fact is said, and its undo forgets it and brings the text back into the form', async () => {
    const page = await visit('/?mode=new');
    await page.getByRole('textbox', { name: 'Key' }).fill('undo/new');
    await value(page).fill('just stored');
    await save(page);
    await undoes(page, 'Stored', async () => !(await exists('undo/new')));
    await until(async () => (await value(page).inputValue()) === 'just stored');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('undo/new');
  });

  it('a change of tags alone makes no version and no other author, and can be undone', async () => {
    await store('undo/tags', 'the text stays', { tags: ['old'], category: 'people' });
    const page = await openFact('undo/tags');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('Tags', { exact: true }).fill('new');
    const { source } = await read('undo/tags');
    await save(page);
    await toast(page, 'Saved the tags').waitFor();
    expect(await read('undo/tags')).toMatchObject({ version: 1, tags: ['old', 'new'], source });
    await undoes(page, 'Saved the tags', async () => (await read('undo/tags')).tags.join() === 'old');
    expect(await read('undo/tags')).toMatchObject({ version: 1, category: 'people' });
  });

  it('tags are chips that keys add and remove, and none that was there is split', async () => {
    await store('chips/fact', 'has tags', { tags: ['two words', 'b', 'c', 'd'] });
    const page = await openFact('chips/fact');
    await page.getByRole('button', { name: /^Edit/ }).click();
    const input = page.getByLabel('Tags', { exact: true });
    const chips = page.getByRole('list', { name: 'Chosen tags' }).getByRole('listitem');
    const focused = () =>
      page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.id');
    await input.pressSequentially('e, #f');
    expect(await chips.allTextContents()).toEqual(['two words', 'b', 'c', 'd', 'e']);
    await input.press('Enter');
    expect((await chips.allTextContents()).at(-1)).toBe('f');
    await input.press('Backspace');
    expect((await chips.allTextContents()).at(-1)).toBe('e');
    await input.press('ArrowLeft');
    for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await focused()).toBe('Remove tag c');
    // Outside the field Backspace forgets the open fact.
    await page.keyboard.press('Backspace');
    expect(await focused()).toBe('Remove tag d');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Remove tag e');
    await page.keyboard.press('Delete');
    expect(await focused()).toBe('field-tags');
    await input.pressSequentially('typed');
    await page.keyboard.press('Control+Enter');
    await toast(page, 'Saved the tags').waitFor();
    expect(await read('chips/fact')).toMatchObject({ tags: ['two words', 'b', 'typed'] });
  });

  it('the lifetime is one of a few or any number of days, and the history says that it changed', async () => {
    await store('life/fact', 'lives', { ttl_seconds: 30 * 86_400 });
    const page = await openFact('life/fact');
    const days = async () =>
      Math.round((Date.parse((await read('life/fact')).expires_at) - Date.now()) / 86_400_000);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    expect(await page.getByText('Renewed or re-filed').count()).toBe(0);
    const edit = () => page.getByRole('button', { name: /^Edit/ }).click();
    const keep = (name: string) =>
      page.getByRole('group', { name: 'Keep for' }).getByRole('button', { name });
    await edit();
    expect(await keep('30 days').getAttribute('aria-pressed')).toBe('true');
    await keep('1 year').click();
    await save(page);
    await until(async () => (await days()) === 365);
    await page.getByText(/^Renewed or re-filed without a new text, last on .* Now kept until /).waitFor();
    await edit();
    await keep('Other').click();
    await page.getByLabel('Days to keep it').fill('400');
    await page.getByText('From an hour to 365 days.').waitFor();
    await page.getByLabel('Days to keep it').fill('12');
    await save(page);
    await until(async () => (await days()) === 12);
    await edit();
    expect(await page.getByLabel('Days to keep it').inputValue()).toBe('12');
  });

  it('renewed and restored facts are said, and can be undone', async () => {
    await store('undo/life', 'first', { ttl_seconds: 86_400 });
    await store('undo/life', 'second', { ttl_seconds: 86_400, category: 'people', tags: ['b'] });
    const page = await openFact('undo/life');
    const { expires_at: before } = await read('undo/life');
    await page.getByRole('button', { name: /^Renew/ }).click();
    const day = 86_400_000;
    const lasts = async () => Date.parse((await read('undo/life')).expires_at) - Date.parse(before);
    await toast(page, 'Renewed until').waitFor();
    expect(await lasts()).toBeGreaterThan(80 * day);
    await undoes(page, 'Renewed until', async () => Math.abs(await lasts()) < 60_000);
    // The history names what changed besides the text.
    await page.getByText('Category user_facts became people.').waitFor();
    await page.getByText('Tags added: b.').waitFor();
    await page.getByRole('button', { name: 'Restore v1' }).click();
    await undoes(page, 'Restored v1 as v3', async () => (await read('undo/life')).version === 4);
    expect(await read('undo/life')).toMatchObject({ value: 'second', category: 'people', tags: ['b'] });
  });

  it('a merge is one toast, and its undo brings both facts back', async () => {
    const text = 'Backups of the wiki run at three';
    await store('undo/merge-a', text);
    await store('undo/merge-b', `${text} on Sundays`);
    const page = await visit('/?key=undo%2Fmerge-a&mode=merge&with=undo%2Fmerge-b');
    await value(page).fill('merged text');
    await page.getByRole('button', { name: /^Merge/ }).click();
    await toast(page, 'Merged into').waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    await undoes(page, 'Merged into', async () => (await read('undo/merge-a')).value === text);
    await page.goto('about:blank');
    expect((await read('undo/merge-b')).value).toBe(`${text} on Sundays`);
  });

  it('an undo that another client made impossible says so and changes nothing', async () => {
    await store('undo/late', 'before');
    const page = await openFact('undo/late');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await value(page).fill('mine');
    await save(page);
    await toast(page, 'Saved as v2').waitFor();
    await fixture.asPerson('POST', '/memory/store', { key: 'undo/late', value: 'theirs' });
    await undo(page).click();
    await toast(page, 'This could not be undone.').waitFor();
    expect((await read('undo/late')).value).toBe('theirs');
  });

  it('a double click on Forget forgets one fact, and so does a held key', async () => {
    for (const n of [1, 2, 3]) await store(`twice/${n}`, `number ${n}`);
    const page = await visit('/?prefix=twice%2F&key=twice%2F3');
    await page.getByRole('button', { name: 'Forget', exact: true }).dblclick();
    await toast(page, 'Forgot').waitFor();
    await page.getByRole('heading', { name: 'twice/2' }).waitFor();
    expect(await toast(page, 'Forgot 2 facts').count()).toBe(0);
    await page.keyboard.press('z');
    await page.getByRole('heading', { name: 'twice/3' }).waitFor();
    // A held Enter clicks the focused button again and again. The pause after the double click must be over.
    await page.waitForTimeout(700);
    const click = "document.querySelector('.actions .btn-danger')?.click()";
    await page.evaluate(`for (let n = 0; n < 6; n++) setTimeout(() => ${click}, n * 60)`);
    await toast(page, 'Forgot').waitFor();
    await page.getByRole('heading', { name: 'twice/2' }).waitFor();
    await page.waitForTimeout(500);
    expect(await toast(page, 'Forgot 3 facts').count()).toBe(0);
    expect(await toast(page, 'Forgot 2 facts').count()).toBe(0);
  });

  it('a server that stops during a write leaves a message and a way to send it again, and no text is lost', async () => {
    const text = 'The office plants are watered on Tuesdays';
    await store('away/fact', text, { ttl_seconds: 86_400 });
    await store('away/fact', `${text} and Fridays`, { ttl_seconds: 86_400 });
    await store('away/other', `${text} by Mara`);
    const { port } = new URL(fixture.server.url);
    fixture.sandbox.env.HELMDECK_ADDR = `127.0.0.1:${port}`;
    const page = await openFact('away/fact');
    /** Kills the server when the page sends a write, and starts it again once the page has said so. */
    const interrupted = async (act: () => Promise<unknown>, message: () => Promise<unknown>) => {
      await page.route(
        (url) => url.pathname.startsWith('/api/v1/memory/'),
        async (route) => {
          if (route.request().method() === 'GET') return route.continue();
          await fixture.server.stop('SIGKILL');
          return route.continue();
        },
      );
      await act();
      await message();
      await page.unrouteAll({ behavior: 'wait' });
      fixture.server = await fixture.sandbox.serve();
    };
    // A list that was read while the server was away has such a button, too.
    const again = () => page.locator('.toast').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 versions').waitFor();

    await interrupted(
      () => page.getByRole('button', { name: /^Renew/ }).click(),
      () => toast(page, 'Not renewed. That did not reach the server.').waitFor(),
    );
    await again();
    await toast(page, 'Renewed until').waitFor();

    await interrupted(
      () => page.getByRole('button', { name: 'Restore v1' }).click(),
      () => toast(page, 'The version could not be restored.').waitFor(),
    );
    await again();
    await toast(page, 'Restored v1 as v3').waitFor();

    await page.getByRole('button', { name: /^Edit/ }).click();
    await value(page).fill('typed while it went away');
    await interrupted(
      () => save(page),
      () => page.getByRole('alert').getByText('That did not reach the server.').waitFor(),
    );
    expect(await value(page).inputValue()).toBe('typed while it went away');
    await page.locator('.editor').getByRole('button', { name: 'Try again' }).click();
    await toast(page, 'Saved as v4').waitFor();

    await page.goto(`${fixture.server.url}/?key=away%2Ffact&mode=merge&with=away%2Fother`);
    await value(page).fill('merged while it went away');
    await interrupted(
      () => page.getByRole('button', { name: /^Merge/ }).click(),
      () => page.getByRole('alert').getByText('That did not reach the server.').waitFor(),
    );
    expect(await value(page).inputValue()).toBe('merged while it went away');
    await page.locator('.editor').getByRole('button', { name: 'Try again' }).click();
    await toast(page, 'Merged into').waitFor();
    await undo(page).click();
    await toast(page, 'Brought back').waitFor();

    await page.goto(`${fixture.server.url}/?key=away%2Fother`);
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await interrupted(
      // Leaving for another caller's memory or signing out sends a forget early; so does closing the page.
      () => page.evaluate("dispatchEvent(new Event('pagehide'))"),
      () => toast(page, 'could not be forgotten').waitFor(),
    );
    await again();
    await until(async () => !(await exists('away/other')));
  });
});
