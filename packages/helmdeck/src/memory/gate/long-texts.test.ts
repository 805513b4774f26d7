import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

// Checking a long text takes tens of milliseconds: other requests must be served between two of them.

const TEXTS = 12;
/** It turns for other reasons, too, but not this often; several texts may fit between two turns. */
const FEWEST_TURNS = TEXTS / 2;
const longText = (n: number) =>
  Array.from({ length: 6_000 }, (_, at) => `ship${(at * 7_919 + n) % 9_973}`).join(' ');
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

/** How often the event loop turned while the work ran. */
async function turnsDuring(work: () => Promise<Response>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const turn = () => {
    turns++;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const { status } = await work();
  isRunning = false;
  expect(status).toBe(200);
  return turns;
}

const facts = (prefix: string, more = {}) =>
  Array.from({ length: TEXTS }, (_, n) => ({ key: `${prefix}/${n}`, value: longText(n), ...more }));

describe('many long texts in one request let other requests run in between', () => {
  it('in a batch', async () => {
    // Refused after the check of the whole text, because a write to the disk lets other requests run anyway.
    const login = `The login is admin, password: ${'x7#Kq9!v'.repeat(2)}`;
    const body = { facts: facts('batch').map((fact) => ({ ...fact, value: `${fact.value}${login}` })) };
    const store = () => server.call('ada', 'POST', '/api/v1/memory/store/batch', body);
    const { results } = (await (await store()).json()) as { results: { error?: string }[] };
    expect(results.every(({ error }) => error === 'secret_detected')).toBe(true);
    expect(await turnsDuring(store)).toBeGreaterThanOrEqual(FEWEST_TURNS);
  });

  it('in an import', async () => {
    const body = facts('import')
      .map((fact) => JSON.stringify(fact))
      .join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const run = () => server.call('bob', 'POST', '/api/v1/memory/import', body, headers);
    expect(await turnsDuring(run)).toBeGreaterThanOrEqual(FEWEST_TURNS);
  });

  it('in a page of the inbox', async () => {
    for (const [n, fact] of facts('inbox').entries()) {
      const value = `${fact.value} ${'abcdefghijkl'[n]!.repeat(500)}`;
      await server.call('eve', 'POST', '/api/v1/memory/store', { ...fact, value, propose: true });
    }
    const scopes = ['memory:read', 'memory:review'];
    const headers = { authorization: `Bearer ${await server.token('eve', { scopes })}` };
    const list = () => server.call(undefined, 'GET', '/api/v1/memory/inbox', undefined, headers);
    const { proposals } = (await (await list()).json()) as { proposals: unknown[] };
    expect(proposals).toHaveLength(TEXTS);
    expect(await turnsDuring(list)).toBeGreaterThanOrEqual(FEWEST_TURNS);
  });
});
