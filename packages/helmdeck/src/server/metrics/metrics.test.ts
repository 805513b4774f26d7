import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../engine/pack/pack.ts';
import { type TestServer, testServer } from '../../testing/index.ts';

let server: TestServer;
afterEach(() => server.close());

/** The samples of a scrape by name and labels. */
async function scrape(): Promise<Record<string, number>> {
  const text = await (await server.call(undefined, 'GET', '/metrics')).text();
  const samples = [...text.matchAll(/^(helmdeck_\S+(?: \S+=.*})?) (\S+)$/gm)];
  return Object.fromEntries(samples.map(([, name, value]) => [name!, Number(value)]));
}

const store = (subject: string, key: string) =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value: `about ${key}` });

describe('/metrics', () => {
  it('/metrics reports versions, what is stored and how long commits take', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'helmdeck-metrics-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    server = await testServer({ env: { HELMDECK_DB: join(dir, 'helmdeck.db') } });
    await store('ada', 'a');
    await store('ada', 'b');
    await store('bob', 'c');
    const samples = await scrape();
    const info = Object.keys(samples).find((name) => name.startsWith('helmdeck_build_info'));
    expect(info).toMatch(/version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"/);
    expect(samples).toMatchObject({ 'helmdeck_rows{kind="fact"}': 3, helmdeck_rotation_namespaces: 0 });
    expect(samples['helmdeck_row_bytes{kind="fact"}']).toBeGreaterThan(100);
    expect(samples.helmdeck_namespaces).toBeGreaterThanOrEqual(3);
    expect(samples.helmdeck_commit_seconds_count).toBe(samples.helmdeck_commits_total);
    expect(samples.helmdeck_commit_seconds_sum).toBeGreaterThan(0);
  });

  it('/metrics counts refused logins, refused writes and unknown paths by route and code', async () => {
    server = await testServer({ env: { HELMDECK_RATE_LIMIT: '1', HELMDECK_ADMIN_PASSWORD: 'correct' } });
    for (let attempt = 0; attempt < 6; attempt++)
      await server.call(undefined, 'POST', '/api/v1/auth/login', { username: 'admin', password: 'wrong' });
    for (const key of ['a', 'b', 'c']) await store('ada', key);
    await server.call('ada', 'GET', '/api/v1/no/such/secret-path');
    expect(await scrape()).toMatchObject({
      'helmdeck_http_errors_total{route="/api/v1/auth/login",code="invalid_credentials"}': 5,
      'helmdeck_http_errors_total{route="/api/v1/auth/login",code="rate_limited"}': 1,
      'helmdeck_http_errors_total{route="/api/v1/memory/store",code="rate_limited"}': 1,
      'helmdeck_http_errors_total{route="none",code="not_found"}': 1,
    });
  });

  it('/metrics reports open streams, MCP sessions and running jobs, and none of them once they have ended', async () => {
    let finish = () => {};
    const slow = definePack({
      name: 'test.slow',
      version: 'v1',
      description: 'Waits.',
      input: z.object({}),
      output: z.object({}),
      async: true,
      handler: () => new Promise<Record<string, never>>((resolve) => (finish = () => resolve({}))),
    });
    server = await testServer({ socket: true, packs: [slow] });
    const stop = new AbortController();
    const token = await server.token('ada');
    const events = await fetch(`${server.url}/api/v1/memory/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    expect(events.status).toBe(200);
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const accept = { accept: 'application/json, text/event-stream' };
    const opened = await server.call('ada', 'POST', '/api/v1/mcp', initialize, accept);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    await opened.text();
    expect((await server.call('ada', 'POST', '/api/v1/packs/test.slow', {})).status).toBe(202);
    const during = { helmdeck_open_streams: 1, helmdeck_mcp_sessions: 1, helmdeck_jobs_running: 1 };
    await expect.poll(scrape).toMatchObject(during);
    stop.abort();
    finish();
    await server.call('ada', 'DELETE', '/api/v1/mcp', undefined, { ...session, ...accept });
    const after = { helmdeck_open_streams: 0, helmdeck_mcp_sessions: 0, helmdeck_jobs_running: 0 };
    await expect.poll(scrape).toMatchObject(after);
  });

  it('/metrics counts searches that had to do without a vector', async () => {
    const env = { HELMDECK_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1', HELMDECK_EMBEDDINGS_MODEL: 'none' };
    server = await testServer({ env });
    await store('ada', 'a');
    await (await server.call('ada', 'GET', '/api/v1/memory/search?q=about')).text();
    const expected = {
      helmdeck_embeddings_waiting: 1,
      helmdeck_semantic_searches_total: 1,
      helmdeck_degraded_searches_total: 1,
    };
    await expect.poll(scrape).toMatchObject(expected);
  });
});
