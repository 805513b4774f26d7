import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Running, type Sandbox } from './helmdeck-process.ts';

// The built program against a running server: from other folders, as a newcomer, and without enough rights.

let sandbox: Sandbox;
let server: Running;
let elsewhere: string;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.json('init');
  server = await sandbox.serve('--port', '0', '--host', '127.0.0.1');
  elsewhere = join(sandbox.dir, 'elsewhere');
  mkdirSync(elsewhere);
});
afterAll(() => sandbox.remove());

/** Runs a command in a folder that has no memory, as after `cd`. */
const away = (args: string[], env: Record<string, string> = {}, input?: string) =>
  sandbox.run(args, { cwd: elsewhere, env: { HELMDECK_DB: undefined, ...env }, input });

async function mint(...scopes: string[]): Promise<string> {
  const args = scopes.flatMap((scope) => ['--scope', scope]);
  return (await sandbox.json<{ token: string }>('token', 'mint', ...args)).token;
}

describe('the server from any folder', () => {
  it('a command in a folder without a memory uses the running server and creates nothing there', async () => {
    expect(await away(['remember', 'from/away', 'found'])).toMatchObject({ code: 0 });
    expect((await sandbox.run(['get', 'from/away'])).out).toBe('found\n');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('a command in a folder without a memory names that folder when no server runs', async () => {
    const none = await away(['list'], { HOME: join(sandbox.dir, 'another-home') });
    expect(none).toMatchObject({ code: 10, out: '' });
    expect(none.err).toContain(join(elsewhere, 'data'));
    expect(none.err).toContain('HELMDECK_URL');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('doctor in a folder without a memory examines the server that runs, and says so', async () => {
    const { code, out } = await away(['doctor']);
    expect(code).toBe(0);
    expect(out).toContain(`The server at ${server.url} with its data in ${join(sandbox.dir, 'data')}`);
    expect(out).toContain(`there is no memory in ${join(elsewhere, 'data')}`);
    expect(out).toMatch(/ok +Your memory/);
    expect(out).not.toMatch(/helmdeck init|does not exist|warn/);
    expect(readdirSync(elsewhere)).toEqual([]);
    const here = await sandbox.run(['doctor']);
    expect(here.out).toContain(`The data folder ${join(sandbox.dir, 'data')} and its server.`);
  });

  it('doctor examines the server of HELMDECK_URL, and names it when it does not answer', async () => {
    const env = { HELMDECK_URL: server.url, HELMDECK_TOKEN: await mint('memory:read') };
    const { code, out } = await away(['doctor'], env);
    expect(code).toBe(0);
    expect(out).toContain(`The server at ${server.url}, because of HELMDECK_URL.`);
    const gone = await away(['doctor'], { ...env, HELMDECK_URL: 'http://127.0.0.1:1' });
    expect(gone.code).toBe(10);
    expect(gone.out).toContain('No Helmdeck server answers at http://127.0.0.1:1');
    expect(gone.out).toContain('Check HELMDECK_URL');
  });

  it('a login is tested, saved for this user only, used from any folder, and ends with logout', async () => {
    const home = join(sandbox.dir, 'remote-home');
    mkdirSync(home);
    const env = { HOME: home };
    const token = await mint('memory:read', 'memory:write');
    const wrong = await away(['login', server.url], env, 'not-a-token\n');
    expect(wrong.code).toBe(3);
    expect(existsSync(join(home, '.local/state/helmdeck/login.json'))).toBe(false);
    const done = await away(['login', `${server.url}/api/v1`], env, `${token}\n`);
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Logged in to ${server.url} as admin`),
    });
    expect(done.out + done.err).not.toContain(token);
    expect(statSync(join(home, '.local/state/helmdeck/login.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await away(['login', '--json'], env)).out)).toMatchObject({ url: server.url });
    expect((await away(['get', 'from/away'], env)).out).toBe('found\n');
    expect(await away(['logout'], env)).toMatchObject({ code: 0 });
    expect(await away(['login'], env)).toMatchObject({ code: 2 });
    expect(await away(['get', 'from/away'], env)).toMatchObject({ code: 10 });
  });

  it('the record of a server is removed when it stops', async () => {
    const other = createSandbox();
    try {
      await other.json('init');
      const second = await other.serve();
      const records = join(other.dir, '.local/state/helmdeck/servers');
      expect(JSON.parse(readFileSync(join(records, `${second.child.pid}.json`), 'utf8'))).toEqual({
        url: second.url,
        data_dir: join(other.dir, 'data'),
        pid: second.child.pid,
        started_at: expect.any(String),
      });
      await second.stop();
      expect(readdirSync(records)).toEqual([]);
    } finally {
      await other.remove();
    }
  });
});

describe('commands that change facts and secrets', () => {
  it('renew never shortens a lifetime unless told to, and tag adds and removes tags without a new version', async () => {
    await sandbox.json('remember', 'trip/train', '08:15', '--ttl', '12h', '--tag', 'a');
    const DAY_MS = 86_400_000;
    const daysLeft = (fact: { expires_at: string }) =>
      Math.round((Date.parse(fact.expires_at) - Date.now()) / DAY_MS);
    expect(daysLeft(await sandbox.json('renew', 'trip/train'))).toBe(90);
    expect(daysLeft(await sandbox.json('renew', 'trip/train', '--ttl', '300d'))).toBe(300);
    expect(daysLeft(await sandbox.json('renew', 'trip/train'))).toBe(300);
    expect(daysLeft(await sandbox.json('renew', 'trip/train', '--ttl', '2d'))).toBe(2);
    expect(await sandbox.json('tag', 'trip/train', 'b', 'c', '--remove', 'a')).toMatchObject({
      tags: ['b', 'c'],
      version: 1,
    });
    expect(await sandbox.run(['tag', 'trip/train'])).toMatchObject({ code: 0, out: 'b\nc\n' });
    expect(await sandbox.run(['renew', 'no/such'])).toMatchObject({ code: 5 });
    const short = await sandbox.run(['renew', 'trip/train', '--ttl', '5']);
    expect(short).toMatchObject({ code: 2 });
    expect(short.err).toContain('--ttl must be at least 1h');
  });

  it('vault set reads the value from stdin, and get, list and delete follow', async () => {
    const set = await sandbox.run(
      ['vault', 'set', 'weather', '--host', 'api.weather.example', '--place', 'url'],
      {
        input: 's3cret value\n',
      },
    );
    expect(set).toMatchObject({ code: 0, out: 'Stored weather.\n' });
    expect((await sandbox.run(['vault', 'get', 'weather'])).out).toBe('s3cret value\n');
    const list = await sandbox.json<{ secrets: object[] }>('vault', 'list');
    expect(list.secrets).toMatchObject([
      { name: 'weather', hosts: ['api.weather.example'], places: ['url'] },
    ]);
    expect(JSON.stringify(list)).not.toContain('s3cret');
    expect(await sandbox.run(['vault', 'set', 'empty'])).toMatchObject({ code: 2 });
    expect(await sandbox.run(['vault', 'delete', 'weather'])).toMatchObject({ code: 0 });
    expect(await sandbox.run(['vault', 'delete', 'weather'])).toMatchObject({ code: 5 });
  });

  it('a refused credential names the command that stores it, and that command says which right is missing', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const refused = await sandbox.run(['remember', 'github/token', token]);
    expect(refused).toMatchObject({ code: 7, out: '' });
    expect(refused.err).toContain('helmdeck vault set');
    const env = { HELMDECK_TOKEN: await mint('memory:read', 'memory:write', 'packs:run') };
    const lacking = await sandbox.run(['vault', 'set', 'github-token'], { env, input: token });
    expect(lacking).toMatchObject({ code: 4 });
    expect(lacking.err).toContain('vault:write');
    expect(lacking.err).toContain('unset HELMDECK_TOKEN');
    expect(await sandbox.run(['vault', 'set', 'github-token'], { input: token })).toMatchObject({ code: 0 });
  });

  it('a pipeline is defined from a file, replaced and deleted', async () => {
    const file = join(sandbox.dir, 'nightly.json');
    const steps = [{ id: 'one', pack: 'helmdeck.memory_history', input: { key: 'trip/train' } }];
    writeFileSync(file, JSON.stringify({ name: 'nightly', steps }));
    const { out, code } = await sandbox.run(['pipeline', 'define', file]);
    expect(code).toBe(0);
    const id = out.trim();
    writeFileSync(file, JSON.stringify({ name: 'nightly 2', steps }));
    expect(await sandbox.json('pipeline', 'define', file, '--replace', id)).toMatchObject({
      id,
      name: 'nightly 2',
    });
    writeFileSync(file, JSON.stringify({ name: 'broken', steps: [] }));
    expect(await sandbox.run(['pipeline', 'define', file])).toMatchObject({ code: 2 });
    expect(await sandbox.json('pipeline', 'delete', id)).toEqual({ deleted: 1 });
    expect(await sandbox.run(['pipeline', 'delete', id])).toMatchObject({ code: 5 });
  });

  it('a followed pipeline run that fails prints its steps on stderr and nothing on stdout', async () => {
    const steps = [{ id: 'one', pack: 'helmdeck.memory_history', input: { key: 'no/such' } }];
    const definition = JSON.stringify({ name: 'fails', steps });
    const { out } = await sandbox.run(['pipeline', 'define', '-'], { input: definition });
    const failed = await sandbox.run(['pipeline', 'run', out.trim(), '--follow']);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toContain('failed');
  });

  it('jobs and sessions are listed', async () => {
    expect(await sandbox.json('jobs')).toEqual({ jobs: [] });
    expect((await sandbox.run(['jobs'])).out).toBe('No jobs.\n');
    const response = await fetch(`${server.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await mint('packs:run')}` },
    });
    const { session_id } = (await response.json()) as { session_id: string };
    expect(await sandbox.json('sessions')).toMatchObject({ sessions: [{ session_id }] });
    expect((await sandbox.run(['sessions'])).out).toContain(session_id);
  });

  it('stats shows embeddings and the rotation of the key', async () => {
    const { out } = await sandbox.run(['stats']);
    expect(out).toMatch(/^Embeddings +off/m);
    expect(out).toMatch(/^Key rotation +none under way/m);
  });
});

describe('hints on the command line', () => {
  const remote = () => ({ HELMDECK_URL: server.url, HOME: join(sandbox.dir, 'another-home') });

  it('a server address without a token names HELMDECK_TOKEN and login', async () => {
    const { code, err } = await away(['list'], remote());
    expect(code).toBe(3);
    expect(err).toContain('HELMDECK_TOKEN');
    expect(err).toContain('helmdeck login');
    expect(err).not.toContain('header');
  });

  it('a revoked token names login and connect', async () => {
    const { token, jti } = await sandbox.json<{ token: string; jti: string }>('token', 'mint');
    await sandbox.json('token', 'revoke', jti);
    const { code, err } = await away(['list'], { ...remote(), HELMDECK_TOKEN: token });
    expect(code).toBe(3);
    expect(err).toContain('helmdeck connect <client> --write');
  });

  it('a failed login says what to do about the address or the token, and not to log in', async () => {
    const env = { HOME: join(sandbox.dir, 'another-home') };
    const attempt = async (address: string, token = 'x\n') =>
      (await away(['login', address], env, token)).err;
    expect(await attempt(server.url)).toContain('Enter the whole token');
    expect(await attempt('http://127.0.0.1:1')).toContain('Check that it is running');
    expect(await attempt(`${server.url}/docs`)).toContain('the address of the server without a path');
    for (const address of [server.url, 'http://127.0.0.1:1', `${server.url}/docs`, 'memory.example.com'])
      expect(await attempt(address)).not.toMatch(/HELMDECK_URL|helmdeck login|helmdeck serve/);
    expect((await away(['login'], env)).err).toContain('add its address');
  });

  it('a saved login whose server is gone or whose token is revoked is named as the reason', async () => {
    const home = join(sandbox.dir, 'logged-in-home');
    const folder = join(home, '.local/state/helmdeck');
    mkdirSync(folder, { recursive: true });
    const save = (url: string) =>
      writeFileSync(join(folder, 'login.json'), JSON.stringify({ url, token: 'not-a-token' }));
    save('http://127.0.0.1:1');
    const gone = await away(['list'], { HOME: home });
    expect(gone.err).toContain('helmdeck logout');
    expect(gone.err).not.toContain('HELMDECK_URL');
    save(server.url);
    expect((await away(['list'], { HOME: home })).err).toContain('a new token: "helmdeck token mint"');
  });

  it('an invalid HELMDECK_TOKEN on the machine of the server is to be unset', async () => {
    const { code, err } = await away(['list'], { HELMDECK_TOKEN: 'not-a-token' });
    expect(code).toBe(3);
    expect(err).toContain('unset HELMDECK_TOKEN');
  });

  it('the address of the API is accepted for that of the server', async () => {
    const env = { HELMDECK_URL: `${server.url}/api/v1/`, HELMDECK_TOKEN: await mint('memory:read') };
    expect(await away(['list'], env)).toMatchObject({ code: 0 });
  });

  it('a scope that is a key is answered with the command that forgets the key', async () => {
    const { code, err } = await sandbox.run(['forget', 'user/editor']);
    expect(code).toBe(2);
    expect(err).toContain('helmdeck forget key:user/editor');
    expect(err).not.toContain('field');
  });

  it('"store" is another word for "remember", and is not taken for "restore"', async () => {
    expect(await sandbox.run(['store', 'a/word', 'x'])).toMatchObject({ code: 0 });
    expect((await sandbox.run(['get', 'a/word'])).out).toBe('x\n');
  });

  it('an unknown pack or pipeline names the command that lists them', async () => {
    expect((await sandbox.run(['run', 'no.such'])).err).toContain('helmdeck pack list');
    expect((await sandbox.run(['pipeline', 'run', 'no-such'])).err).toContain('helmdeck pipeline list');
  });
});

describe('helmdeck clock', () => {
  it('a server that starts far from the last time it saw is reported by doctor until an operator confirms its clock', async () => {
    const old = createSandbox();
    try {
      await old.json('init');
      await old.json('remember', 'k', 'v');
      const longAgoMs = Date.now() - 100 * 86_400_000;
      writeFileSync(join(old.dir, 'data/last-seen'), `${longAgoMs}\n`);
      await old.serve();
      const expiry = async () =>
        (await old.json<{ checks: { name: string; status: string }[] }>('doctor')).checks.find(
          ({ name }) => name === 'Expiry',
        );
      expect(await expiry()).toMatchObject({ status: 'warn' });
      expect(await old.json('clock')).toMatchObject({ trusted: false });
      expect(await old.run(['clock', '--confirm'])).toMatchObject({ code: 2, out: '' });
      expect(await old.json('clock', '--confirm', '--yes')).toMatchObject({ trusted: true });
      expect(await expiry()).toBeUndefined();
    } finally {
      await old.remove();
    }
  });
});
