import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../support/services/free-port.ts';
import { createSandbox, type Running, type Sandbox } from '../helmdeck-process.ts';
import { callTool, readJson, until } from './clients.ts';

const BIN = resolve(import.meta.dirname, '../../../packages/helmdeck/bin/helmdeck.js');
const MODERN: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

async function stdioClient(sandbox: Sandbox, options: ClientOptions = {}, env = {}, args: string[] = []) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    cwd: sandbox.dir,
    env: { ...sandbox.env, ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  return { client, pid: () => transport.pid };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.run(['init']);
});
afterAll(() => sandbox.remove());

describe.each([
  ['2025', {}],
  ['2026-07-28', MODERN],
] as const)('helmdeck mcp with protocol %s on its own database', (protocol, options) => {
  it('helmdeck mcp stores and reads facts over stdio, and its process ends with the client', async () => {
    const { client, pid } = await stdioClient(sandbox, options);
    expect(client.getInstructions()).toMatch(/Recall before you store/);
    expect(
      (await callTool(client, 'memory_store', { key: `stdio/${protocol}`, value: `sent over ${protocol}` }))
        .isError,
    ).toBe(false);
    expect(await readJson(client, `helmdeck://facts/stdio/${protocol}`)).toMatchObject({
      value: `sent over ${protocol}`,
      source: { surface: 'mcp', client: 'mcp' },
    });
    expect(await readJson(client, 'helmdeck://facts/ä b').catch((error: Error) => error.message)).toMatch(
      /no such fact/,
    );
    expect((await client.listTools()).tools.some(({ name }) => name.startsWith('vault'))).toBe(false);
    const child = pid()!;
    await client.close();
    await until(() => !isAlive(child));
  });
});

describe('helmdeck mcp with a running server', () => {
  let running: Running;
  beforeAll(async () => {
    sandbox.env.HELMDECK_ADDR = `127.0.0.1:${await freePort()}`; // the same port after a restart
    running = await sandbox.serve();
  });
  afterAll(() => running.stop());

  it('helmdeck mcp finds a running server by its server.json, forwards notifications, and survives a restart', async () => {
    const { client } = await stdioClient(sandbox, {}, {}, ['--profile', 'memory']);
    expect((await client.listTools()).tools).toHaveLength(5);
    const updates: string[] = [];
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updates.push(params.uri),
    );
    await client.subscribeResource({ uri: 'helmdeck://my-memory' });
    // The notification stream may open a moment after the response.
    while (updates.length === 0) await sandbox.json('remember', 'from/cli', 'by the CLI');
    await running.stop();
    running = await sandbox.serve();
    expect((await callTool(client, 'memory_recall', { key: 'from/cli' })).structured).toMatchObject({
      results: [{ value: 'by the CLI' }],
    });
    await client.close();
  });

  it('helmdeck mcp with HELMDECK_URL and HELMDECK_TOKEN forwards notifications in protocol version 2026-07-28', async () => {
    const { token } = await sandbox.json<{ token: string }>('token', 'mint', '--subject', 'zoe');
    const env = { HELMDECK_URL: running.url, HELMDECK_TOKEN: token };
    const { client } = await stdioClient(sandbox, MODERN, env);
    const updates: string[] = [];
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updates.push(params.uri),
    );
    const listening = await client.listen({ resourceSubscriptions: ['helmdeck://my-memory'] });
    await callTool(client, 'memory_store', { key: 'a', value: 'zoe was here' });
    await until(() => updates.length > 0);
    expect(await readJson(client, 'helmdeck://my-memory')).toMatchObject({ scope: 'caller=zoe' });
    await listening.close();
    await client.close();
    const bad = await stdioClient(sandbox, {}, { ...env, HELMDECK_TOKEN: 'nonsense' }).catch(
      (error: Error) => error,
    );
    expect(String(bad)).toMatch(/not a JWT/);
  });
});

it('helmdeck mcp responds to requests sent before the end of input, writes nothing else to stdout, and exits with 0', async () => {
  const child = spawn(process.execPath, [BIN, 'mcp'], { cwd: sandbox.dir, env: sandbox.env, stdio: 'pipe' });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stdin.write('not json\n');
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })}\n`);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  const messages = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number | null; result?: { tools: unknown[] } });
  expect(messages.map(({ id }) => id)).toEqual([null, 7]);
  expect(messages[1]!.result!.tools.length).toBeGreaterThan(5);
});
