import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const VAULT_KEY = 'd'.repeat(64);
const VALUE = 'gh-s3cr3t-value-1234567890';
const FULL = ['packs:run', 'vault:read', 'vault:write'];
let server: TestServer;
let folder: string;
let echo: Server;
let echoUrl: string;
let asked: IncomingMessage[];

beforeEach(async () => {
  asked = [];
  echo = createServer((incoming, answer) => {
    asked.push(incoming);
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify(incoming.headers));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-vault-packs-'));
  server = await start({ HELMDECK_VAULT_KEY: VAULT_KEY });
});
afterEach(async () => {
  await server.close();
  await new Promise((resolve) => echo.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const start = (env: Record<string, string>) =>
  testServer({
    env: {
      HELMDECK_DB: join(folder, 'helmdeck.db'),
      HELMDECK_MEMORY_KEY: 'a'.repeat(64),
      HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1',
      ...env,
    },
  });

async function run(pack: string, input: unknown, scopes: readonly string[] = FULL, subject = 'ada') {
  const authorization = `Bearer ${await server.token(subject, { scopes })}`;
  const answer = await server.call(undefined, 'POST', `/api/v1/packs/${pack}`, input, { authorization });
  const body = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, ...body } as {
    status: number;
    error?: string;
    reason?: string;
    hint?: string;
    output?: Record<string, unknown>;
  };
}
const send = (name: string, scopes?: readonly string[]) =>
  run('http.fetch', { url: echoUrl, headers: { authorization: `Bearer \${vault:${name}}` } }, scopes);

describe('the vault packs', () => {
  it('the vault packs write, read, list and delete a secret of the caller', async () => {
    const written = await run('vault.write', { name: 'token', value: VALUE, hosts: ['API.example.com'] });
    expect(written).toMatchObject({
      status: 200,
      output: { name: 'token', created: true, hosts: ['api.example.com'] },
    });
    expect(JSON.stringify(written)).not.toContain(VALUE);
    expect((await run('vault.read', { name: 'token' })).output).toMatchObject({
      name: 'token',
      value: VALUE,
    });
    const listed = await run('vault.list', {});
    expect(listed.output).toMatchObject({ secrets: [{ name: 'token', hosts: ['api.example.com'] }] });
    expect(JSON.stringify(listed)).not.toContain(VALUE);
    expect((await run('vault.read', { name: 'token' }, FULL, 'bob')).error).toBe('not_found');
    expect((await run('vault.delete', { name: 'token' }, FULL, 'bob')).output).toEqual({ deleted: 0 });
    expect((await run('vault.delete', { name: 'token' })).output).toEqual({ deleted: 1 });
    expect((await run('vault.read', { name: 'token' })).error).toBe('not_found');
  });

  it('the vault packs are refused without their scopes', async () => {
    const plain = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'];
    for (const [pack, input] of [
      ['vault.write', { name: 'a', value: 'b' }],
      ['vault.read', { name: 'a' }],
      ['vault.list', {}],
      ['vault.delete', { name: 'a' }],
    ] as const)
      expect((await run(pack, input, plain)).error, pack).toBe('insufficient_scope');
    expect((await run('vault.write', { name: 'a', value: 'b' }, ['packs:run', 'vault:read'])).status).toBe(
      403,
    );
    expect((await run('vault.read', { name: 'a' }, ['packs:run', 'vault:write'])).status).toBe(403);
  });

  it('the vault packs refuse invalid names and never repeat a value', async () => {
    const bad = await run('vault.write', { name: 'no good', value: VALUE });
    expect(bad).toMatchObject({ status: 400, error: 'invalid_input' });
    const odd = await run('vault.write', { name: 'ok', value: VALUE, hosts: ['https://x/'] });
    expect(odd).toMatchObject({ status: 400, reason: 'bad_host' });
    expect(JSON.stringify([bad, odd])).not.toContain(VALUE);
  });

  it('a secret leaves no trace in run records, facts or files', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    await send('token');
    const { body } = await server.call('ada', 'GET', '/api/v1/memory/export');
    expect(await new Response(body).text()).not.toContain(VALUE);
    const defaults = await server.call('ada', 'GET', '/api/v1/memory/defaults');
    expect(await defaults.text()).not.toContain(VALUE);
    await server.close();
    expect(readFileSync(join(folder, 'helmdeck.db')).includes(VALUE)).toBe(false);
    server = await start({ HELMDECK_VAULT_KEY: VAULT_KEY });
    expect((await run('vault.read', { name: 'token' })).output).toMatchObject({ value: VALUE });
  });
});

describe('secrets in requests', () => {
  it('a secret reaches the server and is scrubbed from the response', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    const answer = await send('token');
    expect(asked[0]!.headers.authorization).toBe(`Bearer ${VALUE}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer)).not.toContain(VALUE);
    expect(answer.output!.body).toContain('Bearer [vault:token]');
  });

  it('sending a secret without hosts needs vault:read; one bound to the host does not', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    expect((await send('token', ['packs:run'])).error).toBe('insufficient_scope');
    await run('vault.write', { name: 'token', value: VALUE, hosts: ['127.0.0.1'] });
    expect((await send('token', ['packs:run'])).status).toBe(200);
    await run('vault.write', { name: 'token', value: VALUE, hosts: ['api.example.com'] });
    expect(await send('token')).toMatchObject({
      status: 424,
      error: 'credential_invalid',
      reason: 'host_not_allowed',
    });
    expect(asked).toHaveLength(1);
  });

  it('a request with an unknown secret, or with another caller’s, is not sent', async () => {
    await run('vault.write', { name: 'token', value: VALUE }, FULL, 'bob');
    expect(await send('token')).toMatchObject({ status: 424, error: 'credential_invalid' });
    expect(asked).toEqual([]);
  });
});

describe('a server without the right vault key', () => {
  it('without a vault key the vault is unavailable with a hint, and http.fetch works', async () => {
    await server.close();
    server = await start({});
    const answer = await run('vault.read', { name: 'token' });
    expect(answer).toMatchObject({ status: 503, error: 'vault_unavailable', reason: 'no_key' });
    expect(answer.hint).toContain('HELMDECK_VAULT_KEY');
    expect((await send('token')).error).toBe('vault_unavailable');
    expect((await run('http.fetch', { url: echoUrl })).status).toBe(200);
  });

  it('a wrong vault key keeps the vault closed, and a new key beside the previous one opens it', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    const next = { HELMDECK_VAULT_KEY: 'e'.repeat(64) };
    await server.close();
    server = await start(next);
    expect(await run('vault.read', { name: 'token' })).toMatchObject({ status: 503, reason: 'wrong_key' });
    expect((await server.call('ada', 'GET', '/api/v1/memory/facts')).status).toBe(200);
    await server.close();
    server = await start({ ...next, HELMDECK_VAULT_KEY_PREVIOUS: VAULT_KEY });
    expect((await run('vault.read', { name: 'token' })).output).toMatchObject({ value: VALUE });
    await server.close();
    server = await start(next);
    expect((await run('vault.read', { name: 'token' })).output).toMatchObject({ value: VALUE });
  });

  it('the vault is unavailable while memory is off', async () => {
    await server.close();
    server = await start({ HELMDECK_VAULT_KEY: VAULT_KEY, HELMDECK_MEMORY: 'off' });
    expect(await run('vault.read', { name: 'token' })).toMatchObject({
      status: 503,
      error: 'vault_unavailable',
    });
    expect((await run('http.fetch', { url: echoUrl })).status).toBe(200);
  });
});

describe('forgetting and the vault', () => {
  const forget = (scope: string) => server.call('ada', 'POST', '/api/v1/memory/forget', { scope });
  const receiptOf = async (answer: Response) =>
    ((await answer.json()) as { receipt: { rows: number; not_covered: string[] } }).receipt;

  it('forget all leaves the vault, erase deletes and counts it', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    await run('vault.write', { name: 'other', value: VALUE });
    await run('vault.write', { name: 'token', value: VALUE }, FULL, 'bob');
    await forget('all');
    expect((await run('vault.read', { name: 'token' })).status).toBe(200);
    await forget('all'); // the row of that run
    const { rows, not_covered } = await receiptOf(await forget('erase'));
    expect(rows).toBeGreaterThanOrEqual(2);
    expect(not_covered).toHaveLength(3);
    expect((await run('vault.list', {})).output).toEqual({ secrets: [] });
    expect((await run('vault.read', { name: 'token' }, FULL, 'bob')).status).toBe(200);
  });

  it('the erase receipt says when the vault could not be opened', async () => {
    await run('vault.write', { name: 'token', value: VALUE });
    await server.close();
    server = await start({});
    const { not_covered } = await receiptOf(await forget('erase'));
    expect(not_covered.join(' ')).toContain('The vault');
  });
});

describe('secrets against what a host stored or sent', () => {
  it('a secret that its host stored is not shown to a later request with packs:run alone', async () => {
    await run('vault.write', { name: 'k', value: VALUE, hosts: ['127.0.0.1'] });
    echo.removeAllListeners('request');
    echo.on('request', (_incoming, answer) => answer.end(`x ${VALUE} y`));
    const { output } = await run('http.fetch', { url: `${echoUrl}/gists/1` }, ['packs:run']);
    expect(output).toMatchObject({ body: 'x [vault:k] y' });
  });

  it('a placeholder in a fetched page is not filled in by the next step of a pipeline', async () => {
    await run('vault.write', { name: 'free', value: VALUE, places: ['url', 'body', 'header'] });
    echo.removeAllListeners('request');
    echo.on('request', (incoming, answer) => {
      asked.push(incoming);
      answer.end(`${echoUrl}/steal?k=\${vault:free}`);
    });
    const scopes = [...FULL, 'pipelines:run', 'memory:read', 'memory:write'];
    const authorization = `Bearer ${await server.token('ada', { scopes })}`;
    const post = async (path: string, body: object) => {
      const answer = await server.call(undefined, 'POST', path, body, { authorization });
      return (await answer.json()) as { id: string; run_id: string };
    };
    const { id } = await post('/api/v1/pipelines', {
      name: 'follow',
      steps: [
        { id: 'page', pack: 'http.fetch', input: { url: `${echoUrl}/page` } },
        { id: 'next', pack: 'http.fetch', input: { url: '${{ steps.page.output.body }}' } },
      ],
    });
    await post(`/api/v1/pipelines/${id}/run`, {});
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]!.url).toContain('/steal');
    expect(asked[1]!.url).not.toContain(VALUE);
  });
});
