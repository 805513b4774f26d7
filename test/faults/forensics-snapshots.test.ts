import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { tracesOf } from '../support/traces.ts';

/** Texts that occur nowhere else: each may only be on disk as ciphertext. */
const CANARIES = {
  value: 'CanaryValueZebra71',
  lowerValue: 'canaryvaluezebra71',
  newValue: 'CanaryNewvalueOkapi72',
  key: 'canary-key-quagga-73',
  category: 'canary_category_dingo_74',
  tag: 'canary-tag-lemur-76',
  subject: 'canary-subject-ibis-77',
  query: 'canary-query-newt-81',
  brief: 'canary-brief-moth-84',
};
const SNAPSHOT_DELAY_MS = 6_000;
const HOUR_MS = 3_600_000;
const clock = fakeClock();
let data: string;
let server: TestServer;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'helmdeck-snapshots-'));
  await start();
});
afterAll(async () => {
  await server.close();
  rmSync(data, { recursive: true, force: true });
});
async function start(): Promise<void> {
  const env = { HELMDECK_DB: join(data, 'x.db'), HELMDECK_MEMORY_KEY: '5ca1ab1e'.repeat(8) };
  server = await testServer({ now: clock.now, env });
}
async function restart(): Promise<void> {
  await server.close();
  await start();
}
async function call(method: string, path: string, body?: unknown): Promise<string> {
  const answer = await server.call(CANARIES.subject, method, `/api/v1/memory${path}`, body);
  expect(answer.status).toBe(200);
  return answer.text();
}
const snapshots = () => {
  const folder = join(data, 'snapshots');
  return existsSync(folder) ? readdirSync(folder) : [];
};
/** Runs the background task that writes snapshots, and searches every file on disk for the texts. */
async function expectSealedSnapshot(): Promise<void> {
  clock.advance(SNAPSHOT_DELAY_MS);
  await server.memory!.recall.tidy();
  expect(snapshots()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.snapshot$/)]);
  expect(tracesOf(CANARIES, data)).toEqual([]);
}
const snapshotBytes = () => readFileSync(join(data, 'snapshots', snapshots()[0]!));
const FACT = { value: CANARIES.value, category: CANARIES.category, tags: [CANARIES.tag] };

describe('snapshots on disk', () => {
  it('a snapshot has no plaintext of what was stored and searched', async () => {
    for (const from of [0, 300]) {
      const facts = Array.from({ length: 300 }, (_, at) => ({
        ...FACT,
        key: `${CANARIES.key}/${from + at}`,
      }));
      await call('POST', '/store/batch', { facts });
    }
    await call('POST', '/store', { key: 'brief', value: CANARIES.brief, ttl_seconds: 3600 });
    expect(await call('GET', `/search?q=${CANARIES.value}&explain=1`)).toContain(CANARIES.key);
    await call('GET', `/search?q=${CANARIES.query}&tag=${CANARIES.tag}&category=${CANARIES.category}`);
    await expectSealedSnapshot();
    expect(snapshotBytes().length, 'it is not empty').toBeGreaterThan(10_000);
  });

  it('a snapshot has no plaintext after an update and a restart, and searches still find the update', async () => {
    await call('POST', '/store', { ...FACT, key: `${CANARIES.key}/0`, value: CANARIES.newValue });
    expect(await call('GET', `/search?q=${CANARIES.newValue}`)).toContain(`${CANARIES.key}/0`);
    await restart();
    expect(tracesOf(CANARIES, data)).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.newValue}`)).toContain(`${CANARIES.key}/0`);
    await expectSealedSnapshot();
  });

  it('a snapshot is deleted when a fact is forgotten, and the next one has no plaintext either', async () => {
    await call('POST', '/forget', { scope: `key:${CANARIES.key}/1` });
    await expect.poll(snapshots).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.value}&limit=100`)).not.toContain(`${CANARIES.key}/1"`);
    await expectSealedSnapshot();
  });

  it('a snapshot never brings back an expired fact, swept or not, nor after a restart', async () => {
    expect(await call('GET', `/search?q=${CANARIES.brief}`)).toContain('"brief"');
    clock.advance(HOUR_MS);
    for (const next of [async () => {}, () => server.janitor!.sweep(), restart]) {
      await next();
      expect(await call('GET', `/search?q=${CANARIES.brief}`)).not.toContain('"brief"');
    }
    await expectSealedSnapshot();
  });

  it('a snapshot is deleted by an erasure and not written again', async () => {
    expect(snapshots()).toHaveLength(1);
    await call('POST', '/forget', { scope: 'erase' });
    await expect.poll(snapshots).toEqual([]);
    clock.advance(SNAPSHOT_DELAY_MS);
    await server.memory!.recall.tidy();
    await restart();
    expect(snapshots()).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.value}`)).toContain('"results":[]');
    expect(tracesOf(CANARIES, data)).toEqual([]);
  });
});
