import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { receiptProblem } from '../../packages/helmdeck/src/memory/erase/receipts.ts';
import { freePort } from '../support/services/free-port.ts';
import {
  type BrowserFixture,
  CHROMIUM,
  type OpenPage,
  openBrowserFixture,
  PASSWORD,
} from './browser-fixture.ts';

let fixture: BrowserFixture;
let open: OpenPage | undefined;
const visit = async (path: string) => {
  open = await fixture.open(path);
  return open.page;
};
const asAdmin = async (method: string, path: string, body: object, token?: string) => {
  const answer = await fetch(`${fixture.server.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { token: string };
};

describe.skipIf(!CHROMIUM)('the Health and Connect pages in a browser', () => {
  beforeAll(async () => {
    // A fixed port, so that the page finds the server again after a restart.
    fixture = await openBrowserFixture(async ({ env }) => {
      env.HELMDECK_ADDR = `127.0.0.1:${await freePort()}`;
    });
    for (const n of [1, 2, 3])
      await fixture.api('POST', '/memory/store', { key: `kept/${n}`, value: `value ${n}` });
  });
  afterAll(() => fixture?.close());
  afterEach(async () => {
    await open?.context.close();
    open = undefined;
  });

  it('the Connect page makes a token and a configuration for a client, shows its first call, and revokes it', async () => {
    const page = await visit('/connect');
    await page.getByRole('button', { name: /^Cursor/ }).click();
    await page.getByRole('button', { name: 'By hand' }).click();
    await page.getByLabel('Name').fill('laptop-7');
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByText('Waiting for its first call').waitFor();
    await open!.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const lines = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    const { url, headers } = lines.mcpServers.helmdeck as { url: string; headers: Record<string, string> };
    expect(url).toBe(`${fixture.server.url}/api/v1/mcp/memory`);
    const authorization = headers.Authorization!;
    expect(await page.locator('main').textContent()).not.toContain(authorization.slice(0, 30));
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const use = () =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(initialize),
      });
    const first = await use();
    expect(first.status).toBe(200);
    await first.text();
    await page.getByRole('heading', { name: 'Cursor is connected' }).waitFor();
    await page.getByRole('button', { name: 'Revoke laptop-7' }).click();
    await page.getByRole('button', { name: 'Revoke laptop-7 for good' }).click();
    await page.getByRole('button', { name: /^Revoke laptop-7/ }).waitFor({ state: 'detached' });
    expect((await use()).status).toBe(401);
    expect(open!.pageErrors).toEqual([]);
  });

  it('an admin sees the memory of another caller under a banner, and can only forget there', async () => {
    const { token: admin } = await asAdmin('POST', '/auth/login', { username: 'admin', password: PASSWORD });
    const ada = await asAdmin(
      'POST',
      '/tokens',
      { subject: 'ada', scopes: ['memory:read', 'memory:write'] },
      admin,
    );
    await asAdmin('POST', '/memory/store', { key: 'ada/one', value: 'hers' }, ada.token);
    const page = await visit('/health');
    await page
      .getByRole('row')
      .filter({ hasText: 'ada' })
      .getByText('1 token, last call just now · last write just now')
      .waitFor();
    await page.getByRole('link', { name: 'Look at the memory of ada' }).click();
    await page.getByText('You are looking at the memory of ada.').waitFor();
    await page.getByRole('option').filter({ hasText: 'ada/one' }).click();
    await page.getByRole('button', { name: 'Forget for ada' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Edit|Renew|New fact)/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Forget for ada' }).click();
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    // Leaving her memory sends the pending forget before the ten seconds are over, and must not forget in the wrong memory.
    await page.getByRole('link', { name: 'Back to mine' }).click();
    await page.getByRole('option').filter({ hasText: 'kept/1' }).waitFor();
    const hers = `${fixture.server.url}/api/v1/memory/facts/ada%2Fone`;
    const headers = { authorization: `Bearer ${ada.token}` };
    await expect.poll(async () => (await fetch(hers, { headers })).status).toBe(404);
    await page.goto(`${fixture.server.url}/health`);
    await page.getByRole('cell', { name: 'admin forgot 1 entry of ada' }).waitFor();
    expect(await (await fixture.api('GET', '/memory/facts')).text()).toContain('kept/1');
    expect(await page.getByRole('cell', { name: 'admin looked at ada’s memory' }).count()).toBeGreaterThan(0);
  });

  it('the page reports that the server is down, and works again when it is back', async () => {
    const page = await visit('/');
    await page.getByRole('option').filter({ hasText: 'kept/1' }).waitFor();
    await fixture.server.stop();
    await page.getByLabel('Search memory').fill('value');
    await page.getByText('The server is not answering.').first().waitFor();
    fixture.server = await fixture.sandbox.serve('--init');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.locator('mark').first().waitFor();
    expect(await page.getByText('The server is not answering.').count()).toBe(0);
  });

  it('the Health page exports, erases with a receipt, and imports the export after a preview', async () => {
    const page = await visit('/health');
    const facts = page.locator('.dl').filter({ hasText: 'Facts and their history' });
    expect(await facts.locator('dd').first().textContent()).toMatch(/^[\d.]+ k?B$/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    const file = await download.path();
    const card = page.getByRole('region', { name: 'Erase everything' });
    expect(await card.getByRole('button').count()).toBe(0); // folded
    await card.getByText('Erase everything').click();
    await page.getByLabel('Type this to continue').fill('erase everybody');
    expect(await card.getByRole('button', { name: 'Erase admin' }).isDisabled()).toBe(true);
    await page.getByLabel('Type this to continue').fill('erase admin');
    const [receipt] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('button', { name: 'Erase admin' }).click(),
    ]);
    const saved = JSON.parse(await readFile(await receipt.path(), 'utf8')) as { receipt_id: string };
    expect(receiptProblem(saved)).toBeUndefined();
    const shown = page.getByRole('region', { name: 'Receipt' });
    await shown.getByText('verified').waitFor();
    await page.reload();
    await page.getByText(/^admin, erased/).click();
    await shown.getByText(saved.receipt_id).waitFor();
    await shown.getByText('verified').waitFor();
    await fixture.api('POST', '/memory/store', { key: 'kept/1', value: 'changed since the export' });
    await page.getByLabel('Choose an export file').setInputFiles(file);
    await page.getByText('3 to store').waitFor();
    await page.getByText('1 replaces yours').waitFor();
    await page.getByRole('button', { name: 'Import 3 facts' }).click();
    await page.getByText('3 stored').waitFor();
    const listed = (await (await fixture.api('GET', '/memory/facts')).json()) as { facts: unknown[] };
    expect(listed.facts).toHaveLength(3);
    // A browser that keeps nothing: the page holds the only copy that is sure to be there.
    await page.evaluate("Storage.prototype.setItem = () => { throw new Error('full') }");
    await card.getByText('Erase everything').click();
    await page.getByLabel('Type this to continue').fill('erase admin');
    await card.getByRole('button', { name: 'Erase admin' }).click();
    await card.getByText('This browser keeps nothing for this page').waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).accept();
  });

  it('a dropped file of another program is shown line by line, and what the person chose goes to the inbox', async () => {
    const page = await visit('/health');
    const memories = {
      results: [
        { memory: 'Nevertheless, enthusiastically: Rows a canoe on Sundays', user_id: 'ada' },
        { memory: 'Prefers oat milk', user_id: 'ada' },
        { memory: 'Uses ghp_016C7e2a1b9D4f8E3a5B6c7D8e9F0a1B2c3D', user_id: 'ada' },
      ],
    };
    const card = page.getByRole('region', { name: 'Take it with you' });
    await card.getByText('Drop a file here').waitFor();
    const files = await page.evaluateHandle(
      `(() => { const files = new DataTransfer(); files.items.add(new File([${JSON.stringify(JSON.stringify(memories))}], 'mem0.json')); return files; })()`,
    );
    await card.dispatchEvent('drop', { dataTransfer: files });
    await card.getByText('2 for the inbox').waitFor();
    await card.getByText('1 refused').waitFor();
    const desktop = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    // In a phone's width the texts of the lines wrap: nothing is cut off.
    expect(
      await card.locator('.choices').evaluate((lines) => lines.scrollWidth - lines.clientWidth),
    ).toBeLessThanOrEqual(0);
    await page.setViewportSize(desktop);
    await card.getByLabel('Take mem0/prefers-oat-milk').uncheck();
    await card.getByRole('button', { name: 'Send 1 to the inbox' }).click();
    await card.getByText('1 waits in the inbox').waitFor();
    await card.getByRole('link', { name: 'Open the inbox' }).click();
    await page.getByText('Rows a canoe on Sundays').first().waitFor();
    expect(await page.getByText('Prefers oat milk').count()).toBe(0);
  });
});
