import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const START = Date.UTC(2026, 0, 1);
const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const FULL = ['packs:run', 'memory:read', 'memory:write', 'vault:read', 'vault:write'];
let nowMs: number;
let github: Server;
let asked: IncomingMessage[];
let answerWith: (asked: IncomingMessage, answer: ServerResponse) => void;
let server: TestServer;
let baseUrl: string;

beforeEach(async () => {
  nowMs = START;
  asked = [];
  github = createServer((incoming, answer) => {
    asked.push(incoming);
    answerWith(incoming, answer);
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}/api/v3`;
  server = await testServer({
    now: () => nowMs,
    env: { HELMDECK_GITHUB_API_URL: `${baseUrl}/`, HELMDECK_VAULT_KEY: 'd'.repeat(64) },
  });
});
afterEach(async () => {
  await server.close();
  github.closeAllConnections();
  await new Promise((resolve) => github.close(resolve));
});

const json = (value: unknown, headers: Record<string, string> = {}, status = 200) => {
  answerWith = (_asked, answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
};
const issue = (number: number, more: object = {}) => ({
  number,
  title: `Issue ${number}`,
  state: 'open',
  html_url: `https://github.com/o/r/issues/${number}`,
  user: { login: 'ada' },
  labels: [{ name: 'bug' }, 'plain'],
  assignees: [{ login: 'bob' }],
  comments: 3,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
  closed_at: null,
  body: 'It breaks.',
  node_id: 'not told',
  ...more,
});
async function run(pack: string, input: unknown, subject = 'ada', headers: Record<string, string> = {}) {
  const authorization = `Bearer ${await server.token(subject, { scopes: FULL })}`;
  const answer = await server.call(undefined, 'POST', `/api/v1/packs/${pack}`, input, {
    authorization,
    ...headers,
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    ...((await answer.json()) as object),
  } as {
    status: number;
    retryAfter: string | null;
    error?: string;
    reason?: string;
    output?: Record<string, unknown>;
    cache?: { status: string };
  };
}
const list = (input: object = {}, subject?: string, headers?: Record<string, string>) =>
  run('github.list_issues', { repo: 'o/r', ...input }, subject, headers);

describe('github.list_issues', () => {
  it('github.list_issues sends its filters and returns issues without pull requests', async () => {
    json([issue(2, { body: 'x'.repeat(3000) }), issue(1), issue(3, { pull_request: {} })], {
      link: '<https://x/?page=2>; rel="next"',
    });
    const { output } = await list({ state: 'all', labels: ['bug', 'good first issue'], assignee: 'bob' });
    expect(output).toMatchObject({ count: 2, more: true });
    const [first, second] = output!.issues as Record<string, unknown>[];
    expect(first).toMatchObject({ number: 2, body: 'x'.repeat(2000), body_truncated: true });
    expect(second).toEqual({
      number: 1,
      title: 'Issue 1',
      state: 'open',
      url: 'https://github.com/o/r/issues/1',
      author: 'ada',
      labels: ['bug', 'plain'],
      assignees: ['bob'],
      comments: 3,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
      body: 'It breaks.',
    });
    const url = new URL(asked[0]!.url!, baseUrl);
    expect(url.pathname).toBe('/api/v3/repos/o/r/issues');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      state: 'all',
      labels: 'bug,good first issue',
      assignee: 'bob',
      per_page: '100',
    });
    expect(asked[0]!.headers).toMatchObject({
      accept: 'application/vnd.github+json',
      'user-agent': expect.stringMatching(/^helmdeck\//),
    });
    expect(asked[0]!.headers).not.toHaveProperty('authorization');
  });

  it('github.list_issues is cached for five minutes per caller and input, unless bypassed', async () => {
    json([issue(1)]);
    expect((await list()).cache).toMatchObject({ status: 'miss' });
    expect((await list()).cache).toMatchObject({ status: 'hit' });
    expect((await list({ state: 'closed' })).cache).toMatchObject({ status: 'miss' });
    expect((await list({}, 'bob')).cache).toMatchObject({ status: 'miss' });
    expect(asked).toHaveLength(3);
    expect((await list({}, 'ada', { 'cache-control': 'no-cache' })).cache).toMatchObject({
      status: 'bypass',
    });
    nowMs += 299_999;
    expect((await list()).cache).toMatchObject({ status: 'hit' });
    nowMs += 300_001;
    expect((await list()).cache).toMatchObject({ status: 'miss' });
  });

  it.each(['', 'o', 'o/r/x', '../r', 'o/..', 'o/r?x=1', 'o/r#', 'o /r', '-o/r', 'o/${vault:x}'])(
    'the repository %j is refused without a request to GitHub',
    async (repo) => {
      expect(await run('github.list_issues', { repo })).toMatchObject({
        status: 400,
        error: 'invalid_input',
      });
      expect(asked).toEqual([]);
    },
  );
});

describe('the GitHub token', () => {
  it('the token comes from the vault, is sent to GitHub and shown nowhere', async () => {
    await run('vault.write', { name: 'github-token', value: TOKEN });
    answerWith = (incoming, answer) =>
      answer.end(JSON.stringify([issue(1, { body: `you sent ${incoming.headers.authorization}` })]));
    const answer = await list();
    expect(asked[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
    await list({}, 'bob');
    expect(asked[1]!.headers).not.toHaveProperty('authorization');
  });

  it('the token does not follow a redirect to another origin, and redirects to internal addresses are refused', async () => {
    await run('vault.write', { name: 'github-token', value: TOKEN });
    answerWith = (_incoming, answer) => answer.writeHead(301, { location: 'http://127.0.0.2:1/x' }).end();
    expect(await list()).toMatchObject({ status: 400, reason: 'egress_denied' });
    answerWith = (incoming, answer) => {
      if (incoming.url!.startsWith('/api/v3/repos/o/r/'))
        answer.writeHead(301, { location: `${baseUrl}/repositories/7/issues` }).end();
      else answer.end('[]');
    };
    expect(await list()).toMatchObject({ status: 200, output: { count: 0 } });
    expect(asked.at(-1)!.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('a token bound to another host is not sent to GitHub', async () => {
    await run('vault.write', { name: 'github-token', value: TOKEN, hosts: ['api.github.com'] });
    expect(await list()).toMatchObject({ status: 424, error: 'credential_invalid' });
    expect(asked).toEqual([]);
  });
});

describe('GitHub failures', () => {
  it.each([
    [401, {}, 424, 'credential_invalid'],
    [403, {}, 502, 'handler_failed'],
    [404, {}, 404, 'not_found'],
    [410, {}, 404, 'not_found'],
    [422, {}, 400, 'invalid_input'],
    [429, {}, 429, 'rate_limited'],
    [
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(START / 1000 + 90) },
      429,
      'rate_limited',
    ],
    [403, { 'retry-after': '17' }, 429, 'rate_limited'],
  ])('status %i with %j from GitHub becomes %i %s', async (status, headers, expected, error) => {
    json({ message: 'quotes what was asked' }, headers as Record<string, string>, status);
    const answer = await list();
    expect(answer).toMatchObject({ status: expected, error });
    expect(JSON.stringify(answer)).not.toContain('quotes');
    expect(asked).toHaveLength(1);
    if ('x-ratelimit-reset' in headers) expect(answer.retryAfter).toBe('90');
    if ('retry-after' in headers) expect(answer.retryAfter).toBe('17');
  });

  it('GitHub requests are retried on failure, a limited number of times', async () => {
    let failures = 2;
    answerWith = (_incoming, answer) => {
      if (failures-- > 0) answer.writeHead(502).end();
      else answer.end(JSON.stringify([issue(1)]));
    };
    expect(await list()).toMatchObject({ status: 200, output: { count: 1 } });
    expect(asked).toHaveLength(3);
    answerWith = (_incoming, answer) => void answer.destroy();
    expect(await list({ state: 'closed' })).toMatchObject({ status: 502, error: 'handler_failed' });
    expect(asked).toHaveLength(6);
    json({}, {}, 503);
    expect(await list({ state: 'closed' })).toMatchObject({ status: 502, reason: 'github_down' });
    expect(asked).toHaveLength(9);
  });

  it('an invalid response of GitHub fails and is not cached', async () => {
    for (const body of ['<html>', '{}', '[{"number":"x"}]', '[null]']) {
      answerWith = (_incoming, answer) => answer.end(body);
      expect(await list(), body).toMatchObject({ status: 502, reason: 'bad_answer' });
    }
    json([issue(1)]);
    expect(await list()).toMatchObject({ status: 200, cache: { status: 'miss' } });
  });

  it('an endless response of GitHub is cut', async () => {
    answerWith = (_incoming, answer) => {
      const chunk = Buffer.alloc(1_000_000, 'x');
      const more = () => {
        while (!answer.destroyed && answer.write(chunk));
        answer.once('drain', more);
      };
      more();
    };
    expect(await list()).toMatchObject({ status: 502, reason: 'too_large' });
  });

  it('a hanging GitHub request ends when the caller disconnects', async () => {
    answerWith = () => {};
    const stop = new AbortController();
    const token = await server.token('ada', { scopes: FULL });
    const running = server.app.fetch(
      new Request('http://127.0.0.1:3000/api/v1/packs/github.list_issues', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"repo":"o/r"}',
        signal: stop.signal,
      }),
    );
    await expect.poll(() => asked.length).toBe(1);
    stop.abort();
    const answer = await running;
    expect(answer.status).toBe(504);
    await expect.poll(() => asked[0]!.destroyed || asked[0]!.socket.destroyed).toBe(true);
  });
});

describe('github.get_issue and github.search', () => {
  it('github.get_issue returns one issue with its full text and caches it', async () => {
    json(issue(7, { body: 'long '.repeat(1000), closed_at: '2026-01-03T00:00:00Z', state: 'closed' }));
    const { output, cache } = await run('github.get_issue', { repo: 'o/r', issue_number: 7 });
    expect(output).toMatchObject({ number: 7, state: 'closed', closed_at: '2026-01-03T00:00:00Z' });
    expect(output!.body).toHaveLength(5000);
    expect(cache).toMatchObject({ status: 'miss' });
    expect(asked[0]!.url).toBe('/api/v3/repos/o/r/issues/7');
    expect((await run('github.get_issue', { repo: 'o/r', issue_number: 7 })).cache).toMatchObject({
      status: 'hit',
    });
    for (const issue_number of [0, -1, 1.5, '7'])
      expect((await run('github.get_issue', { repo: 'o/r', issue_number })).status).toBe(400);
  });

  it.each([
    ['issues', issue(1), { number: 1, title: 'Issue 1' }],
    [
      'repositories',
      { full_name: 'o/r', html_url: 'https://github.com/o/r', description: null, stargazers_count: 5 },
      { repo: 'o/r', url: 'https://github.com/o/r', description: '', stars: 5 },
    ],
    [
      'code',
      { path: 'a.ts', sha: 'abc', html_url: 'https://x', repository: { full_name: 'o/r' } },
      { repo: 'o/r', path: 'a.ts', sha: 'abc', url: 'https://x' },
    ],
    [
      'commits',
      {
        sha: 'abc',
        html_url: 'https://x',
        repository: { full_name: 'o/r' },
        commit: { message: 'Fix', author: { name: 'Ada', date: '2026-01-01T00:00:00Z' } },
      },
      {
        repo: 'o/r',
        sha: 'abc',
        url: 'https://x',
        message: 'Fix',
        author: 'Ada',
        date: '2026-01-01T00:00:00Z',
      },
    ],
  ])('github.search finds %s', async (type, item, shown) => {
    json({ total_count: 41, incomplete_results: true, items: [item] });
    const { output } = await run('github.search', { query: ' leak & ${vault:x} repo:o/r ', type });
    expect(output).toMatchObject({ total_count: 41, incomplete: true, items: [shown] });
    const url = new URL(asked[0]!.url!, baseUrl);
    expect(url.pathname).toBe(`/api/v3/search/${type}`);
    expect(url.searchParams.get('q')).toBe('leak & ${vault:x} repo:o/r');
  });

  it('github.search without a query is refused', async () => {
    expect((await run('github.search', { query: '  ' })).status).toBe(400);
    expect((await run('github.search', { query: 'x', type: 'users' })).status).toBe(400);
  });
});
