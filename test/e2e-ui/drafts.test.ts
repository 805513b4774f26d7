import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  PASSWORD,
  until,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const row = (page: Page, key: string) => page.getByRole('option').filter({ hasText: key });
const value = (page: Page) => page.getByRole('textbox', { name: 'Value' });
const note = (page: Page) => page.getByText(/^Unsaved text from/);
const leave = (page: Page) => page.getByRole('button', { name: 'Leave and keep it' });
const visit = async (path: string) => {
  open = await fixture.open(path);
  return open.page;
};
/** Opens a fact of its own in the editor and types over it. */
const typing = async (key: string, text = 'typed and not saved') => {
  await fixture.api('POST', '/memory/store', { key, value: `stored as ${key}` });
  const page = await visit(`/?key=${encodeURIComponent(key)}`);
  await page.getByRole('button', { name: /^Edit/ }).click();
  await value(page).fill(text);
  return page;
};
const signIn = async (page: Page) => {
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
};
const storage = (page: Page) => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');

describe.skipIf(!CHROMIUM)('text that was typed and not saved', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await fixture.api('POST', '/memory/store', { key: 'other/fact', value: 'something else' });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('leaving the editor asks once, and the text is there after Esc, another row, another page, Back and a reload', async () => {
    const page = await typing('drafts/leave');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    expect(await value(page).inputValue()).toBe('typed and not saved');
    await row(page, 'other/fact').click();
    await leave(page).click();
    await page.getByRole('heading', { name: 'other/fact' }).waitFor();
    await row(page, 'drafts/leave').click();
    await note(page).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await value(page).inputValue()).toBe('typed and not saved');
    // From here on nothing asks again.
    await page.getByRole('link', { name: 'Connect' }).click();
    await page
      .getByRole('heading', { name: /Connect/ })
      .first()
      .waitFor();
    await page.goBack();
    await until(async () => (await value(page).inputValue()) === 'typed and not saved');
    await page.reload();
    await note(page).waitFor();
    expect(await value(page).inputValue()).toBe('typed and not saved');
    await page.getByRole('button', { name: 'Discard' }).click();
    await until(async () => (await value(page).inputValue()) === 'stored as drafts/leave');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'drafts/leave' }).waitFor();
    expect(await note(page).count()).toBe(0);
    expect(open!.pageErrors).toEqual([]);
  });

  it('the text of a new fact survives a reload, and can be discarded when the form is left', async () => {
    const page = await visit('/?mode=new');
    await page.getByRole('textbox', { name: 'Key' }).fill('drafts/new');
    await value(page).fill('a new thing');
    await page.reload();
    await note(page).waitFor();
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('drafts/new');
    expect(await value(page).inputValue()).toBe('a new thing');
    await page.getByRole('button', { name: 'Cancel' }).first().click();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await value(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New fact' }).click();
    expect(await value(page).inputValue()).toBe('');
    expect(await note(page).count()).toBe(0);
  });

  it('when the session ends before the text is saved, it is there after signing in again, and can be saved', async () => {
    const page = await typing('drafts/session', 'written in the old session');
    await open!.context.clearCookies();
    await page.keyboard.press('Control+Enter');
    await signIn(page);
    await note(page).waitFor();
    expect(await value(page).inputValue()).toBe('written in the old session');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.locator('.prose', { hasText: 'written in the old session' }).waitFor();
    expect(await storage(page)).not.toContain('old session');
  });

  it('signing out asks, and then deletes unsaved text in every tab', async () => {
    const page = await typing('drafts/shared', 'nobody else may read this');
    const other = await open!.context.newPage();
    await other.goto(`${fixture.server.url}/?mode=new`);
    await value(other).fill('nor this');
    expect(await storage(page)).toContain('nobody else');
    const asked: string[] = [];
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await value(page).inputValue()).toContain('nobody else');
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(asked.join()).toContain('unsaved text');
    expect(await storage(page)).not.toContain('nobody else');
    await until(async () => !(await storage(other)).includes('nor this'));
  });

  it('unsaved text over a version that another client replaced is compared with the new one before it is saved', async () => {
    const page = await typing('drafts/behind', 'mine');
    await page.keyboard.press('Escape');
    await leave(page).click();
    await fixture.api('POST', '/memory/store', { key: 'drafts/behind', value: 'theirs' });
    await page.locator('.prose', { hasText: 'theirs' }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('This fact was changed in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.locator('.prose', { hasText: 'mine' }).waitFor();
  });

  it('two windows show what either of them writes, and editing a fact in both ends in a comparison', async () => {
    const left = await typing('windows/one', 'from the left');
    const right = await open!.context.newPage();
    await right.goto(left.url().replace('&mode=edit', ''));
    await right.getByRole('button', { name: /^Edit/ }).click();
    await value(right).fill('from the right');
    await right.getByRole('button', { name: /^Save/ }).click();
    await right.locator('.prose', { hasText: 'from the right' }).waitFor();
    await row(left, 'windows/one').getByText('from the right').waitFor();
    expect(await value(left).inputValue()).toBe('from the left');
    await left.bringToFront(); // clicks in a window behind another are slow
    await left.getByRole('button', { name: /^Save/ }).click();
    await left.getByText('This fact was changed in the meantime.').waitFor();
    await left.getByRole('button', { name: 'Keep mine' }).click();
    await right.locator('.prose', { hasText: 'from the left' }).waitFor();
    await right.bringToFront();
    await right.getByRole('button', { name: 'Forget', exact: true }).click();
    await right.goto(`${fixture.server.url}/health`); // sends it at once
    await left.getByText('This fact is no longer there.').waitFor();
    expect(open!.pageErrors.filter((message) => !/40[49]|412/.test(message))).toEqual([]);
  });

  it('text written for a fact that another client forgot can be stored again', async () => {
    const page = await typing('drafts/gone', 'still worth keeping');
    await fixture.api('DELETE', '/memory/facts/drafts%2Fgone');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('This fact was forgotten in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Store it again' }).click();
    await page.locator('.prose', { hasText: 'still worth keeping' }).waitFor();
  });

  it('the input of a pack survives another page, a reload and the end of the session, and is gone once it ran', async () => {
    const page = await visit('/packs?pack=helmdeck.memory_store');
    const key = page.getByRole('textbox', { name: 'key', exact: false }).first();
    await page.getByLabel(/^value/).fill('typed into a form of a pack');
    await page.getByRole('link', { name: 'Connect' }).click();
    await page
      .getByRole('heading', { name: /Connect/ })
      .first()
      .waitFor();
    await page.goBack();
    await note(page).waitFor();
    expect(await page.getByLabel(/^value/).inputValue()).toBe('typed into a form of a pack');
    await page.reload();
    await note(page).waitFor();
    expect(await page.getByLabel(/^value/).inputValue()).toBe('typed into a form of a pack');
    await key.fill('drafts/pack');
    await open!.context.clearCookies();
    await page.keyboard.press('Control+Enter');
    await signIn(page);
    await note(page).waitFor();
    expect(await key.inputValue()).toBe('drafts/pack');
    await page.getByRole('button', { name: /^Run/ }).first().click();
    await page
      .getByRole('region', { name: 'Result' })
      .getByText(/version/)
      .first()
      .waitFor();
    expect(await storage(page)).not.toContain('typed into');
    await page.reload();
    await key.waitFor();
    expect([await key.inputValue(), await note(page).count()]).toEqual(['', 0]);
  });

  it('a credential typed into a form is kept in the page and never in the storage, and can be discarded', async () => {
    const page = await visit('/packs?pack=vault.write');
    const secret = page.getByLabel(/^value/);
    await secret.fill('only-in-this-page');
    await page.getByRole('link', { name: /^http\.fetch/ }).click();
    await page.getByRole('heading', { name: 'http.fetch' }).waitFor();
    await page.goBack();
    expect(await secret.inputValue()).toBe('only-in-this-page');
    expect(await storage(page)).not.toContain('only-in-this-page');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await secret.inputValue()).toBe('');
    expect(await note(page).count()).toBe(0);
  });

  it('leaving a pipeline that is being built asks once, and signing out deletes it', async () => {
    const page = await visit('/packs?mode=new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Half of an idea');
    await page.getByRole('link', { name: /^http\.fetch/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('link', { name: /^http\.fetch/ }).click();
    await leave(page).click();
    await page.getByRole('heading', { name: 'http.fetch' }).waitFor();
    await page.goBack();
    await note(page).waitFor();
    expect(await name.inputValue()).toBe('Half of an idea');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await storage(page)).not.toContain('Half of');
    await signIn(page);
    await name.waitFor();
    expect(await name.inputValue()).toBe('Keep a note');
  });

  it('the text of a merge survives a reload', async () => {
    const text = 'The staging cluster is rebuilt on Mondays';
    await fixture.api('POST', '/memory/store', { key: 'drafts/merge-a', value: text });
    await fixture.api('POST', '/memory/store', { key: 'drafts/merge-b', value: `${text} at six` });
    const page = await visit('/?key=drafts%2Fmerge-a&mode=merge&with=drafts%2Fmerge-b');
    await value(page).fill('on Mondays at seven');
    await page.reload();
    await note(page).waitFor();
    expect(await value(page).inputValue()).toBe('on Mondays at seven');
  });
});
