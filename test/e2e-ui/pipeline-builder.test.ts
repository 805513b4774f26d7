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
import { overflowing } from './overflow.ts';
import { makePacksFolder } from './sample-runs.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, { reducedMotion: 'reduce', bypassCSP: true, ...options });
  return open.page;
};
const step = (page: Page, number: number) =>
  page.getByRole('region', { name: `Step ${number}`, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save pipeline' });
interface Definition {
  id: string;
  name: string;
  inputs: Record<string, object>;
  steps: { id: string; pack: string; input: Record<string, unknown> }[];
}
const saved = async (name: string) =>
  ((await (await fixture.api('GET', '/pipelines')).json()) as Definition[]).find(
    (each) => each.name === name,
  );

async function add(page: Page, pack: string): Promise<void> {
  await page.getByLabel('A pack for the next step').selectOption(pack);
  await page.getByRole('button', { name: 'Add step' }).click();
}

describe.skipIf(!CHROMIUM)('the pipeline builder in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture((sandbox) => {
      sandbox.env.HELMDECK_PACKS_DIR = makePacksFolder(sandbox.dir).folder;
    });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('a pipeline is built from forms, with the output of an earlier step in a field, and runs as saved', async () => {
    const page = await visit('/packs?mode=new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes of a release');
    while ((await page.locator('.build-step').count()) > 0)
      await page
        .getByRole('button', { name: /^Remove (keep|remember)/ })
        .first()
        .click();
    await page.getByRole('button', { name: 'Remove the input note' }).click();
    await add(page, 'release.collect_changes');
    await add(page, 'release.write_notes');
    await save(page).click();
    await step(page, 2).getByText('This is required.').first().waitFor();
    await page.getByText('2 things to correct').waitFor();
    await page.getByRole('button', { name: /for source_content$/ }).click();
    await page.getByRole('button', { name: 'text', exact: true }).click();
    const content = step(page, 2).getByRole('textbox', { name: /^source_content/ });
    expect(await content.inputValue()).toBe('${{ steps.collect_changes.output.text }}');
    await page.getByRole('button', { name: /for persona$/ }).click();
    await page.getByRole('button', { name: 'A new input: persona' }).click();
    await page.getByLabel('Description of persona').waitFor();
    await step(page, 1).getByLabel('Name of the step').fill('collect');
    await step(page, 1).getByLabel('Pack').focus();
    await until(async () => (await content.inputValue()) === '${{ steps.collect.output.text }}');
    await save(page).click();
    await page.getByRole('heading', { name: 'Notes of a release' }).waitFor();
    const definition = (await saved('Notes of a release'))!;
    expect(definition.steps).toEqual([
      { id: 'collect', pack: 'release.collect_changes', input: { since: 'last tag', limit: 20 } },
      {
        id: 'write_notes',
        pack: 'release.write_notes',
        input: { source_content: '${{ steps.collect.output.text }}', persona: '${{ inputs.persona }}' },
      },
    ]);
    expect(definition.inputs.persona).toMatchObject({ type: 'string', enum: expect.any(Array) });
    await page.getByLabel('persona').selectOption('friendly');
    await page
      .getByRole('button', { name: /^Run(?! again)/ })
      .first()
      .click();
    await page.locator('.step').filter({ hasText: 'write_notes' }).getByText('Done').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('the form and the JSON show the same definition, and what JSON alone can say is kept', async () => {
    const page = await visit('/packs?mode=new&pipeline=builtin.fetch-to-fact');
    const json = page.getByRole('button', { name: 'JSON', exact: true });
    await json.click();
    const area = page.getByLabel('Definition');
    const first = JSON.parse(await area.inputValue()) as Definition;
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Bookmarks');
    await page.getByRole('button', { name: new RegExp(`^Move ${first.steps[1]!.id} up`) }).click();
    await json.click();
    const changed = JSON.parse(await area.inputValue()) as Definition;
    expect(changed).toEqual({
      ...first,
      name: 'Bookmarks',
      steps: [first.steps[1], first.steps[0], ...first.steps.slice(2)],
    });
    await area.fill('{ "name": ');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByText('This is not JSON yet').waitFor();
    expect(await area.inputValue()).toBe('{ "name": ');
  });

  it('what was typed survives a reload and leaving the page, and can be discarded', async () => {
    const page = await visit('/packs?mode=new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Half of an idea');
    await page.reload();
    await page.getByText(/^Unsaved text from/).waitFor();
    expect(await name.inputValue()).toBe('Half of an idea');
    await page.getByRole('link', { name: /^http\.fetch/ }).click();
    await page.getByRole('button', { name: 'Leave and keep it' }).click();
    await page.getByRole('heading', { name: 'http.fetch' }).waitFor();
    await page.goBack();
    expect(await name.inputValue()).toBe('Half of an idea');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    expect(await name.inputValue()).toBe('Keep a note');
    await page.reload();
    await name.waitFor();
    expect(await page.getByText(/^Unsaved text from/).count()).toBe(0);
  });

  it('the builder works with the keyboard alone', async () => {
    const page = await visit('/packs?mode=new');
    await page.getByRole('button', { name: /for content$/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')");
    expect(await focused()).toMatch(/for content$/);
    await page.getByRole('button', { name: 'Move keep down' }).focus();
    await page.keyboard.press('Enter');
    await until(async () => (await focused()) === 'Move keep down');
    await step(page, 2).getByText('keep', { exact: true }).waitFor();
    await page.keyboard.press('Enter'); // it is the last one now, and keeps the focus
    expect(await focused()).toBe('Move keep down');
    await page.getByLabel('A pack for the next step').focus();
    await page.keyboard.type('http');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(async () => (await page.locator('.build-step').count()) === 3);
    await until(() => page.evaluate<boolean>("document.activeElement.value === 'fetch'"));
    await page.getByRole('button', { name: 'Remove fetch' }).press('Enter');
    await until(async () => (await focused()) === 'A pack for the next step');
    await page.getByRole('button', { name: 'Move keep up' }).focus();
    await page.keyboard.press('Enter');
    await until(async () => (await focused()) === 'Move keep up');
    await step(page, 1).getByText('keep', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Move keep down' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('There is no step keep before this one.').waitFor();
    await until(() =>
      page.evaluate<boolean>("document.activeElement.getAttribute('aria-invalid') === 'true'"),
    );
  });

  it('Save stays in sight, and the builder has no overflow and no accessibility violations at any width', async () => {
    const page = await visit('/packs?mode=new');
    await add(page, 'release.collect_changes');
    await add(page, 'release.write_notes');
    await save(page).click();
    for (const [width, height] of [
      [390, 844],
      [820, 1180],
      [1024, 700],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('textbox', { name: 'Name', exact: true }).scrollIntoViewIfNeeded();
      const box = (await save(page).boundingBox())!;
      expect(box.y + box.height, `${width}`).toBeLessThanOrEqual(height);
      expect(await overflowing(page), `${width}`).toEqual([]);
    }
    await page.getByRole('button', { name: /for source_content$/ }).click();
    await page.getByText('Output of collect_changes').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsIn(page, ['color-contrast'])).toEqual([]);
  });
});
