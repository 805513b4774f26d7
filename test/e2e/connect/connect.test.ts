import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TokenView } from '../../../packages/helmdeck/src/memory/token-registry.ts';
import { CLIENTS } from '../../../packages/helmdeck/src/surfaces/cli/connect/clients.ts';
import type { ConnectReport } from '../../../packages/helmdeck/src/surfaces/cli/connect/connect-report.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect-sandbox.ts';

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** The configuration file of each client, and how to read address and token in it. */
const FILES: Record<string, { file: string[]; servers: string[]; address?: string }> = {
  'claude-code': { file: ['.claude.json'], servers: ['mcpServers'], address: 'url' },
  'claude-desktop': { file: ['.config', 'Claude', 'claude_desktop_config.json'], servers: ['mcpServers'] },
  'gemini-cli': { file: ['.gemini', 'settings.json'], servers: ['mcpServers'], address: 'url' },
  openclaw: { file: ['.openclaw', 'openclaw.json'], servers: ['mcp', 'servers'], address: 'url' },
  mcporter: { file: ['.mcporter', 'mcporter.json'], servers: ['mcpServers'], address: 'baseUrl' },
  cursor: { file: ['.cursor', 'mcp.json'], servers: ['mcpServers'], address: 'url' },
  vscode: { file: ['.config', 'Code', 'User', 'mcp.json'], servers: ['servers'], address: 'url' },
  codex: { file: ['.codex', 'config.toml'], servers: [] },
  'copilot-cli': { file: ['.copilot', 'mcp-config.json'], servers: ['mcpServers'], address: 'url' },
  opencode: { file: ['.config', 'opencode', 'opencode.json'], servers: ['mcp'], address: 'url' },
  kilo: { file: ['.config', 'kilo', 'kilo.json'], servers: ['mcp'], address: 'url' },
  'qwen-code': { file: ['.qwen', 'settings.json'], servers: ['mcpServers'], address: 'httpUrl' },
  cline: {
    file: ['.cline', 'data', 'settings', 'cline_mcp_settings.json'],
    servers: ['mcpServers'],
    address: 'url',
  },
  continue: { file: ['.continue', 'config.yaml'], servers: [] },
};

let server: TestServer;
let sandbox: ConnectSandbox;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());
afterEach(() => sandbox?.remove());

const report = (...args: string[]) => sandbox.json<ConnectReport>('connect', ...args);
const tokenIn = (text: string) => TOKEN.exec(text)![0];
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${server.url}/api/v1/auth/session`, { headers })).status;
}

/** The number of valid tokens of a client. */
async function liveTokens(client: string): Promise<number> {
  const { tokens } = await sandbox.json<{ tokens: TokenView[] }>('token', 'list');
  const isLive = (token: TokenView) => token.subject === sandbox.subject && token.revoked_at === null;
  return tokens.filter((token) => isLive(token) && token.client === client).length;
}

it('every documented client is supported', () => {
  expect(CLIENTS.map(({ name }) => name).sort()).toEqual(Object.keys(FILES).sort());
});

describe.each(Object.entries(FILES))('%s', (name, { file, servers, address }) => {
  it('connect without --write changes no file and mints no token', async () => {
    sandbox = await createConnectSandbox(server, { subject: `dry-${name}` });
    const { code, out } = await sandbox.run('connect', name, '--auto-recall');
    expect(code).toBe(0);
    expect(out).toContain(sandbox.path(...file));
    expect(out).toContain('<a new token>');
    expect(out).not.toMatch(TOKEN);
    expect(out).toContain('Nothing was changed');
    expect(readdirSync(sandbox.home)).toEqual([]);
    expect(await liveTokens(name)).toBe(0);
  });

  it('connect --write gives the client an address and a valid token, in a file with mode 0600', async () => {
    sandbox = await createConnectSandbox(server, { subject: `write-${name}` });
    const done = await report(name, '--write');
    expect(done).toMatchObject({ written: true, subject: `write-${name}`, token: { state: 'new' } });
    expect(done.check!.tools).toContain('memory_recall');
    const text = sandbox.read(...file);
    expect(JSON.stringify(done)).not.toMatch(TOKEN);
    expect(claims(tokenIn(text))).toMatchObject({
      sub: `write-${name}`,
      client: name,
      scopes: ['memory:read', 'memory:write'],
      jti: done.token.jti,
    });
    expect(await statusOf(tokenIn(text))).toBe(200);
    expect(sandbox.modeOf(...file)).toBe(0o600);
    if (address === undefined) return;
    const entry = [...servers, 'helmdeck'].reduce((at, step) => at[step], JSON.parse(text));
    expect(entry[address]).toBe(`${server.url}/api/v1/mcp/memory`);
    expect(entry.headers).toEqual({ Authorization: `Bearer ${tokenIn(text)}` });
  });

  it('connect --propose gives the client a token that may only propose, and a later connect without it one that stores', async () => {
    sandbox = await createConnectSandbox(server, { subject: `propose-${name}` });
    await report(name, '--write', '--propose');
    const proposing = tokenIn(sandbox.read(...file));
    expect(claims(proposing).scopes).toEqual(['memory:read', 'memory:propose']);
    const headers = { authorization: `Bearer ${proposing}` };
    const body = { key: 'editor', value: 'Helix' };
    const stored = await server.call(undefined, 'POST', '/api/v1/memory/store', body, headers);
    expect([stored.status, await stored.json()]).toMatchObject([202, { reason: 'token_policy' }]);
    await report(name, '--write');
    expect(claims(tokenIn(sandbox.read(...file))).scopes).toEqual(['memory:read', 'memory:write']);
  });

  it('a second connect changes nothing, unless the token was revoked', async () => {
    sandbox = await createConnectSandbox(server, { subject: `again-${name}` });
    const first = await report(name, '--write', '--auto-recall');
    const before = sandbox.read(...file);
    const second = await report(name, '--write', '--auto-recall');
    expect(second.token.state).toBe('kept');
    expect(second.files.every(({ changed }) => !changed)).toBe(true);
    expect(sandbox.read(...file)).toBe(before);
    await sandbox.json('token', 'revoke', first.token.jti!);
    const third = await report(name, '--write');
    expect(third.token.state).toBe('new');
    expect(await statusOf(tokenIn(sandbox.read(...file)))).toBe(200);
    expect(sandbox.read(...file).split(tokenIn(before)).length).toBe(1);
    const backup = third.files.find(({ backup }) => backup)!.backup!;
    expect(sandbox.read(backup.slice(sandbox.home.length))).toBe(before);
    expect(await liveTokens(name)).toBe(1);
  });

  it('connect keeps the first and the last backup of a file', async () => {
    sandbox = await createConnectSandbox(server, { subject: `backups-${name}` });
    const originals: Record<string, string> = { codex: 'model = "mine"\n', continue: 'name: mine\n' };
    const original = originals[name] ?? '{ "mine": true }\n';
    sandbox.put(original, ...file);
    sandbox.put('of another program', ...file.slice(0, -1), `${file.at(-1)}.bak`);
    let last = '';
    for (let times = 0; times < 4; times++) {
      last = sandbox.read(...file);
      await report(name, '--write', ...(times % 2 === 0 ? [] : ['--remove']));
    }
    const folder = sandbox.path(...file.slice(0, -1));
    const backups = readdirSync(folder).filter(
      (each) => /Z\.bak$/.test(each) && each.startsWith(file.at(-1)!),
    );
    const texts = backups.sort().map((each) => sandbox.read(...file.slice(0, -1), each));
    expect(texts).toEqual([original, last]);
    expect(sandbox.read(...file.slice(0, -1), `${file.at(-1)}.bak`)).toBe('of another program');
  });

  it('connect --remove removes the connection without a trace and revokes the token', async () => {
    sandbox = await createConnectSandbox(server, { subject: `remove-${name}` });
    await report(name, '--write', '--auto-recall');
    const token = tokenIn(sandbox.read(...file));
    const dry = await report(name, '--remove');
    expect(dry.files.some(({ changed }) => changed)).toBe(true);
    expect(await statusOf(token)).toBe(200);
    const gone = await report(name, '--remove', '--write');
    expect(gone.token.state).toBe('revoked');
    expect(await statusOf(token)).toBe(401);
    for (const { path } of gone.files)
      if (sandbox.has(path.slice(sandbox.home.length)))
        expect(sandbox.read(path.slice(sandbox.home.length))).not.toMatch(/helmdeck/i);
    expect((await sandbox.run('connect', name, '--remove', '--write')).out).toContain(
      'is not connected to Helmdeck',
    );
  });
});

describe('an existing configuration file', () => {
  it('a configuration file keeps its comments, other servers and unknown fields', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'keeper' });
    const mine = `// my servers
{
  "inputs": [], // none yet
  "servers": {
    "other": { "type": "stdio", "command": "x" },
    "helmdeck": {
      "type": "stdio",
      "command": "old", // by hand
      "env": { "A": "b" },
      "headers": { "X-Mine": "1" },
      "gallery": true,
    },
  },
}
`;
    sandbox.put(mine, '.config', 'Code', 'User', 'mcp.json');
    await report('vscode', '--write');
    const text = sandbox.read('.config', 'Code', 'User', 'mcp.json');
    for (const kept of ['// my servers', '// none yet', '"command": "x"', '"X-Mine": "1"', '"gallery": true'])
      expect(text).toContain(kept);
    expect(text).not.toContain('"command": "old"');
    expect(text).toContain('"type": "http"');
    expect(sandbox.modeOf('.config', 'Code', 'User', 'mcp.json')).toBe(0o600);
  });

  it('a file that cannot be parsed is not changed, and no token is minted', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'broken' });
    for (const [name, { file }] of Object.entries(FILES)) {
      const broken = name === 'codex' ? 'model = "un' : '{"mcpServers": {';
      sandbox.put(broken, ...file);
      const { code, err } = await sandbox.run('connect', name, '--write');
      expect([name, code]).toEqual([name, 2]);
      expect(err).toContain('was not changed');
      expect(sandbox.read(...file)).toBe(broken);
      expect(await liveTokens(name)).toBe(0);
    }
  });

  it('a value of another type is not replaced, and no token is minted', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'folder' });
    mkdirSync(sandbox.path('.cursor', 'mcp.json'), { recursive: true });
    const { code, err } = await sandbox.run('connect', 'cursor', '--write');
    expect(code).toBe(2);
    expect(err).toMatch(/mcp\.json: is a folder/);
    sandbox.put('a file where a folder should be', '.gemini');
    expect((await sandbox.run('connect', 'gemini-cli', '--write')).code).toBe(2);
    expect(await liveTokens('cursor')).toBe(0);
    expect(await liveTokens('gemini-cli')).toBe(0);
  });

  it('a configuration file that is a symbolic link stays one', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'linker' });
    sandbox.put('{}\n', 'dotfiles', 'mcp.json');
    mkdirSync(sandbox.path('.cursor'));
    symlinkSync(sandbox.path('dotfiles', 'mcp.json'), sandbox.path('.cursor', 'mcp.json'));
    await report('cursor', '--write');
    expect(sandbox.read('dotfiles', 'mcp.json')).toMatch(TOKEN);
    expect(readdirSync(sandbox.path('.cursor'), { withFileTypes: true })[0]!.isSymbolicLink()).toBe(true);
  });
});

describe('connecting', () => {
  it('connect gives scopes beyond memory only with --profile', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'scopes' });
    const all = await report('cursor', '--write', '--profile', 'all');
    expect(all.token.scopes).toEqual(['memory:read', 'memory:write', 'packs:run']);
    expect(all.check!.tools).toContain('http_fetch');
    const first = tokenIn(sandbox.read('.cursor', 'mcp.json'));
    const corpus = await report('cursor', '--write', '--profile', 'qmd');
    expect(corpus.token.scopes).toEqual(['memory:read']);
    expect(corpus.check!.tools).toEqual(['query', 'get', 'multi_get', 'status']);
    expect(corpus.token.revoked_old).toBe(true);
    expect(await statusOf(first)).toBe(401);
    expect(await statusOf(tokenIn(sandbox.read('.cursor', 'mcp.json')))).toBe(200);
  });

  it('connect does not reuse a token of another subject', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'mine' });
    const theirs = await server.token('theirs', {
      scopes: ['memory:read', 'memory:write'],
      client: 'cursor',
    });
    sandbox.put(
      JSON.stringify({
        mcpServers: { helmdeck: { url: 'x', headers: { Authorization: `Bearer ${theirs}` } } },
      }),
      '.cursor',
      'mcp.json',
    );
    expect((await report('cursor', '--write')).token.state).toBe('new');
    expect(claims(tokenIn(sandbox.read('.cursor', 'mcp.json'))).sub).toBe('mine');
    expect(await statusOf(theirs)).toBe(200);
  });

  it('connect replaces a token that is about to expire', async () => {
    sandbox = await createConnectSandbox(server, { subject: 'short' });
    const short = await server.token('short', {
      scopes: ['memory:read', 'memory:write'],
      client: 'cursor',
      ttlSeconds: 60,
    });
    const [head, body, sign] = short.split('.') as [string, string, string];
    const older = Buffer.from(JSON.stringify({ ...claims(`${head}.${body}`), iat: 1 })).toString('base64url');
    sandbox.put(
      `{"mcpServers": {"helmdeck": {"url": "x", "headers": {"Authorization": "Bearer ${head}.${older}.${sign}"}}}}`,
      '.cursor',
      'mcp.json',
    );
    expect((await report('cursor', '--write')).token.state).toBe('new');
  });

  it('connect explains a missing server and an unknown client', async () => {
    sandbox = await createConnectSandbox(undefined);
    const none = await sandbox.run('connect', 'codex', '--write');
    expect(none.code).toBe(10);
    expect(none.err).toContain('helmdeck serve');
    const wrong = await sandbox.run('connect', 'cladue-code');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('Did you mean claude-code?');
    expect(readdirSync(sandbox.home)).toEqual([]);
  });

  it('connect writes no token if the server requires none', async () => {
    const open = await testServer({ socket: true, env: { HELMDECK_DISABLE_AUTH: '1' } });
    try {
      sandbox = await createConnectSandbox(undefined, { env: { HELMDECK_URL: open.url } });
      for (const name of ['claude-code', 'codex', 'claude-desktop']) {
        const done = await report(name, '--write');
        expect(done.token.state).toBe('none');
        expect(sandbox.read(...FILES[name]!.file)).not.toMatch(/Bearer|HELMDECK_TOKEN/);
      }
    } finally {
      await open.close();
    }
  });

  it('connect changes nothing if the connection test fails', async () => {
    sandbox = await createConnectSandbox(server, {
      subject: 'dead',
      machine: { launch: { command: process.execPath, args: ['-e', 'process.exit(3)', '--'] } },
    });
    const { code, err } = await sandbox.run('connect', 'claude-desktop', '--write');
    expect(code).toBe(10);
    expect(err).toContain('does not work');
    expect(readdirSync(sandbox.home)).toEqual([]);
    expect(await liveTokens('claude-desktop')).toBe(0);
  });

  it('connect finds the files of other platforms and of custom folders', async () => {
    const paths = async (name: string, machine: object) => {
      sandbox?.remove();
      sandbox = await createConnectSandbox(server, { machine });
      return (await report(name)).files.map(({ path }) => path);
    };
    expect((await paths('claude-desktop', { platform: 'darwin' }))[0]).toContain(
      'Library/Application Support/Claude',
    );
    expect(await paths('vscode', { platform: 'win32', environment: { APPDATA: '/app' } })).toEqual([
      '/app/Code/User/mcp.json',
    ]);
    expect(await paths('codex', { environment: { CODEX_HOME: '/cx' } })).toEqual(['/cx/config.toml']);
    expect(await paths('claude-code', { environment: { CLAUDE_CONFIG_DIR: '/cc' } })).toEqual([
      '/cc/.claude.json',
    ]);
    expect(await paths('openclaw', { environment: { OPENCLAW_CONFIG_PATH: '/oc.json' } })).toEqual([
      '/oc.json',
    ]);
  });
});
