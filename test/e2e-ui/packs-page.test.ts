import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserFixture, CHROMIUM, type OpenPage, openBrowserFixture } from './browser-fixture.ts';
import { type Gates, makePacksFolder, RELEASE_PIPELINE } from './sample-runs.ts';

let fixture: BrowserFixture;
let gates: Gates;
let pipeline: string;
let open: OpenPage | undefined;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T;
const runPack = (pack: string, input: object) => fixture.api('POST', `/packs/${pack}`, input);
const run = (page: Page) => page.getByRole('button', { name: /^Run(?! without)/ }).first();
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const picture = (page: Page) => page.getByRole('region', { name: 'Run', exact: true });
const step = (page: Page, id: string) => picture(page).locator('.step').filter({ hasText: id });

describe.skipIf(!CHROMIUM)('the Packs page in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture((sandbox) => {
      gates = makePacksFolder(sandbox.dir);
      sandbox.env.HELMDECK_PACKS_DIR = gates.folder;
    });
    pipeline = (await json<{ id: string }>(fixture.api('POST', '/pipelines', RELEASE_PIPELINE))).id;
    for (const audience of ['platform engineers', 'platform engineers', 'everybody'])
      await runPack('release.write_notes', {
        source_content: `For ${audience}`,
        persona: 'friendly',
        audience,
      });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('the catalogue finds a pack by a word of its metadata, and marks locked packs', async () => {
    const page = await visit('/packs');
    await open!.context.request.post(`${fixture.server.url}/api/v1/auth/session`, {
      headers: { authorization: `Bearer ${fixture.token}` },
    });
    await page.reload();
    await page.getByRole('link', { name: /^vault\.read locked/ }).click();
    await page.getByText('This needs the right vault:read').waitFor();
    await page.getByRole('link', { name: 'Make a token with that right' }).click();
    await page.getByText('You are signed in without the right vault:read').waitFor();
    await page.goBack();
    await page.keyboard.press('/');
    await page.keyboard.type('announce');
    await page.getByRole('link', { name: /^vault\.read/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^release\.write_notes/ }).click();
    await page.getByRole('heading', { name: 'release.write_notes' }).waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('the form of a pack is filled with learned defaults and their evidence, and its result shows the cache status', async () => {
    const page = await visit('/packs?pack=release.write_notes');
    const audience = page.getByLabel('audience');
    await page.getByText('2 of 3').waitFor();
    expect(await audience.inputValue()).toBe('platform engineers');
    expect(await page.getByLabel('persona').locator('option:checked').textContent()).toBe('friendly');
    await audience.fill('finance');
    expect(await page.getByText('2 of 3').count()).toBe(0);
    await run(page).click();
    await page.getByText('This is required.').waitFor();
    await page.getByLabel('source_content').fill('<img src=x onerror=alert(1)> **Signed** deploys');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('cache miss').waitFor();
    await result(page).locator('.prose strong', { hasText: 'Signed' }).waitFor();
    expect(await result(page).locator('img').count()).toBe(0);
    await run(page).click();
    await result(page)
      .getByText(/cache hit · \d+ s old/)
      .waitFor();
    await page.getByRole('button', { name: 'Run without cache' }).click();
    await result(page).getByText('cache skipped').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('a form edits lists, maps, objects and numbers, and the same input can be edited as JSON', async () => {
    const page = await visit('/packs?pack=release.collect_changes');
    await page.getByLabel('limit').fill('many');
    await page.getByText('This must be a number.').waitFor();
    await page.getByLabel('limit').fill('7');
    await page.getByRole('button', { name: 'Add to paths' }).click();
    await page.getByRole('textbox', { name: 'paths 1' }).fill('ui/');
    await page.getByRole('button', { name: 'Add to labels' }).click();
    await page.getByLabel('labels 1, name').fill('kind');
    await page.getByLabel('labels 1, value').fill('fix');
    await page.getByRole('button', { name: 'Add author' }).click();
    await page.getByRole('textbox', { name: 'name required' }).fill('Mara');
    await page.getByLabel('bots').check();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const area = page.getByLabel('Input as JSON');
    const typed = JSON.parse(await area.inputValue()) as object;
    const expected = {
      limit: 7,
      paths: ['ui/'],
      labels: { kind: 'fix' },
      author: { name: 'Mara', bots: true },
    };
    expect(typed).toEqual({ since: 'last tag', ...expected });
    await area.fill('{ "limit": 700 ');
    await page.getByText('This is not JSON yet').waitFor();
    await area.fill(JSON.stringify({ ...typed, limit: 700 }));
    await page.getByText('limit: At most 100.').waitFor();
    await area.fill(JSON.stringify(typed));
    await run(page).click();
    await result(page).getByText('"Mara"').waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('a failed run shows its message and hint, and a running one can be cancelled', async () => {
    const page = await visit('/packs?pack=release.check_links');
    await page.getByLabel('text').fill('notes');
    await run(page).click();
    await result(page).getByText('Correct the link to the snapshot').waitFor();
    await result(page).getByText('handler_failed').waitFor();
    await page.goto(`${fixture.server.url}/packs?pack=release.collect_changes`);
    await page.getByLabel('gate').fill('never-opened');
    await run(page).click();
    await result(page).getByRole('button', { name: 'Cancel' }).click();
    await result(page).getByText('You stopped this run.').waitFor();
  });

  it('a job is followed also after its page was left, and can be cancelled', async () => {
    const page = await visit('/packs?pack=release.rehearse');
    await page.getByLabel('gate').fill('rehearsal');
    await run(page).click();
    await result(page).getByText('building the copy').waitFor();
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    await page.goBack();
    await result(page).getByRole('progressbar').waitFor();
    gates.open('rehearsal');
    await result(page).getByText('The quick rehearsal went through').first().waitFor();
    await page.getByLabel('gate').fill('never-opened');
    await run(page).click();
    await result(page).getByText('building the copy').waitFor();
    await result(page).getByRole('button', { name: 'Cancel' }).click();
    await result(page).getByText('You stopped this run.').waitFor();
  });

  it('a pipeline shows its steps as they run, resumes from a failed step, and links its artifact and fact', async () => {
    const page = await visit(`/packs?pipeline=${pipeline}`);
    await page.getByLabel('audience').fill('platform engineers');
    await page.getByLabel('gate').fill('first-run');
    await run(page).click();
    await step(page, 'collect').getByText('Running').waitFor();
    await step(page, 'collect').getByText('reading the log').waitFor();
    await step(page, 'links').getByText('Waiting').waitFor();
    gates.open('first-run');
    await step(page, 'links').getByText('Failed').waitFor();
    await picture(page).getByText('One of three links does not answer.').waitFor();
    await step(page, 'write').getByText('Waiting').waitFor();
    gates.open('links-answer');
    await page.getByRole('button', { name: 'Resume from links' }).click();
    await step(page, 'remember').getByText('Done').waitFor();
    await page.getByRole('button', { name: 'write', exact: true }).click();
    await page.getByRole('region', { name: 'Step write' }).getByText('persona_used').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download release-notes.md' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain('# Every deploy is signed now');
    await page.getByRole('link', { name: 'releases/latest' }).first().click();
    await page.getByRole('heading', { name: 'releases/latest' }).waitFor();
    expect(open!.pageErrors).toEqual([]);
  });

  it('a cancelled pipeline run can be run again, and stays in the list', async () => {
    const page = await visit(`/packs?pipeline=${pipeline}`);
    await page.getByLabel('gate').fill('second-run');
    await run(page).click();
    await step(page, 'collect').getByText('Running').waitFor();
    await picture(page).getByRole('button', { name: 'Cancel' }).click();
    await picture(page).getByText('You stopped this run.').waitFor();
    gates.open('second-run');
    await picture(page).getByRole('button', { name: 'Run again' }).click();
    await step(page, 'remember').getByText('Done').waitFor();
    await page.getByRole('link', { name: 'cancelled' }).first().waitFor();
  });

  it('a built-in pipeline can be duplicated, an invalid definition is rejected with a reason, and the copy can be deleted', async () => {
    const page = await visit('/packs?pipeline=builtin.fetch-to-fact');
    await page.getByRole('heading', { name: 'Page to fact' }).waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const area = page.getByLabel('Definition');
    const copy = JSON.parse(await area.inputValue()) as { name: string; steps: { pack: string }[] };
    await area.fill(JSON.stringify({ ...copy, steps: [{ id: 'x', pack: 'no.such_pack' }] }));
    await page.getByText('steps/0/pack: There is no pack no.such_pack.').waitFor();
    const early = { id: 'x', pack: 'http.fetch', input: { url: '${{ steps.later.output.url }}' } };
    await area.fill(JSON.stringify({ ...copy, steps: [early] }));
    await page.getByText('steps/0/input/url: There is no step later before this one.').waitFor();
    const odd = { id: 'x', pack: 'http.fetch', input: { url: '${{ nothing.known }}' } };
    await area.fill(JSON.stringify({ ...copy, steps: [odd] }));
    await page.getByText('There is no step later').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save pipeline' }).click();
    await page.getByText('The pipeline could not be saved.').waitFor();
    await area.fill(JSON.stringify({ ...copy, name: 'Bookmarks' }));
    await page.getByRole('button', { name: 'Save pipeline' }).click();
    await page.getByRole('heading', { name: 'Bookmarks' }).waitFor();
    await page.getByRole('button', { name: 'Delete Bookmarks' }).click();
    await page.getByRole('button', { name: 'Delete pipeline' }).click();
    await page.getByRole('link', { name: /^Bookmarks/ }).waitFor({ state: 'detached' });
  });

  it('"What should I use?" leads to a filled form, and says when nothing fits', async () => {
    const page = await visit('/packs');
    const ask = page.getByLabel('What should I use?');
    await ask.fill('fetch a page from https://example.org/today');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'What fits' })
      .getByText('url: https://example.org/today')
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('url').waitFor();
    expect(await page.getByLabel('url').inputValue()).toBe('https://example.org/today');
    await ask.fill('translate my poem into klingon');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing fits yet.').waitFor();
    await page.getByText('Its possible inputs and outputs').click();
    await page.getByText('input_schema').waitFor();
  });

  it('the steps of a pipeline wrap instead of scrolling sideways, and none is cut', async () => {
    const page = await visit(`/packs?pipeline=${pipeline}`, { viewport: { width: 820, height: 1180 } });
    await page.locator('.flow .step').nth(4).waitFor();
    for (const width of [1440, 820, 390]) {
      await page.setViewportSize({ width, height: 1180 });
      const outside = await page.evaluate<string[]>(`(() => {
        const { left, right } = document.querySelector('.flow').getBoundingClientRect();
        const cut = (step) => {
          const box = step.getBoundingClientRect();
          return box.left < left || box.right > right;
        };
        return [...document.querySelectorAll('.flow .step')].filter(cut).map((step) => step.textContent);
      })()`);
      expect(outside, `at ${width} px`).toEqual([]);
    }
  });

  it('an open form stays when its pack cannot be refreshed', async () => {
    const page = await visit('/packs?pack=release.write_notes');
    const content = page.getByLabel('source_content');
    await content.fill('typed before the network failed');
    await page.route('**/api/v1/**', (route) => route.abort());
    await run(page).click();
    // The server answers again, and the page refreshes what it shows, in vain.
    const refused = page.waitForEvent('requestfailed', (request) => /packs\/release/.test(request.url()));
    await page.getByRole('button', { name: 'Retry now' }).click();
    await refused;
    await page.getByText('The server is not answering.').waitFor();
    expect(await content.inputValue()).toBe('typed before the network failed');
    expect(await content.isVisible()).toBe(true);
  });
});
