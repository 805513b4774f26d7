import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

let server: TestServer;
let folder: string;
let nowMs: number;

const start = () =>
  testServer({
    now: () => nowMs,
    env: { HELMDECK_DB: join(folder, 'helmdeck.db'), HELMDECK_MEMORY_KEY: 'a'.repeat(64) },
  });

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-artifact-packs-'));
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes('artifacts'),
  );
async function run(pack: string, input: unknown, subject = 'ada') {
  const answer = await server.call(subject, 'POST', `/api/v1/packs/${pack}`, input);
  return { status: answer.status, ...((await answer.json()) as object) } as {
    status: number;
    error?: string;
    reason?: string;
    output: Record<string, unknown>;
    artifacts?: object[];
  };
}

describe('the artifact packs', () => {
  it('an artifact is put, read and listed as text', async () => {
    const put = await run('artifact.put', {
      content: '# Hallo, Wörld',
      kind: 'blog',
      filename: '../a/hallo.md',
    });
    expect(put.output).toEqual({
      artifact_key: expect.stringMatching(/^art_[0-9a-f]{32}$/),
      filename: 'hallo.md',
      content_type: 'text/markdown',
      kind: 'blog',
      size: 15,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-08T00:00:00Z',
    });
    expect(put.artifacts).toEqual([put.output]);
    const { artifact_key } = put.output;
    const got = await run('artifact.get', { artifact_key });
    expect(got.output).toEqual({ ...put.output, content: '# Hallo, Wörld', encoding: 'utf-8' });
    const base64 = await run('artifact.get', { artifact_key, encoding: 'base64' });
    expect(Buffer.from(String(base64.output.content), 'base64').toString()).toBe('# Hallo, Wörld');
    expect((await run('artifact.list', { filename: 'HALLO' })).output).toEqual({
      artifacts: [put.output],
      count: 1,
    });
    expect((await run('artifact.get', { artifact_key }, 'bob')).error).toBe('not_found');
    expect((await run('artifact.list', {}, 'bob')).output).toEqual({ artifacts: [], count: 0 });
  });

  it('artifact.delete deletes an artifact with its bytes, for its owner only', async () => {
    const { artifact_key } = (await run('artifact.put', { content: 'x' })).output;
    expect((await run('artifact.delete', { artifact_key }, 'bob')).output).toEqual({ deleted: 0 });
    expect(files()).toHaveLength(1);
    expect((await run('artifact.delete', { artifact_key })).output).toEqual({ deleted: 1 });
    expect(files()).toHaveLength(0);
    expect((await run('artifact.get', { artifact_key })).error).toBe('not_found');
    expect((await run('artifact.delete', { artifact_key: '../x' })).output).toEqual({ deleted: 0 });
  });

  it('binary content is put and returned as base64', async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    const { output } = await run('artifact.put', { content: bytes.toString('base64'), encoding: 'base64' });
    expect(output).toMatchObject({ size: 4, content_type: 'application/octet-stream', filename: 'file.bin' });
    const got = await run('artifact.get', { artifact_key: output.artifact_key });
    expect(got.output).toMatchObject({ content: bytes.toString('base64'), encoding: 'base64' });
    const bad = await run('artifact.put', { content: 'not base64!', encoding: 'base64' });
    expect(bad).toMatchObject({ status: 400, reason: 'bad_base64' });
  });

  it('content without a kind is stored as text', async () => {
    const { output } = await run('artifact.put', { content: 'hi' });
    expect(output).toMatchObject({ content_type: 'text/plain', filename: 'text.txt', kind: 'text' });
  });

  it('artifact.list returns pages', async () => {
    for (let n = 0; n < 5; n++) await run('artifact.put', { content: `${n}`, filename: `${n}.txt` });
    const first = await run('artifact.list', { limit: 3 });
    expect(first.output).toMatchObject({ count: 3 });
    const second = await run('artifact.list', { limit: 3, cursor: first.output.next_cursor });
    expect(second.output).toMatchObject({ count: 2 });
    expect(second.output).not.toHaveProperty('next_cursor');
  });
});

describe('artifacts of a server', () => {
  it('artifacts survive a restart and are swept with their bytes when they expire', async () => {
    const { output } = await run('artifact.put', { content: 'kept' });
    await server.close();
    server = await start();
    expect((await run('artifact.get', { artifact_key: output.artifact_key })).output.content).toBe('kept');
    expect(files()).toHaveLength(1);
    nowMs += 7 * 86_400_000;
    expect((await run('artifact.get', { artifact_key: output.artifact_key })).error).toBe('not_found');
    await server.janitor!.sweep();
    // The janitor's own first round may have taken the row, and still be deleting its bytes.
    await expect.poll(files).toEqual([]);
  });

  it('artifacts are deleted and counted by forget all and erase, and not by narrower scopes', async () => {
    const forget = async (scope: string) =>
      (await (await server.call('ada', 'POST', '/api/v1/memory/forget', { scope })).json()) as {
        deleted: number;
      };
    await run('artifact.put', { content: 'one' });
    await run('artifact.put', { content: 'two' }, 'bob');
    await forget('packs');
    expect(await forget('facts')).toMatchObject({ deleted: 0 });
    expect(files()).toHaveLength(2);
    expect(await forget('all')).toMatchObject({ deleted: 1 });
    expect(files()).toHaveLength(1);
    await run('artifact.put', { content: 'three' });
    await forget('erase');
    expect(files()).toHaveLength(1);
    expect((await run('artifact.list', {}, 'bob')).output).toMatchObject({ count: 1 });
  });

  it('artifacts are unavailable while memory is off', async () => {
    await server.close();
    server = await testServer({ env: { HELMDECK_MEMORY: 'off' } });
    expect(await run('artifact.put', { content: 'x' })).toMatchObject({
      status: 503,
      error: 'memory_unavailable',
    });
  });
});
