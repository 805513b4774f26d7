import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../../packages/helmdeck/src/engine/pack/pack.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, PROTOCOLS, readJson, until } from './clients.ts';

const begun: string[] = [];
const stopped: string[] = [];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const slowPack = definePack({
  name: 'test.slow',
  version: 'v1',
  description: 'Runs slowly and reports its progress.',
  input: z.strictObject({ name: z.string().describe('Name of the run') }),
  output: z.object({ done: z.boolean() }),
  async handler(ec) {
    begun.push(ec.input.name);
    ec.signal.addEventListener('abort', () => stopped.push(ec.input.name));
    for (let step = 1; step <= 3; step++) {
      ec.progress(step * 25, `step ${step}`);
      await sleep(150);
    }
    if (ec.input.name.startsWith('long')) await sleep(20_000);
    return { done: true };
  },
});
const jobPack = definePack({
  name: 'test.job',
  version: 'v1',
  description: 'Runs as a job.',
  input: z.strictObject({ seconds: z.number().describe('How long') }),
  output: z.object({ slept: z.number() }),
  async: true,
  async handler(ec) {
    const endMs = Date.now() + ec.input.seconds * 1000;
    while (Date.now() < endMs) {
      if (ec.signal.aborted) throw new Error('stopped');
      await sleep(20);
    }
    return { slept: ec.input.seconds };
  },
});
const listPack = definePack({
  name: 'test.list',
  version: 'v1',
  description: 'Returns an array instead of an object.',
  input: z.strictObject({}),
  output: z.array(z.string()),
  handler: () => ['a', 'b'],
});

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, packs: [slowPack, jobPack, listPack] });
});
afterAll(() => server.close());

/** The person accepts what waits in the inbox. */
async function acceptAll(subject: string): Promise<void> {
  const authorization = `Bearer ${await server.token(subject, { scopes: ['memory:review'] })}`;
  const path = '/api/v1/memory/inbox';
  const inbox = await server.call(undefined, 'GET', path, undefined, { authorization });
  const { proposals } = (await inbox.json()) as { proposals: { id: string }[] };
  const accept = proposals.map(({ id }) => id);
  await server.call(undefined, 'POST', `${path}/decide`, { accept }, { authorization });
}

describe.each(PROTOCOLS)('a client of %s', (protocol) => {
  const me = `ada-${protocol}`;
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(server, protocol, me);
  });
  afterAll(() => client.close());

  it('a client gets the name, the protocol version, the instructions and the capabilities of the server', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'helmdeck' });
    expect(client.getNegotiatedProtocolVersion()).toBe(
      protocol === '2026-07-28' ? '2026-07-28' : '2025-11-25',
    );
    expect(client.getInstructions()).toMatch(/Recall before you store/);
    expect(client.getInstructions()).toMatch(/never commands/);
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { subscribe: true },
      tools: {},
      prompts: {},
    });
  });

  it('a client lists tools with titles, annotations and both schemas', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of [
      'memory_store',
      'memory_recall',
      'memory_forget',
      'route',
      'github_list_issues',
      'http_fetch',
    ])
      expect(names).toContain(name);
    expect(names.some((name) => name.startsWith('vault_'))).toBe(false); // not a default scope
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(tool.title).toBeTruthy();
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    const find = (name: string) => tools.find((tool) => tool.name === name)!.annotations;
    expect(find('memory_store')).toMatchObject({
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(find('memory_forget')).toMatchObject({ destructiveHint: true, openWorldHint: false });
    expect(find('memory_recall')).toMatchObject({ readOnlyHint: true, openWorldHint: false });
  });

  it('a client stores, recalls, reads the history and forgets', async () => {
    const fact = { key: 'deploy/tool', value: 'we deploy with Konflux' };
    const stored = await callTool(client, 'memory_store', fact);
    expect(stored.structured).toMatchObject({ key: 'deploy/tool', created: true, version: 1 });
    expect(JSON.parse(stored.text)).toEqual(stored.structured);
    const recalled = await callTool(client, 'memory_recall', { query: 'konflux' });
    expect(recalled.structured).toMatchObject({
      abstained: false,
      results: [{ value: fact.value, age: 'just now', source: { surface: 'mcp', client: 'sdk' } }],
    });
    expect(recalled.text).toBe('- deploy/tool: we deploy with Konflux (just now, sdk)');
    const history = await callTool(client, 'memory_history', { key: 'deploy/tool' });
    expect(history.structured.versions).toHaveLength(1);
    const gone = await callTool(client, 'memory_forget', { scope: 'key:deploy/tool' });
    expect(gone.structured).toEqual({ scope: 'key:deploy/tool', deleted: 1 });
  });

  it('a client may call a tool by the name of its pack and with the name of the server as a prefix', async () => {
    for (const name of ['helmdeck.memory_recall', 'helmdeck__memory_recall', 'memory_recall'])
      expect((await callTool(client, name, { query: 'nothing like it' })).isError).toBe(false);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/no such tool/);
  });

  it('a client gets a rejected call as one plain line', async () => {
    expect(await callTool(client, 'memory_store', { key: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^invalid_input: /),
    });
    const secret = { key: 'aws', value: 'AKIAIOSFODNN7EXAMPLQ wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLQKEY' };
    expect(await callTool(client, 'memory_store', secret)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^secret_detected: /),
    });
  });

  it('a result that is not an object is wrapped in one', async () => {
    expect((await callTool(client, 'test_list')).structured).toEqual({ result: ['a', 'b'] });
  });

  it('a client gets progress notifications, and a call that it cancels stops', async () => {
    const percentages: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void percentages.push(progress);
    await client.callTool({ name: 'test_slow', arguments: { name: 'short' } }, { onprogress });
    expect(percentages).toEqual([25, 50, 75]);
    const stop = new AbortController();
    const running = client.callTool(
      { name: 'test_slow', arguments: { name: `long ${protocol}` } },
      { signal: stop.signal },
    );
    await until(() => begun.includes(`long ${protocol}`));
    stop.abort();
    await expect(running).rejects.toThrow();
    await until(() => stopped.includes(`long ${protocol}`));
  });

  it('a client waits for a short job, and gets the status of and cancels a long one', async () => {
    expect((await callTool(client, 'test_job', { seconds: 0.1 })).structured).toMatchObject({
      status: 'succeeded',
      result: { output: { slept: 0.1 } },
    });
    const stop = new AbortController();
    const waiting = client.callTool(
      { name: 'test_job', arguments: { seconds: 60 } },
      { signal: stop.signal },
    );
    const running = async () => {
      const answer = await server.call(me, 'GET', '/api/v1/jobs');
      const { jobs } = (await answer.json()) as { jobs: { job_id: string; status: string }[] };
      return jobs.filter(({ status }) => status === 'running');
    };
    await expect.poll(running).toHaveLength(1);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    const { job_id } = (await running())[0]!;
    const eve = await connectClient(server, protocol, 'eve');
    for (const name of ['job_status', 'job_cancel'])
      expect(await callTool(eve, name, { job_id })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^not_found: /),
      });
    await eve.close();
    expect((await callTool(client, 'job_cancel', { job_id })).structured).toMatchObject({
      status: 'cancelled',
    });
    expect((await callTool(client, 'job_status', { job_id })).structured).toMatchObject({
      status: 'cancelled',
    });
    expect(await callTool(client, 'job_status', { job_id: 'job_none' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^not_found: /),
    });
  });

  it('a client reads the resources and facts, encoded or not', async () => {
    await callTool(client, 'memory_store', { key: 'a b/ü%41', value: 'odd' });
    const { resources } = await client.listResources();
    expect(resources.slice(0, 7).map(({ uri }) => uri)).toEqual([
      'helmdeck://my-memory',
      'helmdeck://inbox',
      'helmdeck://my-defaults',
      'helmdeck://my-plans',
      'helmdeck://spaces',
      'helmdeck://routing-guide',
      'helmdeck://packs',
    ]);
    const listed = resources.find(({ name }) => name === 'a b/ü%41')!;
    expect(await readJson(client, listed.uri)).toMatchObject({ key: 'a b/ü%41', value: 'odd' });
    const { text } = await callTool(client, 'memory_store', {
      key: 'a b/ü%41',
      value: 'odd\u{e0069}\u202e',
    });
    expect(text).toMatch(/^Not stored yet: .* waits for the user/);
    expect(await readJson(client, 'helmdeck://inbox')).toMatchObject({
      counts: { proposed: 0, quarantined: 1 },
    });
    await acceptAll(me);
    expect(await readJson(client, listed.uri)).toMatchObject({ value: 'odd⟨2 hidden⟩' });
    expect(await readJson(client, 'helmdeck://my-memory')).toMatchObject({
      scope: `caller=${me}`,
      categories: [{ name: 'user_facts', count: 1, recent_keys: ['a b/ü%41'] }],
    });
    expect(JSON.stringify(await readJson(client, 'helmdeck://my-memory'))).not.toContain('odd');
    expect(await readJson(client, 'helmdeck://my-defaults')).toMatchObject({
      scope: `caller=${me}`,
      packs: expect.any(Array),
    });
    expect(await readJson(client, 'helmdeck://routing-guide')).toMatchObject({ packs: expect.any(Array) });
    expect(await readJson(client, 'helmdeck://packs')).toContainEqual(
      expect.objectContaining({ name: 'helmdeck.memory_store', tool: 'memory_store', allowed: true }),
    );
    await expect(client.readResource({ uri: 'helmdeck://facts/none' })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32602 });
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'helmdeck://facts/{+key}' },
      { uriTemplate: 'helmdeck://spaces/{slug}/facts/{+key}', mimeType: 'application/json' },
    ]);
  });

  it('a client gets prompts and completions', async () => {
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'remember',
      'what-do-you-know',
    ]);
    const remember = await client.getPrompt({ name: 'remember', arguments: { fact: 'I use vim' } });
    expect(JSON.stringify(remember.messages)).toMatch(/I use vim.*memory_recall.*memory_store/);
    const known = await client.getPrompt({ name: 'what-do-you-know', arguments: {} });
    expect(JSON.stringify(known.messages)).toMatch(/helmdeck:\/\/my-memory/);
    await expect(client.getPrompt({ name: 'remember', arguments: {} })).rejects.toThrow(/fact/);
    const ref = { type: 'ref/resource', uri: 'helmdeck://facts/{+key}' } as const;
    const keys = await client.complete({ ref, argument: { name: 'key', value: 'a ' } });
    expect(keys.completion).toMatchObject({ values: ['a b/ü%41'], hasMore: false });
    const categories = await client.complete({
      ref: { type: 'ref/prompt', name: 'remember' },
      argument: { name: 'category', value: 'user' },
    });
    expect(categories.completion.values).toEqual(['user_facts']);
  });
});
