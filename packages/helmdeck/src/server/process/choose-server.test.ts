import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { chooseServer } from './choose-server.ts';
import { registerServer, runningServers } from './running-servers.ts';
import { deleteLogin, readLogin, saveLogin } from './saved-login.ts';
import { userFolder } from './user-folder.ts';

const NO_PROCESS = 2 ** 22 + 1;
const startedAt = '2026-01-01T00:00:00.000Z';

let home: string;
let previousDir: string;
const listening: Server[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'helmdeck-choose-'));
  previousDir = process.cwd();
  mkdirSync(join(home, 'elsewhere'));
  process.chdir(join(home, 'elsewhere'));
});
afterEach(() => {
  process.chdir(previousDir);
  for (const server of listening.splice(0)) server.close();
  rmSync(home, { recursive: true });
});

const records = () => join(home, '.local', 'state', 'helmdeck', 'servers');
const choose = (env: Record<string, string> = {}) => {
  const all = { HOME: home, ...env };
  return chooseServer(loadConfig(all), all);
};

/** A server that responds to the health check, on a data folder with secrets. */
async function startServer(name: string): Promise<{ url: string; dataDir: string }> {
  const server = createServer((_request, response) => response.end('{}'));
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dataDir = join(home, name, 'data');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(
    join(dataDir, 'secrets.env'),
    `HELMDECK_JWT_SECRET=${name.repeat(32)}\nHELMDECK_TOKEN=token-of-${name}\n`,
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, dataDir };
}

/** Records a server as another process of this user would; the process id of the test run stands for a living one. */
function record(server: { url: string; dataDir: string }, pid: number): void {
  registerServer({ HOME: home }, { ...server, pid, startedAt });
}

describe('chooseServer', () => {
  it('a command in any folder finds the only running server and the secrets of its data folder', async () => {
    const server = await startServer('a');
    record(server, process.pid);
    const chosen = await choose();
    expect(chosen).toMatchObject({ kind: 'local', url: server.url });
    expect(chosen.kind === 'local' && chosen.loaded.config).toMatchObject({
      dataDir: server.dataDir,
      jwtSecret: 'a'.repeat(32),
    });
    expect(existsSync('data')).toBe(false);
  });

  it('several running servers are listed in an error, and HELMDECK_DATA_DIR or HELMDECK_URL chooses one', async () => {
    const [a, b] = [await startServer('a'), await startServer('b')];
    record(a, process.pid);
    record(b, process.ppid);
    const refused = choose();
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', reason: 'several_servers' });
    await expect(refused).rejects.toThrow(a.dataDir);
    await expect(refused).rejects.toThrow(b.url);
    writeFileSync(join(b.dataDir, 'server.json'), JSON.stringify({ url: b.url, pid: process.pid }));
    expect(await choose({ HELMDECK_DATA_DIR: b.dataDir })).toMatchObject({ kind: 'local', url: b.url });
    expect(await choose({ HELMDECK_URL: `${a.url}/api/v1/` })).toEqual({
      kind: 'given',
      access: { url: a.url, token: 'token-of-a', addressFrom: 'HELMDECK_URL' },
    });
  });

  it('the memory of the current folder comes before a server that runs elsewhere', async () => {
    record(await startServer('a'), process.pid);
    mkdirSync('data');
    writeFileSync('data/helmdeck.db', '');
    expect(await choose()).toMatchObject({
      kind: 'local',
      url: undefined,
      loaded: { config: { dataDir: join(home, 'elsewhere', 'data') } },
    });
  });

  it('records of processes that are gone, and damaged ones, are ignored and removed', async () => {
    record(await startServer('a'), NO_PROCESS);
    writeFileSync(join(records(), '1.json'), '{');
    expect(readdirSync(records())).toHaveLength(2);
    expect(await choose()).toMatchObject({ kind: 'local', url: undefined });
    expect(readdirSync(records())).toEqual([]);
  });

  it('a recorded server that does not respond is not used', async () => {
    record({ url: 'http://127.0.0.1:9', dataDir: join(home, 'gone') }, process.pid);
    expect(await choose()).toMatchObject({ kind: 'local', url: undefined });
  });

  it('a record is private, holds no secret, and ends with its server', async () => {
    const server = await startServer('a');
    const unregister = registerServer({ HOME: home }, { ...server, pid: process.pid, startedAt });
    const path = join(records(), `${process.pid}.json`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(records()).mode & 0o777).toBe(0o700);
    expect(runningServers({ HOME: home })).toEqual([{ ...server, pid: process.pid, startedAt }]);
    unregister();
    expect(existsSync(path)).toBe(false);
  });

  it('a server without a home, or with one that cannot be written, has no record and starts anyway', async () => {
    const server = { ...(await startServer('a')), pid: process.pid, startedAt };
    registerServer({}, server)();
    writeFileSync(join(home, 'file'), '');
    registerServer({ HOME: join(home, 'file') }, server)();
    expect(runningServers({ HOME: join(home, 'file') })).toEqual([]);
  });

  it('a login is used until logout, except where the environment names a server or a data folder', async () => {
    const env = { HOME: home };
    record(await startServer('a'), process.pid);
    const path = saveLogin(env, { url: 'https://memory.example.com', token: 't' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await choose()).toEqual({
      kind: 'given',
      access: { url: 'https://memory.example.com', token: 't', addressFrom: 'login' },
    });
    expect(await choose({ HELMDECK_TOKEN: 'mine' })).toMatchObject({ access: { token: 'mine' } });
    expect(await choose({ HELMDECK_URL: 'https://other.example' })).toEqual({
      kind: 'given',
      access: { url: 'https://other.example', token: undefined, addressFrom: 'HELMDECK_URL' },
    });
    expect(await choose({ HELMDECK_DB: join(home, 'x.db') })).toMatchObject({
      kind: 'local',
      url: undefined,
    });
    deleteLogin(env);
    expect(readLogin(env)).toBeUndefined();
    expect(await choose()).toMatchObject({ kind: 'local' });
    expect(() => saveLogin({}, { url: 'https://x.example', token: 't' })).toThrow('no home folder');
  });
});

describe('userFolder', () => {
  it.each([
    ['linux', { HOME: '/h' }, '/h/.local/state/helmdeck'],
    ['linux', { HOME: '/h', XDG_STATE_HOME: '/s' }, '/s/helmdeck'],
    ['linux', { HOME: '/h', XDG_STATE_HOME: 'relative' }, '/h/.local/state/helmdeck'],
    ['darwin', { HOME: '/h' }, '/h/Library/Application Support/helmdeck'],
    ['win32', { LOCALAPPDATA: '/l' }, '/l/helmdeck'],
    ['linux', {}, undefined],
  ])('on %s with %o it is %s', (platform, env, folder) => expect(userFolder(env, platform)).toBe(folder));
});

describe('HELMDECK_TOKEN and an address from the files of a folder', () => {
  const write = (name: string, text: string) => {
    mkdirSync('data', { recursive: true });
    writeFileSync(join('data', name), text);
  };
  const token = { HELMDECK_TOKEN: 'mine' };
  const untrusted = expect.objectContaining({ reason: 'untrusted_address' });

  it('the token is not sent to another machine that a secrets file names', async () => {
    write('secrets.env', 'HELMDECK_URL=https://evil.example\n');
    await expect(choose(token)).rejects.toEqual(untrusted);
    await expect(choose({ ...token, HELMDECK_URL: 'https://mine.example' })).resolves.toMatchObject({
      access: { token: 'mine' },
    });
  });

  it('the token is sent to a server on this machine, unless the file that names it is of another user', async () => {
    const { url } = await startServer('a');
    write('server.json', JSON.stringify({ url, pid: process.pid }));
    expect(await choose(token)).toMatchObject({ kind: 'local', url });
    if (process.getuid?.() !== 0) return; // only root can give a file away
    chownSync(join('data', 'server.json'), 65_534, 65_534);
    await expect(choose(token)).rejects.toEqual(untrusted);
    expect(await choose()).toMatchObject({ kind: 'local', url });
  });
});
