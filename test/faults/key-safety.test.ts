import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

let folder: string;
let server: TestServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-key-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

const KEY = '5a'.repeat(32);

async function open(env: Record<string, string> = { HELMDECK_MEMORY_KEY: KEY }): Promise<TestServer> {
  await server?.close();
  server = await testServer({ env: { HELMDECK_DB: join(folder, 'k.db'), ...env } });
  return server;
}

const store = (key: string) => server!.call('alice', 'POST', '/api/v1/memory/store', { key, value: 'kept' });
const read = async (key: string) =>
  (await server!.call('alice', 'GET', `/api/v1/memory/facts/${key}`)).status;

describe('wrong or damaged keys', () => {
  it('with a previous key but no current one, memory is off instead of re-encrypted with an ephemeral key', async () => {
    await open();
    await store('fact');
    await open({ HELMDECK_MEMORY_KEY_PREVIOUS: KEY });
    expect(server!.memoryProblem?.reason).toBe('key_missing');
    expect(await read('fact')).toBe(503);
    await open();
    expect(await read('fact')).toBe(200);
  });

  it('with a damaged key canary, memory is off and nothing is swept', async () => {
    await open();
    await store('fact');
    await server!.close();
    const flip = () => {
      const db = new DatabaseSync(join(folder, 'k.db'));
      const zero = Buffer.alloc(16);
      const { blob } = db.prepare('SELECT blob FROM namespaces WHERE ns = ?').get(zero) as {
        blob: Uint8Array;
      };
      blob[0]! ^= 1;
      db.prepare('UPDATE namespaces SET blob = ? WHERE ns = ?').run(blob, zero);
      db.close();
    };
    flip();
    server = undefined;
    await open();
    expect(server!.memoryProblem?.reason).toBe('canary_damaged');
    await server!.close();
    flip();
    server = undefined;
    await open();
    expect(await read('fact')).toBe(200);
  });
});

describe('erasure during a foreign read transaction', () => {
  it('an erasure returns 503 while another reader blocks truncating the WAL, and a receipt afterwards', async () => {
    await open();
    await store('fact');
    const reader = new DatabaseSync(join(folder, 'k.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM rows').get();
    const erase = () => server!.call('alice', 'POST', '/api/v1/memory/forget', { scope: 'erase' });
    expect((await erase()).status).toBe(503);
    expect((await erase()).status).toBe(503);
    reader.close();
    const answer = await erase();
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ deleted: 0, receipt: { rows: 0 } });
    expect(await read('fact')).toBe(404);
  });
});
