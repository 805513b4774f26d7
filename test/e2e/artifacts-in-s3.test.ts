import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { type S3Process, startS3 } from '../support/services/s3.ts';
import { type SignatureCheck, startSignatureCheck } from '../support/services/s3-signature-check.ts';

let folder: string;
let s3: S3Process;
let check: SignatureCheck;
let server: TestServer;
let nowMs = Date.UTC(2026, 0, 1);

const start = (env: Record<string, string> = {}) =>
  testServer({
    now: () => nowMs,
    env: {
      HELMDECK_DB: join(folder, 'helmdeck.db'),
      HELMDECK_MEMORY_KEY: 'a'.repeat(64),
      HELMDECK_S3_ENDPOINT: check.endpoint,
      HELMDECK_S3_BUCKET: 'helmdeck',
      HELMDECK_S3_ACCESS_KEY: 'S3RVER',
      HELMDECK_S3_SECRET_KEY: 'S3RVER',
      ...env,
    },
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-in-s3-'));
  s3 = await startS3(['helmdeck']);
  check = await startSignatureCheck(s3.endpoint, 'S3RVER');
  server = await start();
});
afterEach(async () => {
  await server.close();
  await check.stop();
  await s3.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The files in which the S3 server stores the objects. */
const objects = () =>
  readdirSync(s3.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('_object'))
    .map((entry) => join(entry.parentPath, entry.name));
async function run(pack: string, input: unknown, subject = 'ada') {
  const answer = await server.call(subject, 'POST', `/api/v1/packs/${pack}`, input);
  return { status: answer.status, ...((await answer.json()) as object) } as {
    status: number;
    error?: string;
    message?: string;
    output: { artifact_key: string; content: string };
  };
}

describe('artifacts in S3', () => {
  it('artifacts in S3 are encrypted and can be read after a restart', async () => {
    const { output } = await run('artifact.put', { content: 'telling text', filename: 'telling.md' });
    expect(objects()).toHaveLength(1);
    expect(objects()[0]).toMatch(/artifacts\/[0-9a-f]{16}\/[0-9a-f]{32}\/[0-9a-f]{32}/);
    expect(readFileSync(objects()[0]!).includes('telling')).toBe(false);
    expect(readdirSync(folder)).not.toContain('artifacts');
    await server.close();
    server = await start();
    const got = await run('artifact.get', { artifact_key: output.artifact_key });
    expect(got.output.content).toBe('telling text');
  });

  it('artifacts in S3 are deleted when they expire, when everything is forgotten, and when their owner is erased', async () => {
    await run('artifact.put', { content: 'one' });
    nowMs += 8 * 86_400_000;
    await server.janitor!.sweep();
    expect(objects()).toEqual([]);
    for (const scope of ['all', 'erase']) {
      await run('artifact.put', { content: 'two' });
      await run('artifact.put', { content: 'of bob' }, 'bob');
      expect((await server.call('ada', 'POST', '/api/v1/memory/forget', { scope })).status).toBe(200);
      expect((await server.call('bob', 'POST', '/api/v1/memory/forget', { scope: 'facts' })).status).toBe(
        200,
      );
    }
    expect(objects()).toHaveLength(2);
  });

  it('while S3 is down, artifact packs fail with artifact_failed, and the receipt of an erasure names what was not deleted', async () => {
    const { output } = await run('artifact.put', { content: 'one' });
    await check.stop();
    expect(await run('artifact.put', { content: 'two' })).toMatchObject({
      status: 502,
      error: 'artifact_failed',
    });
    const lost = await run('artifact.get', { artifact_key: output.artifact_key });
    expect(lost).toMatchObject({ status: 502, error: 'artifact_failed' });
    expect(lost.message).not.toMatch(/127\.0\.0\.1|artifacts\//);
    const erased = await server.call('ada', 'POST', '/api/v1/memory/forget', { scope: 'erase' });
    expect(erased.status).toBe(200);
    const { receipt } = (await erased.json()) as { receipt: { not_covered: string[] } };
    expect(receipt.not_covered.join(' ')).toContain('Encrypted bytes of artifacts');
    expect((await server.call('ada', 'GET', '/readyz')).status).toBe(200);
  });

  it('with a wrong S3 secret, artifact packs fail with artifact_failed without showing it', async () => {
    await server.close();
    server = await start({ HELMDECK_S3_SECRET_KEY: 'wrong' });
    const answer = await run('artifact.put', { content: 'x' });
    expect(answer).toMatchObject({ status: 502, error: 'artifact_failed' });
    expect(JSON.stringify(answer)).not.toContain('wrong');
    expect(objects()).toEqual([]);
  });
});
