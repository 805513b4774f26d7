import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { createMemory } from '../../memory/memory.ts';
import { type TestServer, testServer } from '../../testing/index.ts';
import { learnedDefaults } from '../history/defaults.ts';
import { findRecord } from '../history/records.ts';
import { definePack } from '../pack/pack.ts';
import type { PipelineRun, RunRecord } from './run-state.ts';

let server: TestServer;
let calls = 0;
/** What the handler waits for. */
let gate = Promise.withResolvers<void>();

const waiting = definePack({
  name: 'test.wait',
  version: 'v1',
  description: 'Waits until it may go on.',
  input: z.object({ flood: z.boolean().default(false) }),
  output: z.object({ waited: z.boolean() }),
  async handler({ input, progress, signal }) {
    calls++;
    if (input.flood) for (let part = 0; part < 1_000; part++) progress(part / 11, 'x'.repeat(1_000_000));
    await Promise.race([gate.promise, sleep(60_000, undefined, { signal, ref: false })]);
    return { waited: true };
  },
});

const later = definePack({
  name: 'test.later',
  version: 'v1',
  description: 'Answers as a job.',
  input: z.object({ title: z.string() }),
  output: z.object({ title: z.string() }),
  async: true,
  handler: ({ input }) => input,
});

beforeEach(async () => {
  calls = 0;
  gate = Promise.withResolvers();
  server = await testServer({ packs: [waiting, later] });
});
afterEach(() => server.close());

const call = async <T>(method: string, path: string, body?: unknown) =>
  (await server.call('ada', method, `/api/v1/${path}`, body)).json() as Promise<T>;
const start = async (input: object = {}) => {
  const steps = [
    { id: 'first', pack: 'test.wait', input },
    { id: 'second', pack: 'test.wait', input: {} },
  ];
  const { id } = await call<{ id: string }>('POST', 'pipelines', { name: 'test', steps });
  const { run_id } = await call<{ run_id: string }>('POST', `pipelines/${id}/run`, {});
  await expect.poll(() => calls).toBe(1);
  return run_id;
};
const look = (run: string) => call<PipelineRun>('GET', `pipelines/runs/${run}`);
const until = (run: string, status: string) => expect.poll(async () => (await look(run)).status).toBe(status);
const ada = () => createMemory(server.memory!.parts, { subject: 'ada' });
const pipelineRows = async () =>
  (await learnedDefaults(ada())).recent.filter(({ kind }) => kind === 'pipeline');

/** Makes every write fail until the returned function is called. */
function failWrites(): () => void {
  const { store } = server.memory!.parts;
  const { apply } = store;
  store.apply = async () => {
    throw new AppError('memory_unavailable', 'The store is unavailable.');
  };
  return () => {
    store.apply = apply;
  };
}

describe('forget with the scope all', () => {
  it('forget all deletes finished pipeline runs and jobs and leaves running ones alone', async () => {
    const ended = await start();
    gate.resolve();
    await until(ended, 'succeeded');
    gate = Promise.withResolvers();
    const { pipeline_id } = await look(ended);
    const inputs = { flood: false };
    const { run_id } = await call<{ run_id: string }>('POST', `pipelines/${pipeline_id}/run`, { inputs });
    await expect.poll(() => calls).toBe(3);
    const { job_id } = await call<{ job_id: string }>('POST', 'packs/test.later', { title: 'told' });
    await expect
      .poll(async () => (await call<{ status: string }>('GET', `jobs/${job_id}`)).status)
      .toBe('succeeded');
    await call('POST', 'memory/forget', { scope: 'all' });
    expect(await look(ended)).toMatchObject({ error: 'not_found' });
    expect(await call('GET', `jobs/${job_id}`)).toMatchObject({ error: 'not_found' });
    gate.resolve();
    await until(run_id, 'succeeded');
  });
});

describe('pipeline failures', () => {
  it('a pipeline run fails when the store becomes unavailable, and can be resumed afterwards', async () => {
    const run = await start();
    const restoreWrites = failWrites();
    gate.resolve();
    await until(run, 'failed');
    expect(await look(run)).toMatchObject({
      error_code: 'memory_unavailable',
      failure_class: 'transient',
      steps: [{ status: 'failed', error_code: 'memory_unavailable' }, { status: 'pending' }],
    });
    expect(await call('POST', `pipelines/runs/${run}/cancel`)).toMatchObject({ error: 'not_cancellable' });
    restoreWrites();
    const storedStatus = async () => (await findRecord<RunRecord>(ada(), 'run', run))!.run.status;
    await expect.poll(storedStatus).toBe('failed');
    expect(await pipelineRows()).toMatchObject([{ outcome: 'failed' }]);
    await call('POST', `pipelines/runs/${run}/resume`);
    await until(run, 'succeeded');
    await expect.poll(storedStatus).toBe('succeeded');
    expect(await pipelineRows()).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'failed' }]);
  });

  it('of concurrent resumes of a run one continues it and the others get a conflict', async () => {
    const run = await start();
    await call('POST', `pipelines/runs/${run}/cancel`);
    calls = 0;
    const starter = () => ({
      memory: ada(),
      scopes: new Set(['packs:run', 'pipelines:run']),
      source: { surface: 'test' },
    });
    const resume = () =>
      server.pipelineRuns!.resume(starter(), run).then(
        () => 'resumed',
        (error: AppError) => error.code,
      );
    const answers = await Promise.all([resume(), resume(), resume()]);
    expect(answers.sort()).toEqual(['conflict', 'conflict', 'resumed']);
    gate.resolve();
    await until(run, 'succeeded');
    expect(calls).toBe(2);
  });

  it('a pipeline definition or input nested too deeply is refused', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { id } = await call<{ id: string }>('POST', 'pipelines', {
      name: 'test',
      steps: [{ id: 'first', pack: 'test.wait' }],
    });
    expect(await call('POST', `pipelines/${id}/run`, `{"inputs":{"a":${nested}}}`)).toMatchObject({
      error: 'invalid_input',
      reason: 'too_deep',
    });
    const body = `{"name":"test","steps":[{"id":"first","pack":"test.wait","input":{"a":${nested}}}]}`;
    expect(await call('POST', 'pipelines', body)).toMatchObject({
      error: 'invalid_pipeline',
      reason: 'too_deep',
    });
  });

  it('a step keeps only its last few progress messages', async () => {
    const run = await start({ flood: true });
    gate.resolve();
    await until(run, 'succeeded');
    const { progress = [] } = (await look(run)).steps[0]!;
    expect(progress.length).toBeGreaterThan(0);
    expect(JSON.stringify(progress).length).toBeLessThan(10_000);
  });
});
