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
const visit = async (path: string) => {
  open = await fixture.open(path);
  await open.page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
  return open.page;
};
const signIn = async () => {
  const response = await fetch(`${fixture.server.url}/api/v1/auth/session`, {
    method: 'POST',
    headers: { origin: fixture.server.url, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  return /helmdeck_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')![1]!;
};
const asBearer = (token: string, method: string, path: string, body?: unknown) =>
  fetch(`${fixture.server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

describe.skipIf(!CHROMIUM)('the Connect page', () => {
  beforeAll(async () => {
    fixture = await openBrowserFixture();
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    expect(open!.pageErrors).toEqual([]);
    await open?.context.close();
    open = undefined;
  });

  it('the chosen client is in the address, so that reload and Back keep it', async () => {
    const page = await visit('/connect?right=packs%3Arun');
    const chosen = (name: string) => page.getByRole('button', { name, pressed: true });
    await chosen('Claude Code Command line').waitFor();
    await page.getByRole('button', { name: /^Cursor/ }).click();
    await page.getByRole('button', { name: /^Codex/ }).click();
    expect(new URL(page.url()).searchParams.get('client')).toBe('codex');
    expect(new URL(page.url()).searchParams.get('right')).toBe('packs:run');
    await page.goBack();
    await chosen('Cursor Editor').waitFor();
    await page.reload();
    await chosen('Cursor Editor').waitFor();
    await page.goto(`${fixture.server.url}/connect?client=unknown`);
    await chosen('Claude Code Command line').waitFor();
  });

  it('browser sessions take one row, and the others end while what was connected from them goes on', async () => {
    const others = [await signIn(), await signIn()];
    const minted = await asBearer(others[0]!, 'POST', '/tokens', {
      name: 'from the other',
      client: 'cursor',
    });
    const { token } = (await minted.json()) as { token: string };
    const page = await visit('/connect');
    const row = page.locator('.sessions');
    await row.getByText(/^Browser sessions \(\d+\) · this one$/).waitFor();
    expect(await page.getByRole('button', { name: /^Revoke You, in the browser/ }).count()).toBe(0);
    await row.getByText(/^Browser sessions/).click();
    expect(await row.locator('tr').filter({ hasText: 'this one' }).getByRole('button').count()).toBe(0);
    await row.getByRole('button', { name: 'End the others' }).click();
    await row.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await row.getByText('Browser sessions (1) · this one').waitFor();
    expect(await row.getByRole('button', { name: 'End the others' }).count()).toBe(0);
    for (const other of others) expect((await asBearer(other, 'GET', '/auth/session')).status).toBe(401);
    expect((await asBearer(token, 'GET', '/auth/session')).status).toBe(200);
    await page.reload();
    await row.getByText('Browser sessions (1) · this one').waitFor();
  });

  it('the light shows what the newest question of the chosen client found', async () => {
    const page = await visit('/connect?client=gemini-cli');
    const light = page.getByRole('region', { name: 'Connection' });
    await light.getByText('Not connected yet').waitFor();
    const session = await signIn();
    const tokenFor = async (client: string) => {
      const scopes = ['memory:read', 'memory:write', 'packs:run'];
      const minted = await asBearer(session, 'POST', '/tokens', { client, scopes });
      return ((await minted.json()) as { token: string }).token;
    };
    const [gemini, codex] = [await tokenFor('gemini-cli'), await tokenFor('codex')];
    await asBearer(gemini, 'POST', '/memory/store', { key: 'how/deploy', value: 'We deploy with konflux.' });
    const ask = async (token: string, query: string) =>
      (await asBearer(token, 'POST', '/packs/helmdeck.memory_recall', { query })).text();
    await page.reload();
    await light.getByText('Gemini CLI is connected').waitFor();
    await ask(gemini, 'how do we deploy');
    await ask(codex, 'which editor');
    await until(async () =>
      /asked “how do we deploy”\s· 1 fact · (< )?\d+ ms/.test((await light.textContent()) ?? ''),
    );
  });

  it('one line with a code that works once connects a client, and the light turns on with its first call', async () => {
    const page = await visit('/connect?client=cursor');
    await page.getByLabel('Name').fill('desk');
    await page.getByRole('button', { name: 'Make code' }).click();
    await page.getByText('Waiting for its first call').waitFor();
    await open!.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    const { url } = fixture.server;
    const start = `helmdeck connect cursor --write --auto-recall --server ${url} --code `;
    expect(line.slice(0, start.length)).toBe(start);
    // The other way and another client keep what was made here.
    await page.getByRole('button', { name: 'By hand' }).click();
    await page.getByRole('button', { name: 'Make token' }).waitFor();
    await page.getByRole('button', { name: /^Other MCP client/ }).click();
    expect(await page.getByRole('button', { name: 'One line' }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('button', { name: 'One line' }).click();
    await page.getByText(line).waitFor();
    const redeemed = await asBearer('', 'POST', '/connect-codes/redeem', { code: line.slice(start.length) });
    const { token, scopes } = (await redeemed.json()) as { token: string; scopes: string[] };
    expect(scopes).toEqual(['memory:read', 'memory:write']);
    await page.getByText('Waiting for its first call').waitFor();
    expect((await asBearer(token, 'GET', '/memory/facts')).status).toBe(200);
    await page.getByRole('heading', { name: 'Cursor is connected' }).waitFor();
    await page.getByRole('button', { name: 'Revoke desk' }).waitFor();
  });

  it.each([
    ['cursor', 'Cursor', 'cursor://anysphere.cursor-deeplink/mcp/install?'],
    ['vscode', 'VS Code', 'vscode:mcp/install?'],
  ])('the button for %s carries an address and a token that work', async (client, name, start) => {
    const page = await visit(`/connect?client=${client}`);
    await page.getByRole('button', { name: 'By hand' }).click();
    await page.getByRole('button', { name: 'Make token' }).click();
    const link = (await page.getByRole('link', { name: `Add it to ${name}` }).getAttribute('href'))!;
    expect(link.slice(0, start.length)).toBe(start);
    const rest = link.slice(start.length);
    const query = new URLSearchParams(rest);
    const config = client === 'cursor' ? atob(query.get('config')!) : decodeURIComponent(rest);
    const { url, headers, ...more } = JSON.parse(config);
    expect(client === 'cursor' ? { name: query.get('name') } : more).toMatchObject({ name: 'helmdeck' });
    expect(url).toBe(`${fixture.server.url}/api/v1/mcp/memory`);
    const token = headers.Authorization.replace(/^Bearer /, '');
    const tool = { name: 'memory_recall', arguments: {} };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('results')]);
    expect((await asBearer(token, 'GET', '/tokens')).status).toBe(200);
  });

  it('a card says what auto-recall does in its client, and captures conversations only if asked', async () => {
    const page = await visit('/connect?client=copilot-cli');
    await page.getByText('With --auto-recall, conversations begin with what matters.').waitFor();
    const capture = page.getByLabel(/--auto-capture/);
    expect(await capture.count()).toBe(0);
    await page.getByRole('button', { name: /^Gemini CLI/ }).click();
    await page.getByText('prompts get the notes that concern them').waitFor();
    const line = page.getByText(/^helmdeck connect gemini-cli --write --auto-recall/);
    expect(await line.textContent()).not.toContain('--auto-capture');
    await capture.check();
    expect(await line.textContent()).toContain('--auto-recall --auto-capture --server');
  });

  it('a client that is connected to propose only gets a token that may not store', async () => {
    const page = await visit('/connect?client=cursor');
    await page.getByRole('button', { name: 'By hand' }).click();
    await page.getByLabel('Name').fill('careful');
    await page.getByLabel('What it stores waits in your inbox until you accept it').check();
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByRole('button', { name: 'Revoke careful' }).waitFor();
    const { tokens } = (await (await fixture.asPerson('GET', '/tokens')).json()) as {
      tokens: { name?: string; scopes: string[] }[];
    };
    const made = tokens.find(({ name }) => name === 'careful')!;
    expect(made.scopes.toSorted()).toEqual(['memory:propose', 'memory:read']);
  });

  it('a client shows how many tokens of the user it has and its last call; on a phone the clients are a select', async () => {
    const session = await signIn();
    const tokenFor = async (subject: string) => {
      const scopes = ['memory:read'];
      const minted = await asBearer(session, 'POST', '/tokens', { client: 'opencode', scopes, subject });
      return ((await minted.json()) as { token: string }).token;
    };
    const [first] = [await tokenFor('admin'), await tokenFor('admin'), await tokenFor('ada')];
    const page = await visit('/connect?client=opencode');
    const card = page.getByRole('button', { name: /^opencode/ });
    await card.getByText('2 tokens · no call yet').waitFor();
    expect((await asBearer(first, 'GET', '/memory/facts')).status).toBe(200);
    await page.reload();
    await card.getByText('2 tokens · just now').waitFor();
    await page
      .getByRole('region', { name: 'Connection' })
      .getByText(/^2 tokens, last call/)
      .waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const choice = page.getByRole('combobox', { name: 'Client' });
    expect(await choice.locator('option:checked').textContent()).toBe(
      'opencode (2 tokens, last call just now)',
    );
    expect(await page.getByRole('button', { name: /^Codex/ }).count()).toBe(0);
    await choice.selectOption('codex');
    expect(new URL(page.url()).searchParams.get('client')).toBe('codex');
    await page.getByRole('region', { name: 'Codex', exact: true }).waitFor();
  });

  it('an admin makes a token for another subject, and it opens the memory of that subject', async () => {
    const page = await visit('/connect?client=rest');
    await page.getByText('For someone else').click();
    await page.getByLabel('For whom').fill('grace');
    await page.getByRole('link', { name: 'Health and privacy' }).click();
    await page.getByRole('heading', { name: 'Health and privacy' }).waitFor();
    await page.goBack();
    await page.reload();
    expect(await page.getByLabel('For whom').inputValue()).toBe('grace');
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByText('for grace', { exact: true }).waitFor();
    await open!.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    const token = /Bearer ([^']+)/.exec(line)![1]!;
    expect(await (await asBearer(token, 'GET', '/auth/session')).json()).toMatchObject({ subject: 'grace' });
    await page.getByRole('heading', { name: 'REST is connected' }).waitFor();
    await page.reload();
    // It is not one of the admin's own.
    await page.getByRole('heading', { name: 'Not connected yet' }).waitFor();
    expect(await page.getByLabel('For whom').inputValue()).toBe('');
    await open!.context.request.delete(`${fixture.server.url}/api/v1/auth/session`);
    await open!.context.request.post(`${fixture.server.url}/api/v1/auth/session`, {
      headers: { authorization: `Bearer ${fixture.token}` },
    });
    await page.reload();
    await page.getByRole('button', { name: 'Make token' }).waitFor();
    expect(await page.getByText('For someone else').count()).toBe(0);
  });
});
