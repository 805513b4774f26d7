import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { createMemory } from '../memory/memory.ts';
import { type TestServer, testServer } from '../testing/index.ts';
import { findRecord, saveRecord } from './history/records.ts';
import type { Job } from './jobs.ts';
import { definePack } from './pack/pack.ts';

/** Releases jobs that wait at the gate. */
let release: () => void = () => {};

const later = definePack({
  name: 'test.later',
  version: 'v1',
  description: 'Takes its time.',
  input: z.object({
    forMs: z.number().default(20),
    fail: z.boolean().default(false),
    big: z.boolean().default(false),
    waits: z.boolean().default(false),
  }),
  output: z.object({ done: z.string() }),
  async: true,
  async handler({ input, progress, signal }) {
    progress(50, 'half');
    if (input.waits) await new Promise<void>((resolve) => (release = resolve));
    await sleep(input.forMs, undefined, { signal });
    if (input.fail) throw new Error('no');
    return { done: input.big ? 'x'.repeat(5_000_000) : 'yes' };
  },
});

let server: TestServer;
afterEach(() => server.close());

const begin = async (body: object = {}, subject = 'ada') => {
  const answer = await server.call(subject, 'POST', '/api/v1/packs/test.later', body);
  expect(answer.status).toBe(202);
  const job = (await answer.json()) as Job;
  expect(answer.headers.get('location')).toBe(`/api/v1/jobs/${job.job_id}`);
  return job;
};
const look = async (id: string, subject = 'ada') =>
  (await server.call(subject, 'GET', `/api/v1/jobs/${id}`)).json() as Promise<Job>;
const until = (id: string, status: string) => expect.poll(async () => (await look(id)).status).toBe(status);

describe('jobs', () => {
  it('a job returns at once, reports progress and stores its result for its owner', async () => {
    server = await testServer({ packs: [later] });
    const job = await begin({ waits: true });
    expect(job).toMatchObject({ pack: 'test.later', version: 'v1', status: 'running' });
    await expect
      .poll(() => look(job.job_id))
      .toMatchObject({ status: 'running', progress: { percent: 50, message: 'half' } });
    release();
    await until(job.job_id, 'succeeded');
    const ended = await look(job.job_id);
    expect(ended).toMatchObject({ result: { output: { done: 'yes' } }, ended_at: expect.any(String) });
    expect(ended.progress).toBeUndefined();
    const list = await (await server.call('ada', 'GET', '/api/v1/jobs')).json();
    expect(list).toMatchObject({ jobs: [{ job_id: job.job_id, status: 'succeeded' }] });
    expect(JSON.stringify(list)).not.toContain('yes');
    expect(await look(job.job_id, 'bob')).toMatchObject({ error: 'not_found' });
    expect(await (await server.call('bob', 'GET', '/api/v1/jobs')).json()).toEqual({ jobs: [] });
    expect((await server.call('bob', 'DELETE', `/api/v1/jobs/${job.job_id}`)).status).toBe(404);
  });

  it.each([
    [{ fail: true }, 'handler_failed'],
    [{ big: true }, 'invalid_output'],
    [{ forMs: 'x' }, 'invalid_input'],
  ])('a job with %j fails with the error envelope of %s and leaves a run record', async (body, error) => {
    server = await testServer({ packs: [later] });
    const { job_id } = await begin(body);
    await until(job_id, 'failed');
    expect(await look(job_id)).toMatchObject({ error: { error } });
  });

  it('a job can be cancelled only while it runs', async () => {
    server = await testServer({ packs: [later] });
    const { job_id } = await begin({ forMs: 60_000 });
    const cancelled = await server.call('ada', 'DELETE', `/api/v1/jobs/${job_id}`);
    expect(await cancelled.json()).toMatchObject({ status: 'cancelled', error: { reason: 'cancelled' } });
    const again = await server.call('ada', 'DELETE', `/api/v1/jobs/${job_id}`);
    expect(await again.json()).toMatchObject({ error: 'not_cancellable' });
    const defaults = await (await server.call('ada', 'GET', '/api/v1/memory/defaults')).json();
    expect(defaults).toMatchObject({ recent: [{ id: 'test.later', outcome: 'timeout' }] });
  });

  it('a caller can run at most 64 jobs at once', async () => {
    server = await testServer({ packs: [later] });
    for (let n = 0; n < 64; n++) await begin({ forMs: 60_000 });
    const answer = await server.call('ada', 'POST', '/api/v1/packs/test.later', {});
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: 'resource_exhausted', reason: 'too_many_jobs' });
    await begin({}, 'bob');
  });

  it('a job interrupted by a server stop is failed with server_restarted after the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-jobs-'));
    const env = { HELMDECK_DB: join(folder, 'h.db'), HELMDECK_MEMORY_KEY: 'ab'.repeat(32) };
    try {
      server = await testServer({ packs: [later], env });
      const { job_id } = await begin({ forMs: 60_000 });
      const closedIn = await begin({ forMs: 60_000 });
      const memory = createMemory(server.memory!.parts, { subject: 'ada' });
      const running = await findRecord<Job>(memory, 'job', job_id);
      expect(running).toMatchObject({ status: 'running' });
      await server.close();
      server = await testServer({ packs: [later], env });
      expect(await look(closedIn.job_id), 'an orderly end is written down').toMatchObject({
        status: 'failed',
        error: { reason: 'closing' },
      });
      // The record that a killed process leaves behind.
      const after = createMemory(server.memory!.parts, { subject: 'ada' });
      await saveRecord(after, 'job', job_id, running!, { ttlSeconds: 60 });
      expect(await look(job_id)).toMatchObject({ status: 'failed', error: { reason: 'server_restarted' } });
    } finally {
      await server.close();
      server = await testServer();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('the result of a job that ends while the store is unavailable is written later', async () => {
    server = await testServer({ packs: [later] });
    const { job_id } = await begin({ forMs: 50 });
    const { store } = server.memory!.parts;
    const { apply } = store;
    store.apply = async () => {
      throw new AppError('memory_unavailable', 'The store is away.');
    };
    await until(job_id, 'succeeded');
    expect(await look(job_id)).toMatchObject({ result: { output: { done: 'yes' } } });
    store.apply = apply;
    const memory = createMemory(server.memory!.parts, { subject: 'ada' });
    const kept = async () => (await findRecord<Job>(memory, 'job', job_id))!.status;
    await expect.poll(kept).toBe('succeeded');
  });

  it('a job whose owner is erased meanwhile leaves only its run record', async () => {
    server = await testServer({ packs: [later] });
    await begin({ forMs: 30 });
    await server.call('ada', 'POST', '/api/v1/memory/forget', { scope: 'erase' });
    await sleep(60);
    await server.jobs.close();
    expect(await (await server.call('ada', 'GET', '/api/v1/jobs')).json()).toEqual({ jobs: [] });
  });

  it('without memory, jobs are known only to the process that runs them', async () => {
    server = await testServer({ packs: [later], env: { HELMDECK_MEMORY: 'off' } });
    const { job_id } = await begin();
    await until(job_id, 'succeeded');
    expect(await look(job_id)).toMatchObject({ result: { output: { done: 'yes' } } });
    expect(await look(job_id, 'bob')).toMatchObject({ error: 'not_found' });
  });
});
