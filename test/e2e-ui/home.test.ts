import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violationsIn } from './accessibility.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  until,
} from './browser-fixture.ts';
import { overflowing } from './overflow.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const store = (key: string, value: string, more: object = {}) =>
  fixture.api('POST', '/memory/store', { key, value, ...more });
const visit = async () => {
  open = await fixture.open('/');
  const home = open.page.getByRole('complementary', { name: 'Since your last visit' });
  await home.waitFor();
  return { page: open.page, home };
};

describe.skipIf(!CHROMIUM)('what happened since the last visit', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
    await store('infra/cluster', 'Staging has 3 replicas.');
    await store('notes/today', 'Staging has 5 replicas.');
    await store('preferences/editor', 'Ada edits in Helix', { ttl_seconds: 7_200 });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    expect(open!.pageErrors).toEqual([]);
    await open?.context.close();
    open = undefined;
  });

  it('says what agents learned and what ends soon, and opens a fact from there', async () => {
    const { page, home } = await visit();
    await home.getByText('Your agents learned 3 things and disagree about 1.').waitFor();
    await home.getByRole('button', { name: /preferences\/editor.*min|h left/ }).waitFor();
    await home
      .getByRole('button', { name: /preferences\/editor/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'preferences/editor' }).waitFor();
    expect(await home.count()).toBe(0);
  });

  it('shows a question of an agent as soon as it is asked, with the facts it was given', async () => {
    const { page, home } = await visit();
    await home.getByText('No agent has asked anything').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await fixture.api('POST', '/packs/helmdeck.memory_recall', { query: 'which editor' });
    await home.getByRole('button', { name: '“which editor”' }).waitFor();
    await home.getByText(/given 1 fact in [\d.]+ ms/).waitFor();
    await home.getByRole('button', { name: '“which editor”' }).click();
    await until(async () => (await page.getByLabel('Search memory').inputValue()) === 'which editor');
  });

  it('shows the notes of the next conversation, what a question would find and what was asked', async () => {
    const { page, home } = await visit();
    await home.getByRole('link', { name: 'What your agent sees' }).click();
    await page.getByText('- preferences/editor: Ada edits in Helix').waitFor();
    await page.getByLabel('In the folder').fill('cluster');
    await page.getByText('About "cluster", the current folder:').waitFor();
    const prompt = page.getByLabel('What you or the agent would ask');
    await prompt.fill('tell me what Ada edits in');
    await page
      .getByRole('listitem')
      .getByRole('button', { name: /Ada edits in Helix/ })
      .waitFor();
    // To the letter what a hook would put before this prompt. A look of the page is not a question of an agent.
    const before = page.locator('section', { hasText: 'A prompt would get' }).locator('pre');
    await before.getByText('Ada edits in Helix').waitFor();
    expect(await page.getByRole('button', { name: '“tell me' }).count()).toBe(0);
    const told = await fixture.api('POST', '/memory/prompt-notes', { prompt: 'tell me what Ada edits in' });
    expect(await before.textContent()).toBe(((await told.json()) as { text: string }).text);
    await prompt.fill('quarterly tax forms');
    await page.getByText('Nothing fits well enough').waitFor();
    await page.getByText('Nothing: no fact fits well enough.').waitFor();
    await fixture.api('POST', '/packs/helmdeck.memory_recall', { query: 'how many replicas' });
    const asked = page.getByRole('listitem').filter({ hasText: '“how many replicas”' });
    await asked.getByRole('button', { name: 'why' }).click();
    await asked
      .getByText(/\d\.\d\d “replicas” is in the text/)
      .first()
      .waitFor();
  });

  it.each([
    ['a phone', { width: 390, height: 844 }],
    ['a tablet', { width: 820, height: 1180 }],
  ])(
    'on %s a line above the list opens it, and Back, its button and a fact close it',
    async (_name, viewport) => {
      open = await fixture.open('/', { viewport, hasTouch: true });
      const { page } = open;
      const home = page.getByRole('complementary', { name: 'Since your last visit' });
      const line = page.getByRole('button', { name: /Your agents learned 3 things/ });
      await line.click();
      await home.getByText('These contradict each other').waitFor();
      expect(await page.title()).toBe('Since your last visit · Memory · Helmdeck');
      const box = (await home.boundingBox())!;
      expect(box.height).toBeGreaterThan(viewport.height / 2);
      expect(box.x + box.width).toBeLessThanOrEqual(viewport.width);
      await page.goBack();
      await until(async () => (await home.count()) === 0);
      await line.click();
      await home.getByRole('button', { name: 'Close' }).click();
      await until(async () => (await home.count()) === 0);
      await line.click();
      await home
        .getByRole('button', { name: /preferences\/editor/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'preferences/editor' }).waitFor();
      expect(await home.count()).toBe(0);
      await page.goBack();
      await home.waitFor();
      await page.goBack();
      await page.getByLabel('Search memory').fill('helix');
      await until(async () => (await line.count()) === 0);
    },
  );

  it('on a phone, More has the other pages, the command palette, help, the API, the theme and the way out', async () => {
    open = await fixture.open('/', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      bypassCSP: true,
    });
    const { page } = open;
    const tabs = page.getByRole('navigation', { name: 'Main' });
    const tab = tabs.getByRole('button', { name: 'More' });
    const more = page.getByRole('dialog', { name: 'More' });
    await page.locator('.fact').first().waitFor();
    expect(await tabs.locator('a:visible, button:visible').allTextContents()).toHaveLength(5);
    await tab.tap();
    expect(await violationsIn(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    await more.getByRole('button', { name: 'Find a fact, an action or a page' }).tap();
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('helix');
    await palette.getByRole('option').filter({ hasText: 'preferences/editor' }).tap();
    await page.getByRole('heading', { name: 'preferences/editor' }).waitFor();
    await page.goBack();
    await tab.tap();
    await more.getByRole('button', { name: 'Help' }).tap();
    const help = page.getByRole('dialog', { name: 'Help' });
    await help.getByText('a text under a key').waitFor();
    // A phone has no keys to list.
    expect(await help.getByText('next, previous').isVisible()).toBe(false);
    await help.getByRole('button', { name: 'Close' }).tap();
    await tab.tap();
    await more.getByRole('link', { name: 'Health and privacy' }).tap();
    await page.getByRole('heading', { name: 'Health and privacy', level: 1 }).waitFor();
    expect(await more.count()).toBe(0);
    await tab.tap();
    expect(await more.getByRole('link', { name: 'API' }).getAttribute('href')).toBe('/docs');
    await more.getByRole('button', { name: 'Switch theme' }).tap();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await more.getByRole('link', { name: 'Access audit' }).tap();
    await page.getByRole('heading', { name: 'Access audit', level: 1 }).waitFor();
    await tab.tap();
    await more.getByRole('button', { name: 'Sign out' }).tap();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('what the agent sees can be opened from the navigation of a phone, a tablet and a desktop, and the command palette from the rail', async () => {
    for (const width of [390, 820, 1440]) {
      open = await fixture.open('/', { viewport: { width, height: 900 } });
      const { page } = open;
      const main = page.getByRole('navigation', { name: 'Main' });
      await main
        .getByRole('link', { name: width === 390 ? 'Agent' : 'What your agent sees', exact: true })
        .click();
      await page.getByRole('heading', { name: 'What your agent sees', level: 1 }).waitFor();
      if (width > 390) {
        await page.getByRole('button', { name: 'Command palette' }).click();
        await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
      }
      expect(open.pageErrors).toEqual([]);
      await open.context.close();
    }
    open = await fixture.open('/');
    await open.page.getByLabel('Search memory').waitFor();
    await open.page.keyboard.press('g');
    await open.page.keyboard.press('a');
    await open.page.getByRole('heading', { name: 'What your agent sees', level: 1 }).waitFor();
  });

  it('a disagreement that agents made is shown until a person says that both are right, which can be undone', async () => {
    const { page, home } = await visit();
    const note = home.locator('.note-warn');
    const left = async () => {
      const answer = await fixture.api('GET', '/memory/disagreements');
      return ((await answer.json()) as { disagreements: object[] }).disagreements.length;
    };
    await note.getByText('“5”').waitFor();
    await note.getByText('“3”').waitFor();
    await note.getByRole('button', { name: 'Both are right' }).click();
    await until(async () => (await note.count()) === 0);
    await page
      .locator('.toast', { hasText: 'both are right' })
      .getByRole('button', { name: /^Undo/ })
      .click();
    await note.getByRole('button', { name: 'Both are right' }).click();
    await until(async () => (await note.count()) === 0);
    expect(await left(), 'it waits for an undo').toBe(1);
    await page.goto(`${fixture.server.url}/health`);
    await until(async () => (await left()) === 0);
  });
});
