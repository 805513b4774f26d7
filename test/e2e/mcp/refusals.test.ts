import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../../packages/helmdeck/src/engine/pack/pack.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient } from './clients.ts';

const brokenPack = definePack({
  name: 'test.broken',
  version: 'v1',
  description: 'Fails.',
  input: z.object({}),
  output: z.object({}),
  handler() {
    throw new Error('first line\nsecond line');
  },
});

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, packs: [brokenPack], env: { HELMDECK_QUOTA_FACTS: '1' } });
});
afterAll(() => server.close());

/** Calls that are refused, by the code that the line must begin with. */
const REFUSALS: Record<string, Record<string, [string, Record<string, unknown>][]>> = {
  '/api/v1/mcp': {
    invalid_input: [
      ['memory_store', { key: 'x' }],
      ['memory_store', { key: 'x', value: 'y', more: 1 }],
      ['memory_recall', { limit: 'many' }],
      ['memory_forget', { scope: 'all' }],
      ['memory_forget', { scope: 'nonsense' }],
      ['job_status', {}],
      ['http_fetch', { url: 'http://127.0.0.1/' }],
    ],
    secret_detected: [['memory_store', { key: 'k', value: 'AKIAIOSFODNN7EXAMPLQ' }]],
    not_found: [
      ['memory_history', { key: 'none' }],
      ['artifact_get', { artifact_key: 'none' }],
      ['job_status', { job_id: 'none' }],
    ],
    handler_failed: [['test_broken', {}]],
    insufficient_scope: [['vault_list', {}]],
    quota_exceeded: [['memory_store', { key: 'second', value: 'over the quota' }]],
  },
  '/api/v1/mcp/qmd': {
    invalid_input: [['query', { searches: 'x' }]],
    not_found: [['get', { file: 'facts/none' }]],
  },
};

/** Of HTTP, or of tools that a client of the memory profile does not have. */
const FOREIGN_WORDS = /\/api\/|GET |POST |Retry-After|Idempotency|header|vault[._]/i;

describe.each(Object.keys(REFUSALS))('refused calls of %s', (path) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(server, '2025', 'ada', { path });
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'first', value: 'v' });
  });
  afterAll(() => client.close());

  it.each(Object.entries(REFUSALS[path]!))(
    'a call refused with %s is one plain line',
    async (code, calls) => {
      for (const [name, input] of calls) {
        const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
        const [{ text }, ...more] = content as unknown as [{ text: string }];
        expect({ isError, structuredContent, more }, name).toEqual({ isError: true, more: [] });
        expect(text).toMatch(new RegExp(`^${code}: \\w.*\\.$`));
        expect(text).not.toMatch(FOREIGN_WORDS);
        expect(text).not.toMatch(/[\n{}]/);
        expect(text.length).toBeLessThan(300);
      }
    },
  );
});

it('a failure whose cause is in the log has the request id in its line', async () => {
  const client = await connectClient(server, '2026-07-28', 'ada');
  const { content } = await client.callTool({ name: 'test_broken', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/ Request id: [\w-]{36}\.$/) }]);
  await client.close();
});
