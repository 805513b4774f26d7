import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { tracesOf } from '../support/traces.ts';

/** Texts that stand nowhere else: each must stay inside the ciphertext. */
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
const QUIET_MS = 6_000;
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
/** Has a snapshot written as the server does it in the background, and looks into everything on disk. */
async function expectSealedSnapshot(): Promise<void> {
  clock.advance(QUIET_MS);
  await server.memory!.recall.tidy();
  expect(snapshots()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.snapshot$/)]);
  expect(tracesOf(CANARIES, data)).toEqual([]);
}
const snapshotBytes = () => readFileSync(join(data, 'snapshots', snapshots()[0]!));
const FACT = { value: CANARIES.value, category: CANARIES.category, tags: [CANARIES.tag] };

describe('a snapshot on disk', () => {
  it('shows nothing of what was stored and searched', async () => {
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
    expect(snapshotBytes().length, 'there is something in it').toBeGreaterThan(10_000);
  });

  it('nor after an update and a restart, from which the same is found', async () => {
    await call('POST', '/store', { ...FACT, key: `${CANARIES.key}/0`, value: CANARIES.newValue });
    expect(await call('GET', `/search?q=${CANARIES.newValue}`)).toContain(`${CANARIES.key}/0`);
    await restart();
    expect(tracesOf(CANARIES, data)).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.newValue}`)).toContain(`${CANARIES.key}/0`);
    await expectSealedSnapshot();
  });

  it('goes when something is forgotten, and the next one is sealed as well', async () => {
    await call('POST', '/forget', { scope: `key:${CANARIES.key}/1` });
    await expect.poll(snapshots).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.value}&limit=100`)).not.toContain(`${CANARIES.key}/1"`);
    await expectSealedSnapshot();
  });

  it('never brings back what expired, swept or not, nor after a restart', async () => {
    expect(await call('GET', `/search?q=${CANARIES.brief}`)).toContain('"brief"');
    clock.advance(HOUR_MS);
    for (const next of [async () => {}, () => server.janitor!.sweep(), restart]) {
      await next();
      expect(await call('GET', `/search?q=${CANARIES.brief}`)).not.toContain('"brief"');
    }
    await expectSealedSnapshot();
  });

  it('is gone after the erasure, and so it stays', async () => {
    expect(snapshots()).toHaveLength(1);
    await call('POST', '/forget', { scope: 'erase' });
    await expect.poll(snapshots).toEqual([]);
    clock.advance(QUIET_MS);
    await server.memory!.recall.tidy();
    await restart();
    expect(snapshots()).toEqual([]);
    expect(await call('GET', `/search?q=${CANARIES.value}`)).toContain('"results":[]');
    expect(tracesOf(CANARIES, data)).toEqual([]);
  });
});
