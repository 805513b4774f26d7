import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS } from '../../../packages/helmdeck/src/surfaces/cli/connect/clients.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect-sandbox.ts';

// Connecting and removing leaves every configuration file as it was, byte for byte, whatever it looked like.

let server: TestServer;
let sandbox: ConnectSandbox;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterEach(() => sandbox?.remove());
afterAll(() => server.close());

const STARTS: Record<string, Record<string, string | undefined>> = {
  '.json': {
    'no file': undefined,
    'an empty file': '',
    'an empty object': '{}',
    'an empty object with a final newline': '{}\n',
    'a setting': '{\n  "theme": "dark"\n}\n',
    'a setting without a final newline': '{\n  "theme": "dark"\n}',
    'one line': '{"theme":"dark","list":[1,2]}',
    tabs: '{\n\t"theme": "dark"\n}\n',
    'CRLF line ends': '{\r\n  "theme": "dark"\r\n}\r\n',
    'an empty list of servers': '{\n  "mcpServers": {},\n  "servers": {},\n  "mcp": { "servers": {} }\n}\n',
    'another server': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "hooks": {}\n}\n',
    comments: '// mine\n{\n  "theme": "dark" // last\n  /* end */\n}\n',
    'trailing commas': '{\n  "theme": "dark",\n  "mcpServers": { "other": {}, },\n}\n',
    'another hook':
      '{\n  "hooks": {\n    "SessionStart": [\n      { "hooks": [{ "type": "command", "command": "x" }] }\n    ]\n  }\n}\n',
  },
  '.toml': {
    'no file': undefined,
    'an empty file': '',
    'a setting': 'model = "o"\n',
    'a setting without a final newline': 'model = "o"',
    'trailing blank lines': 'model = "o"\n\n\n',
    'an empty table': '[mcp_servers]\n',
    'another server': '[mcp_servers.other]\ncommand = "x"\n\n[tui]\na = 1\n',
    'an inline table': 'mcp_servers = { other = { command = "x" } }\n',
    'a dotted key': 'mcp_servers.other.command = "x"\n',
    comments: '# mine\nmodel = "o" # last\n# end',
  },
  '.yaml': {
    'no file': undefined,
    'an empty file': '',
    'a setting': 'name: mine\nversion: 1.0.0\n',
    'a setting without a final newline': 'name: mine',
    'an empty list of servers': 'name: mine\nmcpServers: []\n',
    'another server': 'mcpServers:\n  - name: other\n    command: x\nmodels: []\n',
    comments: '# mine\nname: mine # last\n# end',
  },
  '.md': {
    'no file': undefined,
    'an empty file': '',
    text: '# Mine\n\nAlways answer in verse.\n',
    'text without a final newline': '# Mine',
    'text with blank lines at its end': '# Mine\n\n\n',
  },
};

/** The start of a name for a file: the same in the files of one client as far as they have it. */
function startOf(path: string, name: string): string | undefined {
  const ofKind = STARTS[extname(path).replace('.mdc', '.md')]!;
  return name in ofKind ? ofKind[name] : undefined;
}

/** Clients with a file of lines for the model. */
const WITH_LINES = ['codex', 'cursor', 'gemini-cli', 'vscode', 'opencode', 'kilo', 'cline', 'continue'];

const cases = CLIENTS.flatMap(({ name }) => {
  const kinds = [
    name === 'codex' ? '.toml' : name === 'continue' ? '.yaml' : '.json',
    ...(WITH_LINES.includes(name) ? ['.md'] : []),
  ];
  const names = new Set(kinds.flatMap((kind) => Object.keys(STARTS[kind]!)));
  return [...names].map((start) => [name, start] as const);
});

describe('connect --write --auto-recall and --remove --write', () => {
  it.each(cases)('restores the files of %s that began as: %s', async (client, start) => {
    sandbox = await createConnectSandbox(server);
    const { files } = await sandbox.json<{ files: { path: string }[] }>('connect', client, '--auto-recall');
    for (const { path } of files) {
      const text = startOf(path, start);
      if (text === undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    await sandbox.json('connect', client, '--auto-recall', '--write');
    expect(files.some(({ path }) => readFileSync(path, 'utf8') !== startOf(path, start))).toBe(true);
    await sandbox.json('connect', client, '--remove', '--write');
    for (const { path } of files) {
      const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      expect(text, path).toBe(startOf(path, start));
    }
  });

  it('keeps what the user changed in between, and removes the empty objects that connect created', async () => {
    sandbox = await createConnectSandbox(server);
    sandbox.put('{\n  "theme": "dark"\n}\n', '.claude.json');
    await sandbox.json('connect', 'claude-code', '--auto-recall', '--write');
    const text = sandbox.read('.claude.json').replace('"dark"', '"light" /* better */');
    sandbox.put(text, '.claude.json');
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(sandbox.read('.claude.json')).toBe('{\n  "theme": "light" /* better */\n}\n');
    expect(sandbox.has('.claude', 'settings.json')).toBe(false);
  });

  it('keeps a file that connect created once the user has added to it', async () => {
    sandbox = await createConnectSandbox(server);
    await sandbox.json('connect', 'cursor', '--write');
    const own = JSON.parse(sandbox.read('.cursor', 'mcp.json'));
    own.mcpServers.other = { command: 'x' };
    sandbox.put(JSON.stringify(own, null, 2), '.cursor', 'mcp.json');
    await sandbox.json('connect', 'cursor', '--remove', '--write');
    expect(JSON.parse(sandbox.read('.cursor', 'mcp.json'))).toEqual({
      mcpServers: { other: { command: 'x' } },
    });
  });

  it('restores the bytes also after the token was renewed and the program was connected twice', async () => {
    const original = '{"theme":"dark"}';
    sandbox = await createConnectSandbox(server);
    sandbox.put(original, '.claude.json');
    for (let round = 0; round < 2; round++) {
      await sandbox.json('connect', 'claude-code', '--write');
      await sandbox.json('connect', 'claude-code', '--write', '--profile', 'all');
      await sandbox.json('connect', 'claude-code', '--remove', '--write');
      expect(sandbox.read('.claude.json')).toBe(original);
    }
  });

  it('gives a file the mode back that it had, unless the user changed it in between', async () => {
    sandbox = await createConnectSandbox(server);
    sandbox.put('{"theme":"dark"}', '.claude.json');
    const mode = () => sandbox.modeOf('.claude.json');
    await sandbox.json('connect', 'claude-code', '--write');
    await sandbox.json('connect', 'claude-code', '--write', '--profile', 'all');
    expect(mode()).toBe(0o600);
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(mode()).toBe(0o644);
    await sandbox.json('connect', 'claude-code', '--write');
    chmodSync(sandbox.path('.claude.json'), 0o640);
    await sandbox.json('connect', 'claude-code', '--remove', '--write');
    expect(mode()).toBe(0o640);
  });

  it('deletes the folders that connect created once they are empty, and no others', async () => {
    sandbox = await createConnectSandbox(server);
    mkdirSync(sandbox.path('.cursor'));
    for (const client of ['vscode', 'claude-desktop', 'cursor'])
      await sandbox.json('connect', client, '--write');
    await sandbox.json('connect', 'cursor', '--remove', '--write');
    expect(readdirSync(sandbox.path('.cursor'))).toEqual([]);
    await sandbox.json('connect', 'vscode', '--remove', '--write');
    expect(readdirSync(sandbox.path('.config'))).toEqual(['Claude']);
    sandbox.put('mine', '.config', 'Claude', 'notes.txt');
    await sandbox.json('connect', 'claude-desktop', '--remove', '--write');
    expect(readdirSync(sandbox.path('.config', 'Claude'))).toEqual(['notes.txt']);
  });
});
