import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackExtension } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { SERVER_JSON } from './server-json.ts';

// What `npm run package` makes, used as the programs that it is for use it. `npm run test:clients` does that with the real
// programs, and with other versions of Node.

const ROOT = resolve(import.meta.dirname, '../..');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version, mcpName } = readJson(join(ROOT, 'packages/helmdeck/package.json'));
const FACT = { key: 'deploy/konflux', value: 'We deploy through Konflux.' };

let dir: string;
let out: string;
let server: TestServer;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-package-'));
  out = join(dir, 'dist');
  const done = spawnSync(process.execPath, [join(ROOT, 'scripts/package.ts'), '--out', out], {
    encoding: 'utf8',
  });
  expect(done.status, done.stderr).toBe(0);
  server = await testServer({ socket: true });
  await server.call('ada', 'POST', '/api/v1/memory/store', FACT);
});
afterAll(async () => {
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

it('the folder has every artefact with its hash, and nothing else', () => {
  const files = [
    `helmdeck-${version}.mcpb`,
    `helmdeck-${version}.tgz`,
    `helmdeck-claude-code-${version}.tar.gz`,
    `helmdeck-gemini-cli-${version}.tar.gz`,
    `openclaw-helmdeck-memory-${version}.tgz`,
    'server.json',
  ];
  expect(readdirSync(out).sort()).toEqual(['SHA256SUMS', 'claude-code', 'gemini-cli', ...files].sort());
  const sums = files.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(out, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(sums.join(''));
});

describe('the bundle for Claude Desktop', () => {
  let folder: string;
  beforeAll(async () => {
    folder = join(dir, 'mcpb');
    const mcpbPath = join(out, `helmdeck-${version}.mcpb`);
    expect(await unpackExtension({ mcpbPath, outputDir: folder, silent: true })).toBe(true);
  });

  it('its manifest is valid by the published schema and has the version of the package', () => {
    const manifest = readJson(join(folder, 'manifest.json'));
    const schema = readJson(
      join(ROOT, 'node_modules/@anthropic-ai/mcpb/schemas/mcpb-manifest-v0.3.schema.json'),
    );
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    expect(ajv.validate(schema, manifest), ajv.errorsText()).toBe(true);
    expect(manifest).toMatchObject({ manifest_version: '0.3', version });
    expect(manifest.user_config.token.sensitive).toBe(true);
  });

  it('started as the manifest says, it serves the memory tools of the server over stdio', async () => {
    const { server: about } = readJson(join(folder, 'manifest.json'));
    expect(existsSync(join(folder, about.entry_point))).toBe(true);
    const settings: Record<string, string> = {
      __dirname: folder,
      'user_config.url': server.url,
      'user_config.token': await server.token('ada'),
    };
    const filled = (text: string) => text.replaceAll(/\$\{([\w.]+)\}/g, (_, name) => settings[name]!);
    const env = Object.fromEntries(
      Object.entries<string>(about.mcp_config.env).map(([name, value]) => [name, filled(value)]),
    );
    expect(about.mcp_config.command).toBe('node');
    const client = new Client({ name: 'claude-ai', version: '0.1.0' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: about.mcp_config.args.map(filled), env }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('memory_recall');
    const recalled = await client.callTool({ name: 'memory_recall', arguments: { query: 'konflux' } });
    expect(JSON.stringify(recalled.content)).toContain(FACT.value);
    await client.close();
  });

  it('without a server at the address, a request is answered with a sentence about it', async () => {
    const program = join(folder, 'server/mcp.mjs');
    const child = spawn(process.execPath, [program], {
      env: { HELMDECK_URL: 'http://127.0.0.1:9', HELMDECK_TOKEN: 'none' },
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(JSON.parse(printed).error.message).toBe('No Helmdeck server answers at http://127.0.0.1:9.');
  });
});

let sessions = 0;
/** Runs a command of a hooks file as its program does, in a new session; returns what it prints. */
async function runHook(command: string, folder: string, env: Record<string, string>) {
  const program = command
    .replace(/^node /, `'${process.execPath}' `)
    .replaceAll(/\$\{(CLAUDE_PLUGIN_ROOT|extensionPath)\}/g, folder)
    .replaceAll(`\${/}`, '/');
  const child = spawn('sh', ['-c', program], {
    cwd: dir,
    env: { PATH: process.env.PATH!, HOME: dir, ...env },
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const prompt = 'Hi! How do we deploy with Konflux, again?';
  child.stdin.end(JSON.stringify({ prompt, session_id: `session-${++sessions}`, cwd: dir }));
  expect(await once(child, 'close')).toEqual([0, null]);
  return printed;
}

/** A busy machine may take longer than a hook waits for the server; it then prints nothing. */
async function expectNotes(event: string, run: () => Promise<string>): Promise<void> {
  let printed = '';
  await expect
    .poll(async () => {
      printed = await run();
      return printed;
    })
    .not.toBe('');
  const { hookSpecificOutput } = JSON.parse(printed);
  expect(hookSpecificOutput.hookEventName).toBe(event);
  expect(hookSpecificOutput.additionalContext).toContain(FACT.value);
}

const commandsOf = (hooksFile: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries<{ hooks: { command: string }[] }[]>(readJson(hooksFile).hooks).map(([event, groups]) => [
      event,
      groups[0]!.hooks[0]!.command,
    ]),
  );

describe('the plugin for Claude Code', () => {
  const plugin = () => join(out, 'claude-code/plugins/helmdeck');
  const commands = () => commandsOf(join(plugin(), 'hooks/hooks.json'));

  it('the marketplace lists the plugin, which has the version of the package and keeps its token secret', () => {
    const market = readJson(join(out, 'claude-code/.claude-plugin/marketplace.json'));
    expect(market.plugins).toEqual([
      expect.objectContaining({ name: 'helmdeck', source: './plugins/helmdeck' }),
    ]);
    const manifest = readJson(join(plugin(), '.claude-plugin/plugin.json'));
    expect(manifest).toMatchObject({ name: 'helmdeck', version });
    expect(manifest.userConfig.token).toMatchObject({ sensitive: true, required: true });
  });

  it('its hooks print notes from the server that the plugin was configured with', async () => {
    expect(Object.keys(commands())).toEqual(['SessionStart', 'UserPromptSubmit']);
    const env = {
      CLAUDE_PLUGIN_OPTION_URL: server.url,
      CLAUDE_PLUGIN_OPTION_TOKEN: await server.token('ada'),
    };
    for (const [event, command] of Object.entries(commands())) {
      await expectNotes(event, () => runHook(command, plugin(), env));
    }
  });

  it('the token of the plugin is not sent to an address in the environment', async () => {
    let requests = 0;
    const other = createServer((_, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await runHook(commands().UserPromptSubmit!, plugin(), {
      HELMDECK_URL: url,
      CLAUDE_PLUGIN_OPTION_URL: 'http://127.0.0.1:9',
      CLAUDE_PLUGIN_OPTION_TOKEN: 'of the plugin',
    });
    await new Promise((done) => other.close(done));
    expect(requests).toBe(0);
  });
});

it('the hooks of the extension for Gemini CLI print notes from the server that it was configured with', async () => {
  const extension = join(out, 'gemini-cli/helmdeck');
  const manifest = readJson(join(extension, 'gemini-extension.json'));
  expect(manifest).toMatchObject({ name: 'helmdeck', version, contextFileName: 'GEMINI.md' });
  expect(existsSync(join(extension, manifest.contextFileName))).toBe(true);
  const commands = commandsOf(join(extension, 'hooks/hooks.json'));
  expect(Object.keys(commands)).toEqual(['SessionStart', 'BeforeAgent']);
  const env = { HELMDECK_URL: server.url, HELMDECK_TOKEN: await server.token('ada') };
  for (const [event, command] of Object.entries(commands)) {
    await expectNotes(event, () => runHook(command, extension, env));
  }
});

it('server.json is what the MCP registry accepts, and names the npm package and the bundle of this version', () => {
  const about = SERVER_JSON.parse(readJson(join(out, 'server.json')));
  expect(about).toMatchObject({ name: mcpName, version });
  const [npm, mcpb] = about.packages;
  expect(npm).toMatchObject({ identifier: 'helmdeck', version });
  expect(mcpb.identifier).toContain(`/v${version}/helmdeck-${version}.mcpb`);
  const hash = createHash('sha256').update(readFileSync(join(out, `helmdeck-${version}.mcpb`)));
  expect(mcpb.fileSha256).toBe(hash.digest('hex'));
  for (const { environmentVariables } of about.packages)
    expect(environmentVariables.find(({ name }) => name === 'HELMDECK_TOKEN')?.isSecret).toBe(true);
});
