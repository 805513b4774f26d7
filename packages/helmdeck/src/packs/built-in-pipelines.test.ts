import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PipelineRun } from '../engine/pipeline/run-state.ts';
import { type TestServer, testServer } from '../testing/index.ts';

let web: Server;
let server: TestServer;
let base: string;
/** How many of the next requests the server closes without a response. */
let failuresLeft = 0;

const issue = {
  number: 7,
  title: 'Crash [on] start',
  state: 'open',
  html_url: 'https://github.com/o/r/issues/7',
  labels: [{ name: 'bug' }],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

beforeEach(async () => {
  web = createServer((incoming, answer) => {
    if (incoming.url?.startsWith('/repos/'))
      answer.setHeader('content-type', 'application/json').end(JSON.stringify([issue]));
    else if (incoming.url === '/v1/chat/completions')
      answer
        .setHeader('content-type', 'application/json')
        .end('{"choices":[{"message":{"content":"# Hi\\n\\nPost."}}]}');
    else if (incoming.url === '/latin')
      answer.setHeader('content-type', 'text/plain;charset="iso-8859-1"').end(Buffer.from('Grüße', 'latin1'));
    else if (failuresLeft-- > 0) answer.destroy();
    else if (incoming.url === '/untyped') answer.end('no type');
    else answer.setHeader('content-type', 'text/plain').end('a page');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  server = await testServer({
    env: {
      HELMDECK_GITHUB_API_URL: base,
      HELMDECK_GATEWAY_URL: `${base}/v1`,
      HELMDECK_GATEWAY_MODEL: 'small',
      HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1/32',
    },
  });
});
afterEach(async () => {
  await server.close();
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
});

async function ended(id: string, inputs: object): Promise<PipelineRun> {
  const started = await server.call('ada', 'POST', `/api/v1/pipelines/builtin.${id}/run`, { inputs });
  const { run_id } = (await started.json()) as { run_id: string };
  const look = async () =>
    (await server.call('ada', 'GET', `/api/v1/pipelines/runs/${run_id}`)).json() as Promise<PipelineRun>;
  await expect.poll(async () => (await look()).ended_at).toBeTruthy();
  return look();
}
/** What the run fetched comes from outside, so what it remembers waits in the inbox. */
async function proposal(key: string): Promise<{ value: string }> {
  const authorization = `Bearer ${await server.token('ada', { scopes: ['memory:review'] })}`;
  const answer = await server.call(undefined, 'GET', '/api/v1/memory/inbox', undefined, { authorization });
  const { proposals } = (await answer.json()) as {
    proposals: { key: string; value: string; trust: string; reason: string }[];
  };
  const found = proposals.find((each) => each.key === key)!;
  expect(found).toMatchObject({ trust: 'tool_output_external', reason: 'external_source' });
  return found;
}
const artifactIn = (value: string) => /artifact (\S+)$/.exec(value)![1]!;
const artifact = async (artifact_key: string) => {
  const answer = await server.call('ada', 'POST', '/api/v1/packs/artifact.get', { artifact_key });
  return ((await answer.json()) as { output: { content: string } }).output.content;
};

describe('built-in pipelines', () => {
  it('issues-digest stores issues as a Markdown artifact and its key as a proposal', async () => {
    expect(await ended('issues-digest', { repo: 'o/r' })).toMatchObject({ status: 'succeeded' });
    const { value } = await proposal('digests/issues/o/r');
    expect(value).toMatch(/^1 issues of https:\/\/github\.com\/o\/r, kept as the artifact \S+$/);
    expect(await artifact(artifactIn(value))).toBe(
      '# Issues of o/r\n\n- [#7 Crash \\[on\\] start](https://github.com/o/r/issues/7) (bug)\n',
    );
  });

  it('fetch-to-fact stores a page as an artifact and its source as a proposal', async () => {
    const run = await ended('fetch-to-fact', { url: `${base}/page`, key: 'pages/one', note: 'About it.' });
    expect(run).toMatchObject({ status: 'succeeded' });
    const { value } = await proposal('pages/one');
    expect(value).toContain(`About it. Source: ${base}/page (status 200)`);
    expect(await artifact(artifactIn(value))).toBe('a page');
  });

  it.each([
    ['/latin', 'Grüße'],
    ['/untyped', 'no type'],
  ])('fetch-to-fact stores %s so that it can be read again', async (path, content) => {
    const run = await ended('fetch-to-fact', { url: base + path, key: 'pages/two' });
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(await artifact(artifactIn((await proposal('pages/two')).value))).toBe(content);
  });

  it('fetch-to-fact retries when the server closes the connection', async () => {
    failuresLeft = 1;
    const run = await ended('fetch-to-fact', { url: `${base}/page`, key: 'pages/three' });
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }, {}, {}] });
  });

  it('fetch-to-fact reports invalid inputs', async () => {
    expect(await ended('fetch-to-fact', { url: `${base}/page` })).toMatchObject({
      status: 'failed',
      failure_class: 'caller_fixable',
      failure_reason: 'missing_key',
    });
    expect(await ended('fetch-to-fact', { url: 'http://10.0.0.1/', key: 'x' })).toMatchObject({
      status: 'failed',
      failure_reason: 'egress_denied',
    });
  });

  it('brief-rewrite-blog writes a post and stores it as an artifact', async () => {
    const run = await ended('brief-rewrite-blog', { brief: 'notes', persona: 'calm' });
    expect(run).toMatchObject({
      status: 'succeeded',
      steps: [{}, { output: { kind: 'blog' }, artifacts: [{ content_type: expect.any(String) }] }],
    });
    expect(await artifact(run.steps[1]!.artifacts![0]!.artifact_key)).toBe('# Hi\n\nPost.');
  });
});
