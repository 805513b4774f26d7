import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import type { MemoryParts } from '../memory/memory.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { ARTIFACT_POLICY, cleanFilename } from './artifact-policy.ts';
import { type ArtifactService, createArtifactService } from './artifact-service.ts';
import type { BlobStore } from './blob-store.ts';
import { createFileBlobs } from './file-blobs.ts';

const START = Date.UTC(2026, 0, 1);
const WEEK_MS = ARTIFACT_POLICY.ttlSeconds * 1000;
const ADA = { subject: 'ada' };
const BOB = { subject: 'bob' };
let nowMs: number;
let folder: string;
let server: TestServer;
let blobs: BlobStore;
let service: ArtifactService;

const text = (content: string) => Buffer.from(content);
const files = () =>
  readdirSync(mkdirSync(join(folder, 'artifacts'), { recursive: true }) ?? join(folder, 'artifacts'), {
    recursive: true,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const problemOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof AppError ? [thrown.code, thrown.reason].filter(Boolean).join(' ') : thrown;
};
const parts = () => server.memory!.parts as MemoryParts;

beforeEach(async () => {
  nowMs = START;
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-artifacts-'));
  server = await testServer({
    now: () => nowMs,
    env: {
      HELMDECK_DB: join(folder, 'helmdeck.db'),
      HELMDECK_MEMORY_KEY: 'a'.repeat(64),
      HELMDECK_QUOTA_BYTES: '2000000',
    },
  });
  blobs = createFileBlobs(join(folder, 'artifacts'));
  service = createArtifactService({ parts: parts(), blobs });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('artifacts', () => {
  it('an artifact is stored with its description for seven days', async () => {
    const own = service.of(ADA);
    const info = await own.put({ content: text('# Hello'), filename: 'hello.md', kind: 'blog' });
    expect(info).toEqual({
      artifact_key: expect.stringMatching(/^art_[0-9a-f]{32}$/),
      filename: 'hello.md',
      content_type: 'text/markdown',
      kind: 'blog',
      size: 7,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-08T00:00:00Z',
    });
    const { content, info: again } = await own.get(info.artifact_key);
    expect(Buffer.from(content).toString()).toBe('# Hello');
    expect(again).toEqual(info);
    nowMs = START + WEEK_MS - 1;
    expect((await own.get(info.artifact_key)).info).toEqual(info);
    nowMs = START + WEEK_MS;
    expect(await problemOf(own.get(info.artifact_key))).toBe('not_found');
    expect(await own.list({ limit: 10 })).toEqual({ artifacts: [] });
  });

  it('an artifact of any size is returned byte for byte', async () => {
    for (const size of [0, 1, 1023, 1024, 1025, 300_000]) {
      const content = Buffer.alloc(size, 0xa5);
      const { artifact_key } = await service.of(ADA).put({ content });
      expect(Buffer.from((await service.of(ADA).get(artifact_key)).content).equals(content)).toBe(true);
    }
  });

  it('an artifact is not found by another caller or under a made-up key', async () => {
    const { artifact_key } = await service.of(ADA).put({ content: text('mine') });
    await service.of(BOB).put({ content: text('his') });
    for (const stranger of [BOB, { subject: 'ada', tenant: 't' }, { subject: undefined }]) {
      expect(await problemOf(service.of(stranger).get(artifact_key))).toBe('not_found');
      expect(await service.of(stranger).delete(artifact_key)).toBe(false);
    }
    for (const key of ['', 'art_', `art_${'0'.repeat(32)}`, '../../etc/passwd', `${artifact_key}0`])
      expect(await problemOf(service.of(ADA).get(key)), key).toBe('not_found');
    expect(Buffer.from((await service.of(ADA).get(artifact_key)).content).toString()).toBe('mine');
  });

  it('deleting an artifact deletes its bytes', async () => {
    const { artifact_key } = await service.of(ADA).put({ content: text('x') });
    expect(files()).toHaveLength(1);
    expect(await service.of(ADA).delete(artifact_key)).toBe(true);
    expect(await service.of(ADA).delete(artifact_key)).toBe(false);
    expect(files()).toEqual([]);
  });

  it('an artifact with an invalid size, content type or kind is refused', async () => {
    const own = service.of(ADA);
    const content = text('x');
    expect(await problemOf(own.put({ content: Buffer.alloc(ARTIFACT_POLICY.maxBytes + 1) }))).toBe(
      'payload_too_large',
    );
    for (const contentType of ['text', 'text/html\r\nx: y', 'a/b; charset=x; y', '../x'])
      expect(await problemOf(own.put({ content, contentType }))).toBe('invalid_input bad_content_type');
    for (const kind of ['', 'A', 'a b', '../x', 'x'.repeat(33)])
      expect(await problemOf(own.put({ content, kind }))).toBe('invalid_input bad_kind');
    expect(files()).toEqual([]);
    expect((await own.put({ content, kind: 'constructor' })).content_type).toBe('application/octet-stream');
    expect((await own.put({ content, kind: 'csv' })).filename).toBe('table.csv');
  });

  it('file names are made safe', () => {
    expect(cleanFilename('../../etc/passwd')).toBe('passwd');
    expect(cleanFilename('C:\\temp\\a.txt')).toBe('a.txt');
    expect(cleanFilename('.bashrc')).toBe('bashrc');
    expect(cleanFilename('-rf')).toBe('rf');
    expect(cleanFilename('a\u0000b\r\n.txt')).toBe('ab.txt');
    expect(cleanFilename('invoice\u202efdp.exe')).toBe('invoicefdp.exe');
    expect(cleanFilename('a<b>:"|?*.txt')).toBe('a_b______.txt');
    expect(cleanFilename('..')).toBe('');
    expect(Buffer.byteLength(cleanFilename('ä'.repeat(500)))).toBeLessThanOrEqual(200);
    expect(cleanFilename('Bericht für März.md')).toBe('Bericht für März.md');
  });
});

describe('listing artifacts', () => {
  it('artifacts are listed newest first, filtered by part of the name, in pages', async () => {
    for (let n = 1; n <= 7; n++)
      await service.of(ADA).put({ content: text('x'), filename: `Report ${n}.md` });
    await service.of(ADA).put({ content: text('x'), filename: 'other.txt' });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await service.of(ADA).list({ filename: 'report', limit: 3, cursor });
      names.push(...page.artifacts.map(({ filename }) => filename));
      expect(page.artifacts.length).toBeLessThanOrEqual(3);
      cursor = page.next_cursor;
    } while (cursor);
    expect(names).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `Report ${n}.md`));
    expect(await problemOf(service.of(ADA).list({ limit: 3, cursor: 'nonsense' }))).toBe(
      'invalid_input bad_cursor',
    );
  });
});

describe('stored bytes', () => {
  it('neither blobs nor database contain plaintext', async () => {
    // Signs that no ciphertext can hold by chance.
    const owner = { subject: 'telling-subject' };
    await service
      .of(owner)
      .put({ content: text('telling content '.repeat(100)), filename: 'telling-name.md' });
    await server.close();
    for (const path of [...files(), join(folder, 'helmdeck.db')]) {
      expect(path).not.toContain('telling');
      const bytes = readFileSync(path);
      for (const word of ['telling', 'markdown']) expect(bytes.includes(word), path).toBe(false);
    }
    server = await testServer();
  });

  it('changed, truncated, swapped or missing bytes are detected', async () => {
    const own = service.of(ADA);
    const one = await own.put({ content: text('one') });
    const [path] = files();
    const genuine = readFileSync(path!);
    const other = await own.put({ content: text('two') });
    const otherPath = files().find((each) => each !== path)!;
    const flipped = Buffer.from(genuine);
    flipped[20]! ^= 1;
    for (const bytes of [flipped, genuine.subarray(0, 40), Buffer.alloc(0), readFileSync(otherPath)]) {
      writeFileSync(path!, bytes);
      expect(await problemOf(own.get(one.artifact_key))).toBe('artifact_failed damaged');
    }
    rmSync(path!);
    expect(await problemOf(own.get(one.artifact_key))).toBe('artifact_failed missing_bytes');
    expect((await own.get(other.artifact_key)).info.size).toBe(3);
  });
});

describe('clean-up', () => {
  it('the bytes of an expired artifact are deleted with the sweep of its row', async () => {
    await service.of(ADA).put({ content: text('x') });
    nowMs += WEEK_MS;
    for (const row of await parts().store.sweep(nowMs, 100)) await service.onSwept(row);
    expect(files()).toEqual([]);
  });

  it('forgetAll deletes all artifacts of one caller only', async () => {
    for (let n = 0; n < 5; n++) await service.of(ADA).put({ content: text('x') });
    await service.of(BOB).put({ content: text('x') });
    expect(await service.forgetAll(ADA)).toBe(5);
    expect(await service.forgetAll(ADA)).toBe(0);
    expect(files()).toHaveLength(1);
    expect((await service.of(BOB).list({ limit: 10 })).artifacts).toHaveLength(1);
  });

  it('the bytes of an erased caller are deleted after the rows', async () => {
    await service.of(ADA).put({ content: text('x') });
    await service.of(BOB).put({ content: text('x') });
    await parts().store.dropNamespace(parts().directory.idOf(ADA));
    parts().directory.forgetKeys(parts().directory.idOf(ADA));
    expect(files()).toHaveLength(2);
    await service.afterErase(ADA);
    expect(files()).toHaveLength(1);
  });

  it('orphaned bytes are collected after an hour, bytes with a row are not', async () => {
    await service.of(ADA).put({ content: text('kept') });
    await blobs.write({ ns: Buffer.alloc(16, 1), id: Buffer.alloc(16, 2) }, text('orphan'));
    expect(await service.collectOrphans()).toBe(0);
    const later = createArtifactService({
      parts: parts(),
      blobs,
      storageNow: () => Date.now() + 3_700_000,
    });
    expect(await later.collectOrphans()).toBe(1);
    expect(files()).toHaveLength(1);
    expect((await service.of(ADA).list({ limit: 10 })).artifacts).toHaveLength(1);
  });

  it('a failed put leaves neither a row nor bytes', async () => {
    const failing = createArtifactService({
      parts: parts(),
      blobs: { ...blobs, write: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOSPC' })) },
    });
    expect(await problemOf(failing.of(ADA).put({ content: text('x') }))).toBe('artifact_failed disk_full');
    expect((await service.of(ADA).list({ limit: 10 })).artifacts).toEqual([]);
    expect(files()).toEqual([]);
  });

  it('puts concurrent with erases leave a complete artifact or nothing', async () => {
    await service.of(ADA).put({ content: text('first') });
    const ns = parts().directory.idOf(ADA);
    const puts = Array.from({ length: 30 }, () =>
      service
        .of(ADA)
        .put({ content: text('x') })
        .catch(() => 0),
    );
    for (let n = 0; n < 5; n++) {
      await parts().store.dropNamespace(ns);
      parts().directory.forgetKeys(ns);
      await service.afterErase(ADA);
    }
    await Promise.all(puts);
    await service.afterErase(ADA);
    const { artifacts } = await service.of(ADA).list({ limit: 100 });
    for (const { artifact_key } of artifacts) await service.of(ADA).get(artifact_key);
    expect(files()).toHaveLength(artifacts.length);
  });
});

describe('artifact quota', () => {
  it('the quota covers all artifacts of a caller and is freed by a delete', async () => {
    const own = service.of(ADA);
    const content = Buffer.alloc(900_000);
    const first = await own.put({ content });
    await own.put({ content });
    expect(await problemOf(own.put({ content }))).toBe('quota_exceeded');
    await service.of(BOB).put({ content });
    await own.delete(first.artifact_key);
    await own.put({ content });
    expect(await problemOf(own.put({ content }))).toBe('quota_exceeded');
    nowMs += WEEK_MS;
    await own.put({ content });
  });

  it('concurrent puts cannot exceed the quota', async () => {
    const content = Buffer.alloc(400_000);
    const results = await Promise.all(
      Array.from({ length: 12 }, () => problemOf(service.of(ADA).put({ content }))),
    );
    expect(results.filter((result) => result === undefined)).toHaveLength(5);
    expect(new Set(results)).toEqual(new Set([undefined, 'quota_exceeded']));
  });
});
