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
import { type Gates, makePacksFolder } from './sample-runs.ts';

let fixture: BrowserFixture;
let gates: Gates;
let open: OpenPage | undefined;
const visit = async (path: string, options = {}) => {
  open = await fixture.open(path, options);
  return open.page;
};
const run = async (pack: string, input: object) =>
  (await (await fixture.api('POST', `/packs/${pack}`, input)).json()) as { output: Record<string, string> };
const pipelines = async () =>
  (await (await fixture.api('GET', '/pipelines')).json()) as {
    id: string;
    builtin: boolean;
    steps: { pack: string; input: object }[];
  }[];
const own = async () => (await pipelines()).filter(({ builtin }) => !builtin);
const card = (page: Page, heading: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });
const PACKS = ['release.write_notes', 'artifact.put'];

describe.skipIf(!CHROMIUM)('candidates for pipelines in a browser', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture((sandbox) => {
      gates = makePacksFolder(sandbox.dir);
      sandbox.env.HELMDECK_PACKS_DIR = gates.folder;
    });
    for (const work of ['first', 'second', 'third', 'fourth']) {
      const source_content = `The ${work} thing that was merged`;
      const { output } = await run('release.write_notes', { source_content, persona: 'technical' });
      await run('artifact.put', { content: output.markdown, kind: 'report' });
    }
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it.each(['light', 'dark'] as const)(
    'a candidate shows its evidence on a desktop and a phone in %s, without violations',
    async (colorScheme) => {
      const page = await visit('/routing', { colorScheme, reducedMotion: 'reduce', bypassCSP: true });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const item = card(page, 'Could be a pipeline');
        await item.getByText('Ran 4 times in this order; release.write_notes ran 4 times').waitFor();
        expect(await item.getByRole('listitem').allTextContents()).toEqual(PACKS);
        if (!(await item.getByText('source_content', { exact: true }).isVisible()))
          await item.getByText('What it would do').click();
        await item.getByText('${{ steps.write_notes.output.markdown }}').waitFor();
        if (await page.getByRole('button', { name: 'Pick runs' }).isVisible())
          await page.getByRole('button', { name: 'Pick runs' }).click();
        await page.locator('canvas').waitFor();
        await page.waitForTimeout(150);
        expect(await violationsIn(page), `${width} px`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width} px`).toBe(
          0,
        );
        const folder = process.env.SCREENSHOTS;
        if (folder)
          await page.screenshot({ path: `${folder}/candidates-${width}-${colorScheme}.png`, fullPage: true });
      }
      expect(open!.pageErrors).toEqual([]);
    },
  );

  it('runs that are ticked in the list become a pipeline with what flowed between them', async () => {
    const page = await visit('/routing');
    await page.getByRole('button', { name: 'Pick runs' }).click();
    const make = card(page, 'Recent activity').getByRole('button', { name: 'Make a pipeline' });
    await page.getByText('Tick from 2 to 20 runs').waitFor();
    expect(await make.isDisabled()).toBe(true);
    const boxes = page.getByRole('checkbox', { name: /^Pick / });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByText('2 runs become 2 steps').waitFor();
    await make.click();
    await page.waitForURL(/pipeline=pipe_/);
    const [made] = await own();
    expect(made!.steps.map(({ pack, input }) => [pack, input])).toEqual([
      ['release.write_notes', { source_content: '${{ inputs.source_content }}', persona: 'technical' }],
      ['artifact.put', { content: '${{ steps.write_notes.output.markdown }}', kind: 'report' }],
    ]);
    await page.getByRole('heading', { name: 'Write notes, then put' }).waitFor();
  });

  it('a candidate is promoted into a pipeline, and a dismissed one does not come back', async () => {
    const page = await visit('/routing');
    const before = (await own()).length;
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await card(page, 'Could be a pipeline').waitFor({ state: 'detached' });
    const { candidates } = (await (await fixture.api('GET', '/procedures/candidates')).json()) as {
      candidates: object[];
    };
    expect(candidates).toEqual([]);
    // With a step before, it is another sequence.
    for (const gate of ['a', 'b', 'c']) {
      const link = await run('release.write_notes', { source_content: `About ${gate}`, persona: 'friendly' });
      const put = await run('artifact.put', { content: link.output.markdown, kind: 'report' });
      await run('artifact.get', { artifact_key: put.output.artifact_key });
    }
    await page.reload();
    await card(page, 'Could be a pipeline').getByRole('button', { name: 'Make a pipeline' }).click();
    await page.waitForURL(/pipeline=pipe_/);
    await until(async () => (await own()).length === before + 1);
    await page.goto(`${fixture.server.url}/routing`);
    await card(page, 'Recent activity').waitFor();
    await card(page, 'Could be a pipeline').waitFor({ state: 'detached' });
  });
});
