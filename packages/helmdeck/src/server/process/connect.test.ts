import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { chooseServer } from './choose-server.ts';
import { explicitToken, localToken, tokenForUrl } from './cli-token.ts';
import { connectLocal } from './connect.ts';
import { connectTo } from './http-connection.ts';

let dir: string;
let server: Server | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-connect-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(dir, { recursive: true });
});

const KEY = '5a'.repeat(32);
const load = (env: Record<string, string> = {}) => loadConfig({ HELMDECK_DB: join(dir, 'h.db'), ...env });
const savedToken = () => writeFileSync(join(dir, 'secrets.env'), 'HELMDECK_TOKEN=saved\n');
const open = async (env: Record<string, string> = {}) => {
  const chosen = await chooseServer(load(env), { HELMDECK_DB: join(dir, 'h.db'), ...env });
  return chosen.kind === 'given'
    ? connectTo(chosen.access)
    : connectLocal(chosen.loaded, chosen.url, () => {});
};

/** A server that records the tokens it receives. */
async function listener(delayMs = 0): Promise<{ url: string; tokens: (string | undefined)[] }> {
  const tokens: (string | undefined)[] = [];
  server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    setTimeout(() => response.end('{}'), delayMs);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens };
}

describe('tokens of commands', () => {
  it('a token in the environment takes precedence over the secrets file and the JWT secret', async () => {
    savedToken();
    const loaded = load({ HELMDECK_TOKEN: 'mine', HELMDECK_JWT_SECRET: 'x'.repeat(32) });
    expect(explicitToken(loaded)).toBe('mine');
    expect(tokenForUrl(loaded, 'https://elsewhere.example')).toBe('mine');
    expect(await localToken(loaded)).toBe('mine');
  });

  it('the token of the secrets file is never sent to another machine', () => {
    savedToken();
    expect(tokenForUrl(load(), 'https://elsewhere.example')).toBeUndefined();
    expect(tokenForUrl(load(), 'http://127.0.0.1.elsewhere.example')).toBeUndefined();
    expect(tokenForUrl(load(), 'http://[::1]:3000')).toBe('saved');
    expect(tokenForUrl(load(), 'http://localhost:3000')).toBe('saved');
  });

  it('a command that can read the JWT secret gets an admin token for five minutes', async () => {
    savedToken();
    const token = await localToken(
      load({ HELMDECK_JWT_SECRET: 'x'.repeat(32), HELMDECK_ADMIN_USERNAME: 'me' }),
    );
    const claims = JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'me', scopes: ['admin'], client: 'cli' });
    expect(claims.exp - claims.iat).toBe(300);
  });
});

describe('connect', () => {
  it('a command connects to the server of the data folder only while its process is alive', async () => {
    const { url, tokens } = await listener();
    const env = { HELMDECK_JWT_SECRET: 'x'.repeat(32), HELMDECK_MEMORY_KEY: KEY };
    writeFileSync(join(dir, 'server.json'), JSON.stringify({ url, pid: process.pid }));
    const live = await open(env);
    await live.fetch('/api/v1/memory/stats');
    expect(tokens).toEqual([undefined, expect.stringMatching(/^Bearer ey/)]);
    // The server was killed and another program took its port: it must not receive a token.
    writeFileSync(join(dir, 'server.json'), JSON.stringify({ url, pid: 2 ** 22 + 1 }));
    const embedded = await open(env);
    expect((await embedded.fetch('/api/v1/memory/stats')).status).toBe(200);
    await embedded.close();
    expect(tokens).toHaveLength(2);
  });

  it('a command waits for a server that is busy for some seconds', async () => {
    const { url, tokens } = await listener(3_000);
    writeFileSync(join(dir, 'server.json'), JSON.stringify({ url, pid: process.pid }));
    const connection = await open({ HELMDECK_JWT_SECRET: 'x'.repeat(32), HELMDECK_MEMORY_KEY: KEY });
    await connection.fetch('/api/v1/memory/stats');
    await connection.close();
    expect(tokens).toHaveLength(2);
  });

  it('a command runs an embedded server if none is running, also with auth disabled or with JWKS tokens only', async () => {
    const off = await open({ HELMDECK_MEMORY_KEY: KEY, HELMDECK_DISABLE_AUTH: '1' });
    expect(await (await off.fetch('/api/v1/memory/stats')).json()).toMatchObject({ scope: 'caller=unknown' });
    await off.close();
    const jwks = await open({
      HELMDECK_MEMORY_KEY: KEY,
      HELMDECK_JWKS_URL: 'http://127.0.0.1:9/keys',
      HELMDECK_JWT_ISSUER: 'https://idp.example',
      HELMDECK_JWT_AUDIENCE: 'helmdeck-api',
    });
    expect(await (await jwks.fetch('/api/v1/memory/stats')).json()).toMatchObject({ scope: 'caller=admin' });
    await jwks.close();
    await jwks.close();
  });

  it('a command refuses to run an embedded server if data would be lost, memory is off or the key is wrong', async () => {
    await expect(open()).rejects.toMatchObject({ code: 'memory_unavailable', reason: 'ephemeral_key' });
    const inRam = { HELMDECK_DB: 'memory:', HELMDECK_DATA_DIR: dir, HELMDECK_MEMORY_KEY: KEY };
    await expect(open(inRam)).rejects.toMatchObject({ reason: 'ephemeral_key' });
    await expect(open({ HELMDECK_MEMORY: 'off' })).rejects.toMatchObject({ reason: 'disabled' });
    await (await open({ HELMDECK_MEMORY_KEY: KEY })).close();
    await expect(open({ HELMDECK_MEMORY_KEY: 'ab'.repeat(32) })).rejects.toMatchObject({
      reason: 'wrong_key',
    });
  });

  it('an unreachable server is reported with its address', async () => {
    const gone = await open({ HELMDECK_URL: 'http://127.0.0.1:9' });
    await expect(gone.fetch('/')).rejects.toMatchObject({
      code: 'memory_unavailable',
      message: 'No Helmdeck server answers at http://127.0.0.1:9.',
    });
  });
});
