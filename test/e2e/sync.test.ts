import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openMemoryFolder } from '../../packages/helmdeck/src/surfaces/cli/sync/memory-folder.ts';
import { syncFolder } from '../../packages/helmdeck/src/surfaces/cli/sync/sync-folder.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect/connect-sandbox.ts';

const PREFIX = 'project/orchard/';
let server: TestServer;
let sandbox: ConnectSandbox;
let people = 0;
beforeAll(async () => {
  server = await testServer({ socket: true, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
beforeEach(async () => {
  sandbox = await createConnectSandbox(server, { subject: `syncing ${++people}` });
  mkdirSync(sandbox.path('work', 'orchard'), { recursive: true });
});
afterEach(() => sandbox.remove());
afterAll(() => server.close());

const MEMORY = '/api/v1/memory';
const call = async <T = Record<string, unknown>>(method: string, path: string, body?: object) => {
  const response = await server.call(sandbox.subject, method, `${MEMORY}${path}`, body);
  return { status: response.status, body: (await response.json()) as T };
};
const store = (tail: string, value: string) => call('POST', '/store', { key: PREFIX + tail, value });
const factAt = (tail: string) => call('GET', `/facts/${encodeURIComponent(PREFIX + tail)}`);
const slug = () => sandbox.path('work', 'orchard').replaceAll(/[^a-zA-Z0-9]/g, '-');
const folder = () => sandbox.path('.claude', 'projects', slug(), 'memory');
const put = (name: string, text: string) => {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), name), text);
};
const read = (name: string) => readFileSync(join(folder(), name), 'utf8');
type Report = { actions: { key: string; did: string; why?: string }[] };
const sync = async () =>
  (await sandbox.json<Report>('sync', 'claude-code')).actions.map(
    ({ key, did }) => `${did} ${key.slice(PREFIX.length)}`,
  );

const DEPLOY =
  '---\nname: deploy\ndescription: how\ntype: feedback\nmetadata:\n  x: 1\n---\n\nDeploy on Fridays.\n';

describe('helmdeck sync claude-code', () => {
  it('facts become files with front matter and a line in the index, and files become facts', async () => {
    await store('build/tool', 'The build tool is Bazel.');
    await call('POST', '/store', { key: 'elsewhere', value: 'not of this project' });
    put('deploy.md', DEPLOY);
    put('MEMORY.md', '# Mine\n\n- [deploy](deploy.md) — how\n');
    expect(await sync()).toEqual(['wrote build/tool', 'stored deploy']);
    expect(read('build-tool.md')).toBe(
      '---\nname: "build-tool"\ndescription: "The build tool is Bazel."\ntype: project\nhelmdeck_key: "project/orchard/build/tool"\n---\n\nThe build tool is Bazel.\n',
    );
    expect(read('MEMORY.md')).toMatch(
      /^# Mine\n\n- \[deploy\]\(deploy\.md\) — how\n\n<!-- helmdeck sync: begin/,
    );
    expect(read('MEMORY.md')).toContain('- [build-tool](build-tool.md) — The build tool is Bazel.');
    expect((await factAt('deploy')).body).toMatchObject({
      value: 'Deploy on Fridays.',
      category: 'preferences',
    });
    expect(read('deploy.md')).toBe(DEPLOY);
    expect(readdirSync(folder()).sort()).toEqual(['MEMORY.md', 'build-tool.md', 'deploy.md']);
    expect(await sync()).toEqual([]);
  });

  it('follows the project of facts, whatever their keys: stored, patched in and patched out', async () => {
    const patch = (key: string, project: string) =>
      call('PATCH', `/facts/${encodeURIComponent(key)}`, { project });
    writeFileSync(sandbox.path('work', 'orchard', '.helmdeck'), 'github.com/acme/orchard\n');
    const project = 'github.com/acme/orchard';
    await call('POST', '/store', { key: 'deploy/target', value: 'eu-west', project });
    await call('POST', '/store', {
      key: `${PREFIX}other`,
      value: 'a namesake',
      project: 'gitlab.com/b/orchard',
    });
    await call('POST', '/store', { key: 'deploy/window', value: 'Mondays' });
    put('testing.md', 'Run the tests twice.\n');
    const { actions } = await sandbox.json<Report>('sync', 'claude-code');
    expect(actions).toEqual([
      { key: 'deploy/target', did: 'wrote' },
      { key: `${PREFIX}testing`, did: 'stored' },
    ]);
    expect((await factAt('testing')).body).toMatchObject({ project });
    expect((await patch('deploy/window', project)).body).toMatchObject({ project, version: 1 });
    await sync();
    expect(read('deploy-window.md')).toContain('\nhelmdeck_key: "deploy/window"\n');
    put('deploy-window.md', read('deploy-window.md').replace('\n\nMondays', '\n\nTuesdays'));
    await sync();
    expect((await call('GET', '/facts/deploy%2Fwindow')).body).toMatchObject({ value: 'Tuesdays', project });
    expect((await patch('deploy/window', '')).body).not.toHaveProperty('project');
    await sync();
    expect(readdirSync(folder()).sort()).toEqual(['MEMORY.md', 'deploy-target.md', 'testing.md']);
    expect((await call('GET', '/facts/deploy%2Fwindow')).body).toMatchObject({ value: 'Tuesdays' });
    expect((await patch('deploy/window', 'x'.repeat(201))).body).toMatchObject({ reason: 'bad_project' });
    const secret = await patch('deploy/window', 'AKIAIOSFODNN7ABCDEFG');
    expect(secret.body).toMatchObject({ error: 'secret_detected' });
  });

  it('a change on one side reaches the other, and front matter stays byte for byte', async () => {
    put('deploy.md', DEPLOY);
    await sync();
    await store('deploy', 'Deploy on Mondays.');
    expect(await sync()).toEqual(['wrote deploy']);
    expect(read('deploy.md')).toBe(DEPLOY.replace('Fridays', 'Mondays'));
    put('deploy.md', DEPLOY.replace('Fridays', 'Tuesdays'));
    expect(await sync()).toEqual(['stored deploy']);
    expect((await factAt('deploy')).body).toMatchObject({ value: 'Deploy on Tuesdays.', version: 3 });
    expect(await sync()).toEqual([]);
  });

  it('the description in a file that sync wrote follows the fact', async () => {
    await store('tool', 'The build tool is Bazel.');
    await sync();
    const before = read('tool.md');
    put('tool.md', before.replace('type: project', 'type: project\r\nmetadata: {"description": "x"}\r'));
    await store('tool', 'The build tool is $& now.\nNot Bazel.');
    expect(await sync()).toEqual(['wrote tool']);
    expect(read('tool.md')).toBe(
      '---\nname: "tool"\ndescription: "The build tool is $& now."\ntype: project\r\nmetadata: {"description": "x"}\r\nhelmdeck_key: "project/orchard/tool"\n---\n\nThe build tool is $& now.\nNot Bazel.\n',
    );
  });

  it('if both sides changed, the fact stays and the text of the file waits in the inbox', async () => {
    put('deploy.md', DEPLOY);
    await sync();
    await store('deploy', 'Deploy on Mondays.');
    put('deploy.md', DEPLOY.replace('Fridays', 'Tuesdays'));
    expect(await sync()).toEqual(['proposed deploy']);
    expect((await factAt('deploy')).body).toMatchObject({ value: 'Deploy on Mondays.', version: 2 });
    expect(read('deploy.md')).toBe(DEPLOY.replace('Fridays', 'Mondays'));
    const inbox = await sandbox.json<{ proposals: object[] }>('inbox');
    expect(inbox.proposals).toMatchObject([{ key: `${PREFIX}deploy`, value: 'Deploy on Tuesdays.' }]);
    expect(await sync()).toEqual([]);
  });

  it('deletes only what it wrote, and stores or writes nothing again that the other side deleted', async () => {
    put('deploy.md', DEPLOY);
    await store('tool', 'Bazel');
    await sync();
    await call('DELETE', `/facts/${encodeURIComponent(`${PREFIX}tool`)}`);
    await call('DELETE', `/facts/${encodeURIComponent(`${PREFIX}deploy`)}`);
    expect(await sync()).toEqual(['deleted tool']);
    expect(readdirSync(folder())).toEqual(['deploy.md']);
    expect(await sync()).toEqual([]);
    expect((await factAt('deploy')).status).toBe(404);
    put('deploy.md', DEPLOY.replace('Fridays', 'Sundays'));
    expect(await sync()).toEqual(['stored deploy']);
    await store('tool', 'Bazel again');
    await sync();
    unlinkSync(join(folder(), 'deploy.md'));
    unlinkSync(join(folder(), 'tool.md'));
    expect(await sync()).toEqual(['forgot deploy']);
    expect((await factAt('tool')).status).toBe(200);
    expect(await sync()).toEqual([]);
  });

  it('a credential stays in its file and is named, other files are synced', async () => {
    put(
      'key.md',
      'The key is AKIAIOSFODNN7ABCDEFG and the secret is wJalrXUtnFEMIK7MDENGbPxRfiCYzz12345678ab',
    );
    put('tea.md', 'Drinks tea.');
    const { actions } = await sandbox.json<Report>('sync', 'claude-code');
    expect(actions).toMatchObject([
      { did: 'left', why: expect.stringContaining('looks like a credential') },
      { did: 'stored' },
    ]);
    expect(read('key.md')).toContain('AKIA');
  });

  it('neither follows links nor lets a key point out of the folder', async () => {
    writeFileSync(sandbox.path('private.txt'), 'my diary');
    mkdirSync(folder(), { recursive: true });
    symlinkSync(sandbox.path('private.txt'), join(folder(), 'diary.md'));
    await store('../../../escape', 'x');
    await store('MEMORY', 'not the index');
    await sync();
    expect((await factAt('diary')).status).toBe(404);
    expect(readdirSync(folder()).sort()).toEqual(['MEMORY-2.md', 'MEMORY.md', 'diary.md', 'escape.md']);
  });
});

describe('a sync that ends in the middle', () => {
  /** Every request of a run in turn is the last one that it makes: sent or not. */
  it.each(['before', 'after'] as const)(
    '%s any request leaves both sides whole, and the next one completes it',
    async (when) => {
      const dir = mkdtempSync(join(tmpdir(), 'helmdeck-sync-'));
      const texts = ['first', 'second', 'third'];
      try {
        for (let crashAt = 1; ; crashAt++) {
          const subject = `crash ${when} ${crashAt}`;
          const path = join(dir, subject);
          mkdirSync(path);
          const send = (method: string, route: string, body?: object) =>
            server.call(subject, method, route, body);
          await send('POST', `${MEMORY}/store`, { key: 'p/fact', value: texts[0] });
          writeFileSync(join(path, 'file.md'), texts[0]!);
          const folderOf = openMemoryFolder(path, 'p/');
          const request = {
            folder: folderOf,
            selection: { prefixes: ['p/'] },
            stateFile: join(dir, `${subject}.json`),
          };
          const connection = (limit: number) => {
            let sent = 0;
            return {
              async fetch(route: string, init: RequestInit = {}) {
                if (++sent === limit && when === 'before') throw new Error('killed');
                const body = init.body === undefined ? undefined : JSON.parse(String(init.body));
                const response = await send(init.method ?? 'GET', route, body);
                if (sent === limit && when === 'after') throw new Error('killed');
                return response;
              },
              async close() {},
            };
          };
          await syncFolder(connection(0), request);
          await send('POST', `${MEMORY}/store`, { key: 'p/fact', value: texts[1] });
          await send('POST', `${MEMORY}/store`, { key: 'p/new', value: texts[2] });
          writeFileSync(join(path, 'file.md'), texts[1]!);
          writeFileSync(join(path, 'more.md'), texts[2]!);
          const isKilled = await syncFolder(connection(crashAt), request).then(
            () => false,
            () => true,
          );
          await syncFolder(connection(0), request);
          const files = (await folderOf.read(new Set())).map(({ key, body }) => [key, body]);
          const { facts } = (await (await send('GET', `${MEMORY}/facts?sort=key`)).json()) as {
            facts: { key: string; value: string }[];
          };
          expect(
            facts.map(({ key, value }) => [key, value]),
            String(crashAt),
          ).toEqual(files.sort());
          expect(files).toEqual([
            ['p/fact', texts[1]],
            ['p/file', texts[1]],
            ['p/more', texts[2]],
            ['p/new', texts[2]],
          ]);
          expect(await syncFolder(connection(0), request)).toEqual([]);
          if (!isKilled) return;
        }
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );

  it('removes what a killed sync was writing, and not what another one writes now', async () => {
    const earlier = new Date(Date.now() - 120_000);
    for (const name of ['plan.md.4711.partial', 'plan.md.4712.partial', 'thesis.partial']) put(name, 'half');
    for (const name of ['plan.md.4711.partial', 'thesis.partial'])
      utimesSync(join(folder(), name), earlier, earlier);
    await sync();
    expect(readdirSync(folder()).sort()).toEqual(['plan.md.4712.partial', 'thesis.partial']);
  });

  it('a killed process leaves whole files and facts', async () => {
    const program = resolve(import.meta.dirname, 'connect/helmdeck-from-source.js');
    const token = await server.token(sandbox.subject, { client: 'cli', scopes: ['admin'] });
    const env = {
      PATH: process.env.PATH,
      HOME: sandbox.home,
      HELMDECK_URL: server.url,
      HELMDECK_TOKEN: token,
    };
    const text = (side: string, n: number) => `${side} ${n} ${'words '.repeat(2_000)}end`;
    for (let n = 0; n < 30; n++) {
      await store(`fact-${n}`, text('fact', n));
      put(`file-${n}.md`, text('file', n));
    }
    for (const delayMs of [450, 600, 750, 900]) {
      const child = spawn(process.execPath, [program, 'sync', 'claude-code'], {
        env,
        cwd: sandbox.path('work', 'orchard'),
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      await Promise.race([pause(delayMs), ended]);
      child.kill('SIGKILL');
      await ended;
      for (const name of readdirSync(folder()).filter((each) => each.endsWith('.md') && each !== 'MEMORY.md'))
        expect(read(name), name).toMatch(/end\n?$/);
    }
    await sandbox.run('sync', 'claude-code');
    const { body } = await call<{ facts: { key: string; value: string }[] }>(
      'GET',
      `/facts?prefix=${PREFIX}&limit=200`,
    );
    const files = await openMemoryFolder(folder(), PREFIX).read(new Set());
    expect(files).toHaveLength(60);
    expect(new Map(body.facts.map(({ key, value }) => [key, value]))).toEqual(
      new Map(files.map(({ key, body: value }) => [key, value])),
    );
  });
});

describe('helmdeck sync markdown', () => {
  const file = () => sandbox.path('work', 'orchard', 'CLAUDE.md');
  const run = (...args: string[]) => sandbox.json('sync', 'markdown', 'CLAUDE.md', ...args);

  it('keeps a block of standing and project facts, and touches nothing else', async () => {
    const own = '# Orchard\r\n\r\nAlways run the tests.\r\n';
    writeFileSync(file(), own);
    await call('POST', '/store', {
      key: 'preferences/tabs',
      value: 'Tabs of\ntwo -->',
      category: 'preferences',
    });
    await call('POST', '/store', { key: 'other', value: 'not for every start' });
    const elsewhere = { category: 'preferences', project: 'gitlab.com/b/orchard' };
    await call('POST', '/store', { key: 'preferences/other', value: 'of another project', ...elsewhere });
    await call('POST', '/store', { key: 'deploy/target', value: 'eu-west', project: 'orchard' });
    await store('tool', 'Bazel');
    expect(await run()).toMatchObject({ changed: true, facts: 3, left_out: 0 });
    const text = readFileSync(file(), 'utf8');
    expect(text.startsWith(own)).toBe(true);
    expect(text).toContain('- preferences/tabs: Tabs of two --&gt;\r\n- project/orchard/tool: Bazel\r\n');
    expect(text).not.toContain('not for every start');
    expect(await run()).toMatchObject({ changed: false });
    const edited = `${text}\r\nMine, below.\r\n`;
    writeFileSync(file(), edited);
    await store('tool', 'Make');
    await run();
    expect(readFileSync(file(), 'utf8')).toBe(edited.replace('Bazel', 'Make'));
    writeFileSync(file(), text);
    await run('--remove');
    expect(readFileSync(file(), 'utf8')).toBe(own);
  });

  it('is at most 200 lines and 25,000 bytes long, and says what did not fit', async () => {
    const facts = Array.from({ length: 260 }, (_, n) => ({
      key: `${PREFIX}${String(n).padStart(3, '0')}`,
      value: n % 2 ? 'short' : 'long '.repeat(70),
    }));
    await call('POST', '/store/batch', { facts });
    const { facts: shown, left_out } = (await run()) as { facts: number; left_out: number };
    const text = readFileSync(file(), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(201);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(25_000);
    expect(shown).toBeGreaterThan(90);
    expect(left_out).toBeGreaterThan(0);
    await run('--remove');
    expect(existsSync(file())).toBe(false);
  });
});
