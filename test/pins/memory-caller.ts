import { afterAll, beforeAll } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { assertDocumentedError } from '../support/documented-errors.ts';

// Clients and scripts depend on every name and every number that is pinned: a change must be deliberate and have a
// line in the changelog.

/** A server with a fixed clock for the tests of one file, and calls to its memory routes as one caller. */
export function memoryCaller() {
  const clock = fakeClock(Date.UTC(2026, 0, 1, 12, 0, 0, 250));
  let server: TestServer;
  let authorization: string;
  beforeAll(async () => {
    server = await testServer({ now: clock.now, env: { HELMDECK_MEMORY_KEY: '0f'.repeat(32) } });
    authorization = `Bearer ${await server.token('ada', { client: 'cursor', ttlSeconds: 31_536_000 })}`;
  });
  afterAll(() => server.close());

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const url = `/api/v1/memory${path}`;
    const answer = await server.call(undefined, method, url, body, { authorization, ...headers });
    await assertDocumentedError(method, url, answer);
    return answer;
  };
  const json = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    (await call(method, path, body, headers)).json();
  return { clock, call, json, server: () => server };
}
