import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPack, type TestServer, testServer } from '../../testing/index.ts';

const KEY = 'gateway-key-for-tests-0001';
let gateway: Server;
let server: TestServer;
let asked: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
let answerWith: (answer: ServerResponse) => void;

const says = (content: unknown) => {
  answerWith = (answer) =>
    answer
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content } }] }));
};
const fails = (status: number, headers = {}, body = `leaks ${KEY}`) => {
  answerWith = (answer) => answer.writeHead(status, headers).end(body);
};

beforeEach(async () => {
  asked = [];
  gateway = createServer(async (incoming, answer) => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    asked.push({ headers: incoming.headers, body: JSON.parse(text) as Record<string, unknown> });
    answerWith(answer);
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1/`;
  server = await testServer({
    env: {
      HELMDECK_GATEWAY_URL: url,
      HELMDECK_GATEWAY_API_KEY: KEY,
      HELMDECK_GATEWAY_MODEL: 'small',
    },
  });
});
afterEach(async () => {
  await server.close();
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});

const rewrite = (input: object = {}) =>
  runPack(server, 'ada', 'blog.rewrite_for_audience', {
    source_content: 'We moved to Konflux.',
    persona: 'technical',
    ...input,
  });

describe('blog.rewrite_for_audience', () => {
  it('blog.rewrite_for_audience prompts the gateway with persona and audience', async () => {
    says('# Moving\n\nWe moved.');
    const { output } = await rewrite({ audience: 'engineers', angle: 'cost' });
    expect(output).toEqual({
      markdown: '# Moving\n\nWe moved.',
      title: 'Moving',
      persona_used: 'technical',
      model: 'small',
    });
    const [{ headers, body }] = asked as [(typeof asked)[0]];
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({ model: 'small', messages: [{ role: 'system' }, { role: 'user' }] });
    const prompt = JSON.stringify(body.messages);
    for (const word of ['technical', 'engineers', 'cost', 'We moved to Konflux.'])
      expect(prompt).toContain(word);
  });

  it('blog.rewrite_for_audience uses the given model and title, which become learned defaults', async () => {
    says('No heading.');
    expect((await rewrite({ title: 'Mine', model: 'large' })).output).toMatchObject({
      title: 'Mine',
      model: 'large',
    });
    const defaults = await (await server.call('ada', 'GET', '/api/v1/memory/defaults')).json();
    expect(defaults).toMatchObject({
      packs: [{ common_inputs: { persona: 'technical', model: 'large', title: 'Mine' } }],
    });
  });

  it.each([
    [401, {}, 'credential_invalid', undefined],
    [429, { 'retry-after': '7' }, 'rate_limited', 7],
    [404, {}, 'invalid_input', undefined],
    [500, {}, 'handler_failed', undefined],
    [302, { location: 'http://169.254.169.254/' }, 'handler_failed', undefined],
  ])(
    'status %i of the gateway becomes a typed error without the gateway’s text',
    async (status, headers, code, after) => {
      fails(status, headers);
      const error = await rewrite().catch((thrown) => thrown);
      expect(error).toMatchObject({ code, retryAfterSeconds: after });
      expect(`${error.message} ${error.hint}`).not.toContain(KEY);
    },
  );

  it.each([
    ['no JSON', 'nonsense'],
    ['no choice', '{"choices":[]}'],
    ['an empty answer', '{"choices":[{"message":{"content":"  "}}]}'],
    ['too much', `"${'x'.repeat(5_000_000)}"`],
  ])('a gateway response with %s fails the run', async (_name, body) => {
    fails(200, { 'content-type': 'application/json' }, body);
    await expect(rewrite()).rejects.toMatchObject({ code: 'handler_failed', reason: 'gateway_answer' });
  });

  it('the gateway request is aborted when the caller disconnects', async () => {
    let closed = false;
    answerWith = (answer) =>
      answer.on('close', () => {
        closed = true;
      });
    const gone = new AbortController();
    const running = runPack(
      server,
      'ada',
      'blog.rewrite_for_audience',
      { source_content: 'x', persona: 'p' },
      { signal: gone.signal },
    );
    await expect.poll(() => asked.length).toBe(1);
    gone.abort();
    await expect(running).rejects.toMatchObject({ reason: 'cancelled' });
    await expect.poll(() => closed).toBe(true);
  });

  it('without a gateway neither blog.rewrite_for_audience nor its pipeline exists', async () => {
    const without = await testServer();
    expect(without.engine.packs.has('blog.rewrite_for_audience')).toBe(false);
    const list = await (await without.call('ada', 'GET', '/api/v1/pipelines')).text();
    expect(list).not.toContain('builtin.brief-rewrite-blog');
    await without.close();
    expect(await (await server.call('ada', 'GET', '/api/v1/pipelines')).text()).toContain(
      'brief-rewrite-blog',
    );
  });
});

type Route = {
  recommendation: { kind: string; id: string; suggested_inputs?: object; why?: string };
  alternatives: { id: string }[];
  gap_warning?: { missing_capability: string; proposed_pack: { name: string } };
  reasoning: string;
  model?: string;
};
const route = async (user_intent: string, more: object = {}, options = {}) =>
  (await runPack(server, 'ada', 'helmdeck.route', { user_intent, ...more }, options)).output as Route;

describe('helmdeck.route', () => {
  it('helmdeck.route recommends pipelines before packs, with at most three alternatives', async () => {
    const answer = await route('please remember this page https://example.com/a for me');
    expect(answer.recommendation).toMatchObject({
      kind: 'pipeline',
      id: 'builtin.fetch-to-fact',
      suggested_inputs: { url: 'https://example.com/a' },
    });
    expect(answer.alternatives.length).toBeGreaterThan(0);
    expect(answer.alternatives.length).toBeLessThanOrEqual(3);
    expect(answer.alternatives.map(({ id }) => id)).not.toContain('builtin.fetch-to-fact');
    expect(answer.gap_warning).toBeUndefined();
    expect(await route('please remember this page https://example.com/a for me'), 'the same again').toEqual(
      answer,
    );
    expect((await route('list the issues of octo/cat')).recommendation.suggested_inputs).toEqual({
      repo: 'octo/cat',
    });
    expect((await route('forget this')).recommendation).toMatchObject({
      kind: 'pack',
      id: 'helmdeck.memory_forget',
    });
  });

  it('helmdeck.route suggests inputs from the context first, then from learned defaults', async () => {
    says('# Post');
    await rewrite({ audience: 'engineers' });
    const answer = await route('rewrite for audience', { context: { persona: 'calm', unrelated: 1 } });
    expect(answer.recommendation.id).toBe('builtin.brief-rewrite-blog');
    expect(answer.recommendation.suggested_inputs).toEqual({ persona: 'calm' });
    expect(answer.alternatives[0]).toMatchObject({ id: 'blog.rewrite_for_audience' });
  });

  it('helmdeck.route describes the gap and proposes a pack when nothing fits', async () => {
    const answer = await route('translate this PDF to French');
    expect(answer.recommendation).toEqual({ kind: 'none', id: '' });
    expect(answer.gap_warning).toMatchObject({
      missing_capability: 'translate this PDF to French',
      proposed_pack: {
        name: 'custom.translate_pdf_french',
        input_schema: { type: 'object' },
        output_schema: { type: 'object' },
        integration_pattern: expect.stringContaining('HELMDECK_PACKS_DIR'),
        why_useful: expect.any(String),
      },
    });
  });

  it('helmdeck.route recommends nothing that the token may not run or that another caller owns', async () => {
    const body = {
      name: 'Secret sauce',
      steps: [{ id: 'a', pack: 'helmdeck.memory_history', input: { key: 'x' } }],
      metadata: { intent_keywords: ['secret sauce'] },
    };
    await server.call('bob', 'POST', '/api/v1/pipelines', body);
    expect((await route('make secret sauce')).recommendation.kind).toBe('none');
    await server.call('ada', 'POST', '/api/v1/pipelines', body);
    expect((await route('make secret sauce')).recommendation.kind).toBe('pipeline');
    const few = { scopes: new Set(['packs:run']) };
    const answer = await route('forget this and erase my memory', {}, few);
    expect(answer.recommendation.id).not.toBe('helmdeck.memory_forget');
    expect(answer.alternatives.map(({ id }) => id)).not.toContain('helmdeck.memory_forget');
  });

  it('helmdeck.route recommends a pipeline only if the token may run it and all its packs', async () => {
    const body = {
      name: 'Secret sauce',
      steps: [{ id: 'a', pack: 'vault.read', input: { name: 'x' } }],
      metadata: { intent_keywords: ['secret sauce'] },
    };
    await server.call('ada', 'POST', '/api/v1/pipelines', body);
    const kind = async (...scopes: string[]) =>
      (await route('make secret sauce', {}, { scopes: new Set(scopes) })).recommendation.kind;
    expect(await kind('packs:run', 'pipelines:run')).toBe('none');
    expect(await kind('packs:run', 'vault:read')).not.toBe('pipeline');
    expect(await kind('packs:run', 'pipelines:run', 'vault:read')).toBe('pipeline');
  });

  it('helmdeck.route lets a model choose among the candidates', async () => {
    says('Sure: {"id":"http.fetch","why":"It reads pages."}');
    const answer = await route('remember this page', { model: 'large' });
    expect(answer).toMatchObject({
      recommendation: { kind: 'pack', id: 'http.fetch', why: 'It reads pages.' },
      model: 'large',
    });
    expect(asked[0]!.body).toMatchObject({ model: 'large' });
  });

  it('helmdeck.route answers an id that the model invented with a gap warning', async () => {
    says('{"id":"magic.do_it","why":"It does everything."}');
    const answer = await route('remember this page', { model: 'large' });
    expect(answer.recommendation).toEqual({ kind: 'none', id: '' });
    expect(answer.gap_warning).toBeTruthy();
    expect(answer.reasoning).toContain('magic.do_it');
    expect(answer.alternatives.map(({ id }) => id)).not.toContain('magic.do_it');
    says('{"id":"none","why":"No tool does it."}');
    expect((await route('x y z', { model: 'large' })).recommendation.kind).toBe('none');
  });

  it('helmdeck.route falls back to its own ranking if the model’s response is not usable', async () => {
    says('I would rather talk about something else.');
    const answer = await route('remember this page', { model: 'large' });
    expect(answer).toMatchObject({ recommendation: { id: 'builtin.fetch-to-fact' } });
    expect(answer.reasoning).toContain('gave no usable answer');
    expect(answer.model).toBeUndefined();
    fails(401);
    await expect(route('x', { model: 'large' })).rejects.toMatchObject({ code: 'credential_invalid' });
  });

  it('the routing guide lists packs and pipelines for models', async () => {
    const guide = (await (await server.call('ada', 'GET', '/api/v1/routing-guide')).json()) as {
      rules: string[];
      packs: { id: string }[];
      pipelines: { id: string; metadata: object }[];
    };
    expect(guide.rules.length).toBeGreaterThan(2);
    expect(guide.packs.map(({ id }) => id)).toContain('http.fetch');
    expect(guide.packs.map(({ id }) => id)).not.toContain('vault.read');
    expect(guide.pipelines.find(({ id }) => id === 'builtin.issues-digest')).toMatchObject({
      metadata: { supersedes: ['github.list_issues'] },
    });
  });
});
