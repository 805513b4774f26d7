import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { type BrowserFixture, openBrowserFixture } from '../test/e2e-ui/browser-fixture.ts';
import { storeSampleMemory } from '../test/e2e-ui/sample-memory.ts';
import { fillRunHistory, type Gates, makePacksFolder, runSamples } from '../test/e2e-ui/sample-runs.ts';
import { installPackage } from '../test/support/services/debian-package.ts';

// Takes screenshots of every page with sample data: `npm run ui:screenshots [folder] [png]`. The default is WebP, a
// third of the size of PNG.

const folder = resolve(process.argv[2] ?? 'docs/images');
const format = process.argv[3] === 'png' ? 'png' : 'webp';
mkdirSync(folder, { recursive: true });
// The fonts of the UI; without them the screenshots still work.
for (const name of ['fonts-inter', 'fonts-jetbrains-mono']) installPackage(name);

const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const LOOKS = {
  'desktop-light': { ...DESKTOP, colorScheme: 'light' },
  'desktop-dark': { ...DESKTOP, colorScheme: 'dark' },
  'phone-light': { ...PHONE, colorScheme: 'light' },
  'phone-dark': { ...PHONE, colorScheme: 'dark' },
} as const;

interface Shot {
  path: string;
  /** Brings the page into the state to show. */
  prepare?(page: Page, context: BrowserContext): Promise<unknown>;
  /** Undoes it for the next screenshot. */
  after?(): Promise<unknown>;
}

let gates: Gates | undefined;
const fixture = await openBrowserFixture(async ({ dir, env }) => {
  gates = makePacksFolder(dir);
  Object.assign(env, {
    HELMDECK_PACKS_DIR: gates.folder,
    HELMDECK_MEMORY_KEY: 'a'.repeat(64),
    HELMDECK_EMBEDDINGS_URL: 'builtin',
  });
  await fillRunHistory(env);
});
try {
  await storeSampleMemory(fixture);
  await proposeSamples(fixture);
  await fillSpace(fixture);
  await repeatSequence(fixture);
  const shots = shotsOf(fixture, await runSamples(fixture, gates!));
  // Pictures show how long a search took: not the first one of a process, which loads images and models.
  for (let search = 0; search < 50; search++) await fixture.api('GET', '/memory/search?q=frontend');
  for (const [look, options] of Object.entries(LOOKS)) {
    const { page, context, pageErrors } = await fixture.open('/', options);
    page.setDefaultTimeout(30_000);
    // The first visit of a page loads its script and what the server has not cached yet.
    for (const { path } of Object.values(shots)) await settle(page, path);
    for (const [name, { path, prepare, after }] of Object.entries(shots)) {
      await settle(page, path);
      await prepare?.(page, context);
      await page.waitForTimeout(900);
      await take(page, `${name}-${look}`);
      await after?.();
    }
    await context.clearCookies();
    await page.goto(fixture.server.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await take(page, `login-${look}`);
    // Without a session the server returns 401, which the browser logs as an error.
    for (const pageError of pageErrors)
      if (!pageError.includes('401')) console.error(`${look}: ${pageError}`);
    await context.close();
  }
} finally {
  await fixture.close();
}

/** Opens a page and waits until nothing of it is a placeholder. */
async function settle(page: Page, path: string): Promise<void> {
  await page.goto(fixture.server.url + path);
  await page.locator('main h1, main h2').first().waitFor();
  await page.waitForTimeout(200); // placeholders appear after 150 ms
  while ((await page.locator('.sk').count()) > 0) await page.waitForTimeout(50);
}

function shotsOf(at: BrowserFixture, pipeline: string): Record<string, Shot> {
  const connecting = connectAsClaudeCode(at);
  return {
    memory: { path: '/?q=deploy+konflux&key=konflux%2Fdeploy' },
    merge: { path: '/?q=deploy+konflux&key=konflux%2Fdeploy&mode=merge&with=konflux%2Fhotfix' },
    inbox: { path: '/inbox' },
    routing: { path: '/routing' },
    packs: { path: '/packs?pack=release.write_notes', prepare: runOpenPack },
    pipeline: { path: `/packs?pipeline=${pipeline}` },
    connect: { path: '/connect', ...connecting },
    health: {
      path: '/health',
      prepare: (page) => page.getByRole('heading', { name: 'Search by meaning' }).waitFor(),
    },
    spaces: { path: '/spaces?space=platform' },
  };
}

/** What agents would like to remember: something new, and a change to a fact. */
async function proposeSamples({ api }: BrowserFixture): Promise<void> {
  const samples = [
    { key: 'people/lena', value: 'Lena reviews changes to the billing service.', tags: ['team'] },
    { key: 'preferences/answers', value: 'Short answers first, then the reasons.', category: 'preferences' },
    { key: 'konflux/deploy', value: 'Deploy with "make release" from the release branch, never from main.' },
  ];
  for (const sample of samples) await api('POST', '/memory/store', { ...sample, propose: true });
}

/** A space of a team, with members and what they share. */
async function fillSpace({ asPerson }: BrowserFixture): Promise<void> {
  await asPerson('POST', '/spaces', { slug: 'platform' });
  const roles = { 'group:engineering': 'reader', lena: 'writer', mara: 'proposer' };
  for (const [principal, role] of Object.entries(roles))
    await asPerson('PUT', `/spaces/platform/grants/${encodeURIComponent(principal)}`, { role });
  const facts = {
    'deploy/window': 'Deploys happen on Mondays, between ten and noon.',
    'oncall/rota': 'The rota changes on Wednesday; the handover note goes to the platform channel.',
  };
  for (const [key, value] of Object.entries(facts))
    await asPerson('POST', '/memory/store?space=platform', { key, value });
}

/** Two packs, several times in this order, which could be a pipeline. */
async function repeatSequence({ api }: BrowserFixture): Promise<void> {
  for (const work of ['the billing service', 'the ingress', 'the nightly snapshot', 'the search page']) {
    const source_content = `What was merged for ${work}`;
    const response = await api('POST', '/packs/release.write_notes', {
      source_content,
      persona: 'technical',
    });
    const { output } = (await response.json()) as { output: { markdown: string } };
    await api('POST', '/packs/artifact.put', { content: output.markdown, kind: 'report' });
  }
}

async function runOpenPack(page: Page): Promise<void> {
  const work =
    'We moved the last service to Konflux on Friday. Deploys are now signed, and four minutes faster.';
  await page.getByLabel('source_content').fill(work);
  await page.keyboard.press('Control+Enter');
}

/** Makes a token, copies its command and calls the API with it, as Claude Code would. */
function connectAsClaudeCode({ server, api }: BrowserFixture): Pick<Shot, 'prepare' | 'after'> {
  let token = '';
  return {
    async prepare(page, context) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'By hand' }).click();
      await page.getByLabel('Name').fill('studio');
      await page.getByRole('button', { name: 'Make token' }).click();
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      const line = await page.evaluate<string>('navigator.clipboard.readText()');
      token = /Bearer ([\w.-]+)/.exec(line)![1]!;
      await fetch(`${server.url}/api/v1/memory/facts`, { headers: { authorization: `Bearer ${token}` } });
      await page.getByRole('heading', { name: 'is connected' }).waitFor();
      await page.locator('.page').evaluate((element) => element.scrollTo(0, 0));
    },
    async after() {
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
        jti: string;
      };
      await api('DELETE', `/tokens/${jti}`);
    },
  };
}

async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' ? { quality: 88 } : {}),
  });
  writeFileSync(join(folder, `${name}.${format}`), Buffer.from(data, 'base64'));
  await session.detach();
}
