import { expect, it } from 'vitest';
import { CLIENTS } from '../../../packages/helmdeck/src/surfaces/cli/connect/clients.ts';
import { connectLine, CLIENTS as PAGE_CLIENTS, waysOf } from '../../../ui/src/connect/clients.ts';

const ADDRESS = 'http://127.0.0.1:3000/api/v1/mcp/memory';
const TOKEN = 'aaa.bbb.ccc';
const onPage = PAGE_CLIENTS.filter((client) => waysOf(client).includes('line'));

it('the Connect page has a card for every program that connect knows', () => {
  expect(onPage.map(({ id }) => id)).toEqual(CLIENTS.map(({ name }) => name));
});

it('the lines that the page gives for a file are read by connect as a connection', () => {
  for (const client of onPage.filter(({ file }) => file !== undefined)) {
    const { current, startsServers } = CLIENTS.find(({ name }) => name === client.id)!;
    const text = client.lines({ origin: 'http://127.0.0.1:3000', address: ADDRESS, token: TOKEN });
    const address = startsServers ? 'http://127.0.0.1:3000' : ADDRESS;
    expect(current(text), client.id).toEqual({ address, token: TOKEN });
  }
});

it('the page offers auto-recall and auto-capture for the programs in which connect installs them', () => {
  for (const client of onPage) {
    const { recall, capture } = CLIENTS.find(({ name }) => name === client.id)!;
    const hooks = recall.filter(({ isInstalled }) => isInstalled);
    expect([client.id, client.recall !== undefined, client.captures === true]).toEqual([
      client.id,
      recall.length > 0,
      capture !== undefined,
    ]);
    expect([client.id, client.recall === 'prompts']).toEqual([client.id, hooks.length > 1]);
    const line = connectLine(client, { origin: '', scopes: [], code: 'x', isCapturing: true });
    expect(line).toContain(`connect ${client.id} --write `);
  }
});
