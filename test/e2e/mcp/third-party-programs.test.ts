import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../../packages/helmdeck/src/engine/pack/pack.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from '../connect/connect-sandbox.ts';
import { installPrograms, runProgram, tokenProxy } from './third-party-programs.ts';

// MCP programs of other authors, run as child processes against a server.

let server: TestServer;
let home: string;

const bin = await installPrograms().catch((thrown: unknown) => {
  if (process.env.CI) throw thrown;
  console.warn('skipped: mcporter, the Inspector and the conformance suite could not be installed');
  return undefined;
});
const describeIf = describe.skipIf(bin === undefined);

/** A tool that the conformance suite expects on a server under test. */
const fixture = (name: string, handler: (report: (percent: number) => void) => unknown) =>
  definePack({
    name,
    version: 'v1',
    description: 'Stands in for a tool of the conformance suite.',
    input: z.looseObject({}),
    output: z.object({ text: z.string() }),
    async handler(ec) {
      await handler((percent) => ec.progress(percent));
      return { text: 'This is a simple text response for testing.' };
    },
  });
const FIXTURES = [
  fixture('test.simple_text', () => {}),
  fixture('test.error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  fixture('test.tool_with_progress', async (report) => {
    for (const percent of [0, 50, 100]) {
      report(percent);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }),
];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'helmdeck-programs-'));
  server = await testServer({ socket: true, packs: FIXTURES });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (name: string, ...args: string[]) => runProgram(join(bin!, name), args, home);

describeIf('the conformance suite', () => {
  /** Leaves out scenarios for features that Helmdeck does not have (images, sampling, logging levels). */
  const SCENARIOS = [
    'server-initialize',
    'ping',
    'tools-list',
    'tools-call-simple-text',
    'tools-call-error',
    'tools-call-with-progress',
    'completion-complete',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ];

  let summary = '';
  beforeAll(async () => {
    const proxy = await tokenProxy(server.url, await server.token('conformance'));
    const { out } = await run('conformance', 'server', '--url', `${proxy.url}/api/v1/mcp`, '--suite', 'all');
    summary = out;
    proxy.close();
  });

  it.each(SCENARIOS)('the server passes the conformance scenario %s', (scenario) => {
    const [, passed, failed] = new RegExp(`${scenario}: (\\d+) passed, (\\d+) failed`).exec(summary) ?? [];
    expect(Number(failed)).toBe(0);
    expect(Number(passed)).toBeGreaterThan(0);
  });
});

describeIf('mcporter', () => {
  let sandbox: ConnectSandbox;
  beforeAll(async () => {
    sandbox = await createConnectSandbox(server, { subject: 'porter' });
  });
  afterAll(() => sandbox.remove());
  const mcporter = (...args: string[]) => runProgram(join(bin!, 'mcporter'), args, sandbox.home);

  it('mcporter lists and calls tools after "helmdeck connect mcporter --write"', async () => {
    await sandbox.json('connect', 'mcporter', '--write');
    const listed = await mcporter('list', 'helmdeck', '--json');
    const { status, tools } = JSON.parse(listed.out) as { status: string; tools: { name: string }[] };
    expect([listed.code, status]).toEqual([0, 'ok']);
    expect(tools.map(({ name }) => name)).toContain('memory_recall');
    const fact = { key: 'deploy/tool', value: 'we deploy with Konflux' };
    const stored = await mcporter(
      'call',
      'helmdeck.memory_store',
      '--args',
      JSON.stringify(fact),
      '--output',
      'json',
    );
    expect(JSON.parse(stored.out)).toMatchObject({ key: fact.key, created: true });
  });

  it('mcporter gets chunks from the corpus bridge over Streamable HTTP and SSE', async () => {
    await server.call('porter', 'POST', '/api/v1/memory/store', {
      key: 'ci/tool',
      value: 'we build with Konflux',
    });
    const query = {
      searches: [{ type: 'lex', query: 'konflux' }],
      limit: 6,
      rerank: false,
      collections: ['memory-root-main'],
    };
    const header = `Authorization=Bearer ${await server.token('porter')}`;
    for (const path of ['/api/v1/mcp/qmd', '/api/v1/mcp/qmd/sse']) {
      const name = path.endsWith('sse') ? 'bridge-sse' : 'bridge';
      await mcporter(
        'config',
        'add',
        name,
        '--url',
        server.url + path,
        '--header',
        header,
        '--scope',
        'home',
        '--allow-http',
      );
      const result = await mcporter(
        'call',
        `${name}.query`,
        '--args',
        JSON.stringify(query),
        '--output',
        'json',
      );
      expect(JSON.parse(result.out)).toMatchObject({
        results: [
          { file: 'facts/ci/tool', collection: 'helmdeck-user_facts' },
          { file: 'facts/deploy/tool' },
        ],
      });
    }
  });

  it('mcporter reports an error after its token was revoked', async () => {
    await sandbox.json('connect', 'mcporter', '--write');
    const { tokens } = await sandbox.json<{
      tokens: { jti: string; client?: string; revoked_at: string | null }[];
    }>('token', 'list');
    for (const { jti } of tokens.filter(
      ({ client, revoked_at }) => client === 'mcporter' && revoked_at === null,
    ))
      await sandbox.json('token', 'revoke', jti);
    const listed = await mcporter('list', 'helmdeck', '--json');
    expect((JSON.parse(listed.out) as { status: string }).status).not.toBe('ok');
  });
});

describeIf('the MCP Inspector', () => {
  it.each([
    ['/api/v1/mcp', 'http'],
    ['/api/v1/mcp/memory', 'http'],
    ['/api/v1/mcp/sse', 'sse'],
  ])('the MCP Inspector lists tools and reads resources at %s over %s', async (path, transport) => {
    const header = `Authorization: Bearer ${await server.token('inspector')}`;
    const inspect = async (...args: string[]) => {
      const all = ['--cli', server.url + path, '--transport', transport, '--header', header, ...args];
      const { code, out, err } = await run('mcp-inspector', ...all);
      expect([code, code === 0 ? '' : err]).toEqual([0, '']);
      return JSON.parse(out) as { tools?: { name: string }[]; contents?: { text: string }[] };
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools!.map(({ name }) => name)).toContain('memory_store');
    const { contents } = await inspect('--method', 'resources/read', '--uri', 'helmdeck://my-memory');
    expect(JSON.parse(contents![0]!.text)).toMatchObject({ scope: 'caller=inspector' });
  });
});
