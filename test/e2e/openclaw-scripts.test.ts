import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
const CONTAINER = 'openclaw-openclaw-gateway-1';
const BEARER = `Bearer ${jwt(3600)}`;
const ROTATED = `Bearer ${jwt(7200)}`;

let home: string;
const dirs: string[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'helmdeck-bridge-'));
  dirs.push(home);
});
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

function jwt(ttlSeconds: number): string {
  const claims = { sub: 'ada', exp: Math.floor(Date.now() / 1000) + ttlSeconds };
  return ['{"alg":"HS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

function write(path: string, content: unknown): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const openclawWith = (headers: Record<string, string>) =>
  write('.openclaw/openclaw.json', {
    mcp: { servers: { helmdeck: { url: 'http://h/api/v1/mcp', headers } } },
  });
const mcporter = (path = '.mcporter/mcporter.json') => JSON.parse(readFileSync(join(home, path), 'utf8'));

/** Docker, as far as the scripts use it: one container, which is this machine. */
function withDocker() {
  const docker = write(
    'bin/docker',
    `#!/bin/sh\ncase $1 in inspect) [ "$4" = ${CONTAINER} ] && echo true ;; exec) shift 3; exec "$@" ;; esac\n`,
  );
  chmodSync(docker, 0o755);
}

async function run(script: string, args: string[] = [], more: Record<string, string> = {}) {
  const env = {
    PATH: [join(home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    ...more,
  };
  const child = spawn(join(SCRIPTS, script), args, { env });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, ...said };
}
const register = (args = ['--local'], more?: Record<string, string>) =>
  run('openclaw-register-qmd.sh', args, more);

describe('openclaw-register-qmd.sh', () => {
  it("register-qmd gives mcporter OpenClaw's token, in a file that only the owner can read, and does not change OpenClaw's file", async () => {
    const openclaw = openclawWith({ authorization: BEARER });
    const before = readFileSync(openclaw, 'utf8');
    const { code, out } = await register();
    expect(code).toBe(0);
    expect(out).toContain(`helmdeck added in ${join(home, '.mcporter/mcporter.json')}`);
    expect(mcporter()).toEqual({
      mcpServers: {
        helmdeck: { baseUrl: 'http://127.0.0.1:3000/api/v1/mcp/qmd/sse', headers: { Authorization: BEARER } },
      },
    });
    expect(statSync(join(home, '.mcporter/mcporter.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(openclaw, 'utf8')).toBe(before);
    expect(before).not.toContain('qmd');
  });

  it('register-qmd updates a rotated token, and keeps other entries of mcporter', async () => {
    openclawWith({ Authorization: BEARER });
    const linear = { baseUrl: 'https://linear.example/mcp' };
    write('.mcporter/mcporter.json', { imports: [], mcpServers: { linear } });
    await register();
    expect((await register()).out).toContain('helmdeck unchanged');
    const mine = mcporter();
    mine.mcpServers.helmdeck.description = 'mine';
    write('.mcporter/mcporter.json', mine);
    openclawWith({ Authorization: ROTATED });
    expect((await register()).out).toContain('helmdeck updated');
    expect(mcporter()).toMatchObject({
      imports: [],
      mcpServers: { linear, helmdeck: { description: 'mine', headers: { Authorization: ROTATED } } },
    });
  });

  it('register-qmd works inside the container, with the given address and name', async () => {
    withDocker();
    openclawWith({ authorization: BEARER });
    expect((await register([])).code).toBe(0);
    expect(mcporter().mcpServers.helmdeck.baseUrl).toBe(
      'http://helmdeck-control-plane:3000/api/v1/mcp/qmd/sse',
    );
    const more = {
      HELMDECK_QMD_URL: 'https://deck.example/api/v1/mcp/qmd/sse',
      MCPORTER_SERVER_NAME: 'deck',
    };
    expect((await register([], more)).out).toContain('mcporter call deck.query');
    expect(mcporter().mcpServers.deck.baseUrl).toBe(more.HELMDECK_QMD_URL);
  });

  it('register-qmd uses the folders that OpenClaw and mcporter are configured with', async () => {
    openclawWith({ authorization: BEARER });
    const state = { OPENCLAW_STATE_DIR: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'xdg') };
    write('state/openclaw.json', { mcp: { servers: { helmdeck: { headers: { authorization: ROTATED } } } } });
    await register(['--local'], state);
    expect(mcporter('xdg/mcporter/mcporter.json').mcpServers.helmdeck.headers.Authorization).toBe(ROTATED);
  });

  it('register-qmd writes the name of a variable, which mcporter expands itself', async () => {
    openclawWith({ authorization: 'Bearer ${HELMDECK_TOKEN}' });
    await register();
    expect(mcporter().mcpServers.helmdeck.headers.Authorization).toBe('Bearer ${HELMDECK_TOKEN}');
  });

  it('register-qmd changes nothing on a dry run, and prints no token', async () => {
    openclawWith({ authorization: BEARER });
    const { code, out } = await register(['--local', '--dry-run']);
    expect([code, existsSync(join(home, '.mcporter'))]).toEqual([0, false]);
    expect(out).toContain('would be added');
    expect(out).not.toContain(BEARER.slice(-12));
  });

  it('register-qmd exits with 1 when something is missing on the machine', async () => {
    expect(await register([])).toMatchObject({ code: 1, err: expect.stringMatching(/--local/) });
    withDocker();
    const other = await register([], { OPENCLAW_CONTAINER: 'other' });
    expect(other).toMatchObject({
      code: 1,
      err: expect.stringContaining('The container other is not running'),
    });
    expect((await register(['--wrong'])).code).toBe(1);
    expect((await register(['--help'])).code).toBe(0);
  });

  it('register-qmd exits with 2 when OpenClaw has no usable token', async () => {
    expect(await register()).toMatchObject({ code: 2, err: expect.stringContaining('There is no') });
    openclawWith({});
    expect(await register()).toMatchObject({ code: 2, err: expect.stringContaining('openclaw mcp add') });
    openclawWith({ authorization: 'Basic abc' });
    expect((await register()).code).toBe(2);
    openclawWith({ authorization: `Bearer ${jwt(-60)}` });
    expect(await register()).toMatchObject({ code: 2, err: expect.stringContaining('expired on') });
    write('.openclaw/openclaw.json', '{ // mine\n}');
    expect(await register()).toMatchObject({ code: 2, err: expect.stringContaining('not plain JSON') });
    expect(existsSync(join(home, '.mcporter'))).toBe(false);
  });

  it("register-qmd exits with 3 when mcporter's file cannot be parsed or written, and leaves it unchanged", async () => {
    openclawWith({ authorization: BEARER });
    const file = write('.mcporter/mcporter.jsonc', '{ // mine\n}');
    expect(await register()).toMatchObject({ code: 3, err: expect.stringContaining('nothing was changed') });
    expect(readFileSync(file, 'utf8')).toBe('{ // mine\n}');
    rmSync(join(home, '.mcporter'), { recursive: true });
    write('.mcporter', 'a file where the folder would be');
    expect(await register()).toMatchObject({ code: 3, err: expect.stringContaining('cannot be written') });
  });
});

describe('smoke-memory-bridge.sh', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer({ socket: true });
  });
  afterAll(() => server.close());
  const smoke = (more: Record<string, string> = {}) =>
    run('smoke-memory-bridge.sh', ['--local'], { HELMDECK_URL: server.url, ...more });
  const facts = async () => {
    const answer = await server.call('ada', 'GET', '/api/v1/memory/facts');
    return ((await answer.json()) as { facts: unknown[] }).facts;
  };

  it('smoke-memory-bridge exits with 1 without a server, and with 2 without a token', async () => {
    expect(await smoke({ HELMDECK_URL: 'http://127.0.0.1:1' })).toMatchObject({ code: 1 });
    expect(await smoke()).toMatchObject({ code: 2, err: expect.stringContaining('There is no') });
  });

  it('smoke-memory-bridge exits with 3 when mcporter finds nothing, because its token has another subject', async () => {
    openclawWith({ authorization: `Bearer ${await server.token('ada')}` });
    chmodSync(write('bin/mcporter', '#!/bin/sh\necho \'{"results":[]}\'\n'), 0o755);
    expect(await smoke()).toMatchObject({ code: 3, err: expect.stringContaining('another subject') });
  });

  it('smoke-memory-bridge exits with 3 when mcporter cannot call the bridge, and forgets the fact it stored', async () => {
    openclawWith({ authorization: `Bearer ${await server.token('ada')}` });
    chmodSync(write('bin/mcporter', '#!/bin/sh\nexit 1\n'), 0o755);
    const { code, out, err } = await smoke();
    expect(out).toMatch(/^stored smoke\/marker[0-9a-f]{12}\n$/);
    expect([code, err]).toEqual([3, expect.stringContaining('openclaw-register-qmd.sh')]);
    expect(await facts()).toEqual([]);
  });

  it('smoke-memory-bridge exits with 3 when the fact is not stored', async () => {
    openclawWith({ authorization: `Bearer ${await server.token('ada', { scopes: ['memory:read'] })}` });
    expect(await smoke()).toMatchObject({ code: 3, err: expect.stringContaining('not stored') });
  });
});
