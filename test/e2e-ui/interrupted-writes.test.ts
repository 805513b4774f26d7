import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/services/free-port.ts';
import { type BrowserFixture, CHROMIUM, openBrowserFixture, PASSWORD, until } from './browser-fixture.ts';

let fixture: BrowserFixture;
let context: BrowserContext;

/** A write of a page: what is typed for it, how it is sent, and how it is seen to have succeeded. */
interface Write {
  path: string;
  prepare?(page: Page): Promise<void>;
  send(page: Page): Promise<void>;
  /** What must still be there after the failure. */
  typed?(page: Page): Promise<string>;
  succeeds(page: Page): Promise<void>;
}

const FACT = '{"key":"interrupted/import","value":"from a file"}\n';
const field = (page: Page, name: RegExp) => page.getByLabel(name).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const ok = (page: Page) => result(page).getByText('ok', { exact: true }).waitFor();
/** The note beside the form, not the banner of the page. */
const failure = (page: Page) => page.locator('[role="alert"]:not(.server-down)').first();
/** Presses a button that asks first; one that still asks is pressed once. */
const press = async (page: Page, first: RegExp, second: string) => {
  if (!(await button(page, second).isVisible())) await button(page, first).click();
  await button(page, second).click();
};

const writes: Record<string, Write> = {
  'running a pack': {
    path: '/packs?pack=helmdeck.memory_store',
    async prepare(page) {
      await field(page, /^key/).fill('interrupted/pack');
      await field(page, /^value/).fill('typed before the server stopped');
    },
    send: (page) => button(page, /^Run/).click(),
    typed: (page) => field(page, /^value/).inputValue(),
    succeeds: ok,
  },
  'keeping a secret': {
    path: '/packs?pack=vault.write',
    async prepare(page) {
      await field(page, /^name/).fill('interrupted');
      await field(page, /^value/).fill('typed before the server stopped');
    },
    send: (page) => button(page, /^Run/).click(),
    typed: (page) => field(page, /^value/).inputValue(),
    succeeds: ok,
  },
  'starting a pipeline': {
    path: '/packs?pipeline=PIPELINE',
    prepare: (page) => field(page, /^note/).fill('typed before the server stopped'),
    send: (page) => button(page, /^Run(?! again)/).click(),
    typed: (page) => field(page, /^note/).inputValue(),
    succeeds: (page) => page.getByRole('region', { name: 'Run', exact: true }).getByText('Done').waitFor(),
  },
  'saving a pipeline': {
    path: '/packs?mode=new',
    prepare: (page) =>
      page.getByRole('textbox', { name: 'Name', exact: true }).fill('typed before the server stopped'),
    send: (page) => button(page, 'Save pipeline').click(),
    typed: (page) => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(),
    succeeds: (page) => page.getByRole('heading', { name: 'typed before the server stopped' }).waitFor(),
  },
  'deleting a pipeline': {
    path: '/packs?pipeline=DELETED',
    prepare: (page) => button(page, /^Delete /).click(),
    send: (page) => button(page, 'Delete pipeline').click(),
    succeeds: (page) => page.getByRole('dialog').waitFor({ state: 'detached' }),
  },
  'making a code': {
    path: '/connect?client=cursor',
    prepare: (page) => page.getByLabel('Name').fill('typed before the server stopped'),
    send: (page) => button(page, 'Make code').click(),
    typed: (page) => page.getByLabel('Name').inputValue(),
    succeeds: (page) => page.getByText('Waiting for its first call').waitFor(),
  },
  'making a token for someone else': {
    path: '/connect?client=rest',
    async prepare(page) {
      await page.getByText('For someone else').click();
      await page.getByLabel('For whom').fill('typed before the server stopped');
    },
    send: (page) => button(page, 'Make token').click(),
    typed: (page) => page.getByLabel('For whom').inputValue(),
    succeeds: (page) => page.getByText('for typed before the server stopped').waitFor(),
  },
  'revoking a token': {
    path: '/connect',
    send: (page) => press(page, /^Revoke interrupted/, 'Revoke interrupted for good'),
    succeeds: (page) => button(page, /^Revoke interrupted/).waitFor({ state: 'detached' }),
  },
  'importing a file': {
    path: '/health',
    async prepare(page) {
      const file = { name: 'facts.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(FACT) };
      await page.getByLabel('Choose an export file').setInputFiles(file);
      await page.getByText('1 to store').waitFor();
    },
    send: (page) => button(page, 'Import 1 fact').click(),
    typed: (page) => page.getByText('facts.jsonl').textContent().then(String),
    succeeds: (page) => page.getByText('1 stored').waitFor(),
  },
  'tagging several facts': {
    path: '/?prefix=several%2F',
    async prepare(page) {
      await page.getByRole('checkbox', { name: 'Select all rows' }).check();
      await page.getByRole('button', { name: 'Tags' }).click();
      await page.getByLabel('Add tags').fill('typed, before');
    },
    send: (page) => button(page, /^Save$/).click(),
    typed: (page) => page.getByLabel('Add tags').inputValue(),
    succeeds: (page) => page.locator('.toast').getByText('2 facts changed').waitFor(),
  },
  'settling a disagreement': {
    path: '/',
    send: (page) => button(page, 'Both are right').click(),
    succeeds: (page) => button(page, 'Both are right').waitFor({ state: 'detached' }),
  },
  'ending the other sessions': {
    path: '/connect',
    send: (page) => press(page, /^End the others/, 'Sign out everywhere else'),
    succeeds: (page) => page.getByText('Browser sessions (1) · this one').waitFor(),
  },
  'erasing everything': {
    path: '/health',
    async prepare(page) {
      await page.getByText('Erase everything').click();
      await page.getByLabel('Type this to continue').fill('erase admin');
    },
    send: (page) => button(page, 'Erase admin').click(),
    typed: (page) => page.getByLabel('Type this to continue').inputValue(),
    succeeds: (page) => page.getByRole('region', { name: 'Receipt' }).getByText('verified').waitFor(),
  },
};

const pages = new Map<string, { page: Page; held: Route[]; typed: string | undefined }>();

/** Opens a page, fills it in, and sends the write, which is held on its way. */
async function begin(name: string, write: Write, path: string): Promise<void> {
  const page = await context.newPage();
  const held: Route[] = [];
  // As the tabs that are not shown: with a stream of events each, they would take all connections of the browser.
  await page.addInitScript("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
  await page.goto(fixture.server.url + path);
  await write.prepare?.(page);
  const typed = await write.typed?.(page);
  await page.route(
    (url) => url.pathname.startsWith('/api/'),
    async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      held.push(route);
    },
  );
  await write.send(page);
  await until(async () => held.length > 0);
  pages.set(name, { page, held, typed });
}

describe.skipIf(!CHROMIUM)('writes that the server does not answer because it stopped', () => {
  beforeAll(async () => {
    // A fixed port, so that the pages find the server again after a restart.
    fixture = await openBrowserFixture(async ({ env }) => {
      env.HELMDECK_ADDR = `127.0.0.1:${await freePort()}`;
    });
    const steps = [{ id: 'keep', pack: 'artifact.put', input: { content: '${{ inputs.note }}' } }];
    const create = async (name: string) => {
      const definition = { name, inputs: { note: { type: 'string' } }, steps };
      return ((await (await fixture.api('POST', '/pipelines', definition)).json()) as { id: string }).id;
    };
    const ids = { PIPELINE: await create('Kept'), DELETED: await create('Given up') };
    for (const [key, value] of [
      ['several/a', 'Staging has 3 replicas.'],
      ['several/b', 'Staging has 5 replicas.'],
    ])
      await fixture.api('POST', '/memory/store', { key, value });
    const opened = await fixture.open('/health');
    context = opened.context;
    const { request } = context;
    const origin = fixture.server.url;
    await request.post(`${origin}/api/v1/tokens`, {
      headers: { origin },
      data: { name: 'interrupted', client: 'cursor', scopes: ['memory:read'] },
    });
    await fetch(`${origin}/api/v1/auth/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: PASSWORD }),
    });
    for (const [name, write] of Object.entries(writes))
      await begin(
        name,
        write,
        write.path.replace(/PIPELINE|DELETED/, (id) => ids[id as keyof typeof ids]),
      );
    await fixture.server.stop('SIGKILL');
    for (const { held, page } of pages.values()) {
      const failed = page.waitForEvent('requestfailed', (request) => request.method() !== 'GET');
      await Promise.all(held.map((route) => route.continue()));
      await failed;
      await page.unrouteAll();
    }
    fixture.server = await fixture.sandbox.serve('--init');
  });
  afterAll(() => fixture?.close());

  it.each(Object.entries(writes))(
    '%s says that it failed, keeps what was typed, and works when it is tried again',
    async (name, write) => {
      const { page, typed } = pages.get(name)!;
      const note = failure(page);
      expect(await note.textContent()).toMatch(/did not reach the server|could not|failed/i);
      expect(await write.typed?.(page)).toBe(typed);
      await write.send(page);
      await write.succeeds(page);
      await note.waitFor({ state: 'detached' });
      await page.close();
    },
  );
});
