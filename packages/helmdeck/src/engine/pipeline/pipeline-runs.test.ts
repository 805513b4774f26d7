import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { createMemory } from '../../memory/memory.ts';
import { type TestServer, testServer } from '../../testing/index.ts';
import { learnedDefaults } from '../history/defaults.ts';
import { findRecord, saveRecord } from '../history/records.ts';
import { definePack } from '../pack/pack.ts';
import { registerActiveRun } from './active-runs.ts';
import type { PipelineRun, RunRecord } from './run-state.ts';

let server: TestServer;
let calls: string[] = [];
/** Steps with `atGate` wait for it, even after their signal is aborted. */
let gate = Promise.withResolvers<void>();
/** How often `test.flaky` fails, and with which error. */
let trouble: { times: number; error: Error } = { times: 0, error: new Error('no') };

const packs = [
  definePack({
    name: 'test.say',
    version: 'v1',
    description: 'Says it.',
    input: z.object({
      say: z.unknown().optional(),
      waitMs: z.number().default(0),
      atGate: z.boolean().default(false),
    }),
    output: z.object({ said: z.unknown() }),
    async handler({ input, signal, progress }) {
      calls.push(`say ${JSON.stringify(input.say)}`);
      progress(50, 'half');
      if (input.waitMs > 0) await sleep(input.waitMs, undefined, { signal });
      if (input.atGate) await gate.promise;
      return { said: input.say ?? null };
    },
  }),
  definePack({
    name: 'test.flaky',
    version: 'v1',
    description: 'Fails now and then.',
    input: z.object({}),
    output: z.object({ fine: z.boolean() }),
    handler() {
      calls.push('flaky');
      if (trouble.times-- > 0) throw trouble.error;
      return { fine: true };
    },
  }),
];

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-pipelines-'));
const env = {
  HELMDECK_DB: join(folder, 'h.db'),
  HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
  HELMDECK_RATE_LIMIT: 'off',
};

beforeEach(async () => {
  calls = [];
  gate = Promise.withResolvers();
  trouble = { times: 0, error: new Error('no') };
  server = await testServer({ packs, env });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Answer = Record<string, unknown>;
const call = async (method: string, path: string, body?: unknown, subject = 'ada') =>
  (await server.call(subject, method, `/api/v1/${path}`, body)).json() as Promise<Answer>;
const define = async (steps: object[], subject?: string) =>
  (await call('POST', 'pipelines', { name: 'test', steps }, subject)).id as string;
const start = async (id: string, inputs?: object) =>
  (await call('POST', `pipelines/${id}/run`, { inputs })).run_id as string;
const look = (run: string) => call('GET', `pipelines/runs/${run}`) as unknown as Promise<PipelineRun>;
const until = async (run: string, status: string) => {
  await expect.poll(async () => (await look(run)).status).toBe(status);
  return look(run);
};
const say = (id: string, text: unknown, more = {}) => ({
  id,
  pack: 'test.say',
  input: { say: text, ...more },
});
const ada = () => createMemory(server.memory!.parts, { subject: 'ada' });

describe('pipeline runs', () => {
  it('a run executes its steps in order, each with the outputs of earlier ones', async () => {
    const id = await define([
      say('one', '${{ inputs.name }}'),
      say('two', 'and ${{ steps.one.output.said }}'),
    ]);
    const started = await call('POST', `pipelines/${id}/run`, { inputs: { name: 'Ada', title: 'T' } });
    expect(started).toEqual({
      run_id: expect.stringMatching(/^run_[0-9a-f]{16}$/),
      pipeline_id: id,
      status: 'pending',
      coalesced: false,
    });
    const run = await until(started.run_id as string, 'succeeded');
    expect(run).toMatchObject({
      pipeline_id: id,
      inputs: { name: 'Ada', title: 'T' },
      steps: [
        { step_id: 'one', pack: 'test.say', status: 'succeeded', output: { said: 'Ada' }, attempts: 1 },
        { step_id: 'two', status: 'succeeded', output: { said: 'and Ada' }, progress: [{ pct: 50 }] },
      ],
    });
    expect(run.ended_at).toBeTruthy();
    const { pipelines, packs: ran } = await learnedDefaults(ada());
    expect(pipelines).toMatchObject([{ id, runs: 1, common_inputs: { title: 'T' } }]);
    expect(ran).toMatchObject([{ id: 'test.say', calls: 2 }]);
  });

  it('a run ends at the first failed step and reports its failure class', async () => {
    trouble = { times: 9, error: new Error('no') };
    const id = await define([{ id: 'a', pack: 'test.flaky' }, say('b', 1)]);
    const run = await until(await start(id), 'failed');
    expect(run).toMatchObject({
      error_code: 'handler_failed',
      failure_class: 'pack_bug',
      steps: [{ status: 'failed', error_code: 'handler_failed', attempts: 1 }, { status: 'pending' }],
    });
    expect(calls).toEqual(['flaky']);
    expect((await learnedDefaults(ada())).recent).toMatchObject([
      { kind: 'pipeline', id, outcome: 'failed' },
      { kind: 'pack', outcome: 'handler_failed' },
    ]);
  });

  it('a run fails at a reference that does not resolve', async () => {
    const id = await define([say('a', 1), say('b', '${{ steps.a.output.said.deeper }}')]);
    expect(await until(await start(id), 'failed')).toMatchObject({
      error_code: 'invalid_input',
      failure_class: 'caller_fixable',
      failure_reason: 'bad_reference',
    });
  });

  it('a transient failure of a step is tried three times', async () => {
    trouble = { times: 2, error: new AppError('resource_exhausted', 'busy') };
    const id = await define([{ id: 'a', pack: 'test.flaky' }]);
    const run = await until(await start(id), 'succeeded');
    expect(run.steps[0]).toMatchObject({ attempts: 3, output: { fine: true } });
    expect(calls).toEqual(['flaky', 'flaky', 'flaky']);
  });

  it('a start with the same pipeline and inputs joins the run in progress', async () => {
    const id = await define([say('a', '${{ inputs.x }}', { atGate: true })]);
    const body = { inputs: { x: 1, y: 2 } };
    const [first, second] = await Promise.all([
      call('POST', `pipelines/${id}/run`, body),
      call('POST', `pipelines/${id}/run`, { inputs: { y: 2, x: 1 } }),
    ]);
    expect(second!.run_id).toBe(first!.run_id);
    expect([first!.coalesced, second!.coalesced].sort()).toEqual([false, true]);
    const other = await call('POST', `pipelines/${id}/run`, { inputs: { x: 2 } });
    expect(other.coalesced).toBe(false);
    gate.resolve();
    await until(first!.run_id as string, 'succeeded');
    expect((await call('POST', `pipelines/${id}/run`, body)).coalesced, 'the first has ended').toBe(false);
  });

  it('a cancelled run leaves a run record and can be resumed', async () => {
    const id = await define([say('a', 1), say('b', 2, { waitMs: 60_000 }), say('c', 3)]);
    const run = await start(id);
    await expect.poll(async () => (await look(run)).steps[1]!.status).toBe('running');
    const stopped = await call('POST', `pipelines/${id}/runs/${run}/cancel`);
    expect(stopped).toMatchObject({
      status: 'cancelled',
      steps: [{ status: 'succeeded' }, { status: 'cancelled' }, {}],
    });
    expect(await call('POST', `pipelines/runs/${run}/cancel`)).toMatchObject({ error: 'not_cancellable' });
    // The record of the step that was interrupted may come later.
    const record = (await learnedDefaults(ada())).recent.find((each) => each.id === id);
    expect(record).toMatchObject({ kind: 'pipeline', outcome: 'cancelled' });
    calls = [];
    expect(await call('POST', `pipelines/runs/${run}/resume`)).toMatchObject({
      run_id: run,
      status: 'pending',
    });
    await expect.poll(() => calls).toEqual(['say 2']);
    expect(await call('POST', `pipelines/runs/${run}/resume`)).toMatchObject({ reason: 'not_resumable' });
  });

  it('resume continues at the failed step with earlier outputs, and rerun starts a new run', async () => {
    trouble = { times: 1, error: new Error('no') };
    const steps = [say('a', 1), { id: 'b', pack: 'test.flaky' }, say('c', '${{ steps.a.output.said }}')];
    const id = await define(steps);
    const run = await start(id);
    await until(run, 'failed');
    await call('PUT', `pipelines/${id}`, { name: 'changed', steps: [say('other', 'x')] });
    await call('POST', `pipelines/runs/${run}/resume`);
    const ended = await until(run, 'succeeded');
    expect(ended.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(ended.error).toBeUndefined();
    expect(calls).toEqual(['say 1', 'flaky', 'flaky', 'say 1']);
    const again = await call('POST', `pipelines/runs/${run}/rerun`);
    expect(again.run_id).not.toBe(run);
    expect((await until(again.run_id as string, 'succeeded')).steps).toMatchObject([{ step_id: 'other' }]);
  });

  it('an output with a credential is not stored, and its step runs again on resume', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    trouble = { times: 1, error: new Error('no') };
    const steps = [
      say('a', token),
      { id: 'b', pack: 'test.flaky' },
      say('c', 'got ${{ steps.a.output.said }}'),
    ];
    server.engine.packs.register(packs[0]!);
    const defined = await call('POST', 'pipelines', { name: 't', steps });
    expect(defined, 'nor is it taken in a definition').toMatchObject({ error: 'secret_detected' });
    const id = await define([say('a', '${{ inputs.x }}'), steps[1]!, steps[2]!]);
    const run = await start(id, { x: token });
    const failed = await until(run, 'failed');
    expect(failed.steps[0]).toMatchObject({ status: 'succeeded', output_withheld: true });
    expect(failed.steps[0]!.output).toBeUndefined();
    await call('POST', `pipelines/runs/${run}/resume`);
    const ended = await until(run, 'succeeded');
    expect(JSON.stringify(ended.steps)).not.toContain(token);
    expect(calls.filter((each) => each.includes('got ghp_'))).toHaveLength(1);
  });

  it.each([[{ inputs: [] }], [{ inputs: 'x' }], [{ inputs: { a: '{{YOUR_NAME}}' } }]])(
    'the run inputs %j are refused',
    async (body) => {
      const id = await define([say('a', 1)]);
      expect(await call('POST', `pipelines/${id}/run`, body)).toMatchObject({ error: 'invalid_input' });
      expect(calls).toEqual([]);
    },
  );

  it('a run has the scopes of the token that started it', async () => {
    const id = await define([{ id: 'a', pack: 'helmdeck.memory_store', input: { key: 'k', value: 'v' } }]);
    const authorization = `Bearer ${await server.token('ada', { scopes: ['pipelines:run'] })}`;
    const answer = await server.call(undefined, 'POST', `/api/v1/pipelines/${id}/run`, {}, { authorization });
    const { run_id } = (await answer.json()) as { run_id: string };
    expect(await until(run_id, 'failed')).toMatchObject({ error_code: 'insufficient_scope' });
    await call('POST', `pipelines/runs/${run_id}/resume`);
    await until(run_id, 'succeeded');
  });

  it('a run can be resumed as soon as its status is failed', async () => {
    const id = await define([{ id: 'a', pack: 'test.flaky', input: {} }]);
    trouble = { times: 99, error: new AppError('credential_invalid', 'no') };
    for (let times = 0; times < 20; times++) {
      const run = await start(id, { times });
      let seen = '';
      for (let looks = 0; looks < 10_000 && seen !== 'failed'; looks++)
        seen = String((await look(run)).status);
      const answer = await call('POST', `pipelines/runs/${run}/resume`);
      expect(answer).toMatchObject({ run_id: run, status: 'pending' });
    }
  });

  it('a caller can have at most 32 pipeline runs at once', async () => {
    const id = await define([say('a', '${{ inputs.n }}', { waitMs: 60_000 })]);
    for (let n = 0; n < 32; n++) await start(id, { n });
    expect(await call('POST', `pipelines/${id}/run`, { inputs: { n: 99 } })).toMatchObject({
      error: 'resource_exhausted',
    });
  });

  it('a run is cancelled when its owner is erased', async () => {
    const id = await define([say('a', 1, { atGate: true }), say('b', 2)]);
    const run = await start(id);
    await expect.poll(() => calls).toEqual(['say 1']);
    await call('POST', 'memory/forget', { scope: 'erase' });
    gate.resolve();
    await sleep(300);
    expect(calls).toEqual(['say 1']);
    expect(await look(run)).toMatchObject({ error: 'not_found' });
  });

  it('runs are listed page by page', async () => {
    const one = await define([say('a', '${{ inputs.n }}')]);
    const two = await define([say('a', 1)]);
    for (let n = 0; n < 3; n++) await until(await start(one, { n }), 'succeeded');
    await until(await start(two), 'succeeded');
    const page = await call('GET', `pipelines/${one}/runs?limit=2`);
    expect((page.runs as PipelineRun[]).map(({ inputs }) => inputs.n)).toEqual([2, 1]);
    const rest = await call('GET', `pipelines/${one}/runs?limit=2&cursor=${page.next_cursor}`);
    expect((rest.runs as PipelineRun[]).map(({ inputs }) => inputs.n)).toEqual([0]);
    expect(((await call('GET', 'pipeline-runs')).runs as unknown[]).length).toBe(4);
  });

  it('a run emits events without outputs until it ends', async () => {
    const id = await define([say('a', 'private', { atGate: true }), say('b', 2)]);
    const run = await start(id);
    const stream = await server.call('ada', 'GET', `/api/v1/pipelines/${id}/runs/${run}/events`);
    gate.resolve();
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const text = await stream.text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Answer);
    expect(events.at(-1)).toMatchObject({ type: 'run', run_id: run, status: 'succeeded' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'step', step_id: 'b', status: 'succeeded' }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'progress', step_id: 'b', pct: 50, message: 'half' }),
    );
    expect(text).not.toContain('private');
    const later = await (await server.call('ada', 'GET', `/api/v1/pipelines/runs/${run}/events`)).text();
    expect(later, 'the stream of a finished run ends with its status').toContain('"status":"succeeded"');
    expect((await server.call('bob', 'GET', `/api/v1/pipelines/runs/${run}/events`)).status).toBe(404);
  });
});

describe('recovery after a server stop', () => {
  it('interrupted runs are failed, leave a run record and can be resumed', async () => {
    const id = await define([say('a', 1), say('b', 2, { waitMs: 60_000 })]);
    const orderly = await start(id, { n: 1 });
    const killed = await start(id, { n: 2 });
    const kept = () => findRecord<RunRecord>(ada(), 'run', killed);
    await expect.poll(async () => (await kept())!.run.steps[1]!.status).toBe('running');
    const cutOff = await kept();
    expect(cutOff!.run.steps[0]).toMatchObject({ status: 'succeeded', output: { said: 1 } });
    await server.close();
    server = await testServer({ packs, env });
    expect(await look(orderly)).toMatchObject({
      status: 'failed',
      failure_class: 'transient',
      failure_reason: 'closing',
    });
    // The record that a killed process leaves behind.
    await saveRecord(ada(), 'run', killed, { ...cutOff! }, { ttlSeconds: 600, pipeline: id });
    const ns = ada().directory.idOf(ada().caller).toString('hex');
    await registerActiveRun(ada(), { runId: killed, ns, processId: cutOff!.processId });
    await server.close();
    server = await testServer({ packs, env });
    const found = await until(killed, 'failed');
    expect(found).toMatchObject({
      failure_class: 'transient',
      failure_reason: 'server_restarted',
      steps: [{ status: 'succeeded' }, { status: 'failed' }],
    });
    expect((await learnedDefaults(ada())).recent[0]).toMatchObject({
      kind: 'pipeline',
      id,
      outcome: 'failed',
    });
    calls = [];
    await call('POST', `pipelines/runs/${killed}/resume`);
    await expect.poll(() => calls).toEqual(['say 2']);
  });
});

describe('pipeline definitions', () => {
  it('a pipeline is returned with its metadata and times', async () => {
    const body = {
      name: 'Mine',
      description: 'd',
      inputs: { name: { type: 'string' } },
      steps: [say('a', 1)],
      metadata: { intent_keywords: ['say'], supersedes: ['test.say'] },
    };
    const made = await call('POST', 'pipelines', body);
    expect(made).toMatchObject({ ...body, builtin: false, id: expect.stringMatching(/^pipe_[0-9a-f]{16}$/) });
    await sleep(5);
    const replaced = await call('PUT', `pipelines/${made.id}`, {
      ...made,
      name: 'Ours',
      builtin: true,
      id: 'x',
    });
    expect(replaced).toMatchObject({
      id: made.id,
      name: 'Ours',
      builtin: false,
      created_at: made.created_at,
    });
    expect(replaced.updated_at).not.toBe(made.updated_at);
    expect([made.version, replaced.version]).toEqual([1, 2]);
    const names = ['one', 'two', 'three', 'four'];
    const atOnce = await Promise.all(
      names.map((name) => call('PUT', `pipelines/${made.id}`, { ...body, name })),
    );
    expect(atOnce.map(({ version }) => version).sort()).toEqual([3, 4, 5, 6]);
    expect(await call('GET', `pipelines/${made.id}`)).toEqual(atOnce.find(({ version }) => version === 6));
    expect(await call('DELETE', `pipelines/${made.id}`)).toEqual({ deleted: 1 });
    expect(await call('DELETE', `pipelines/${made.id}`)).toMatchObject({ error: 'not_found' });
  });

  it.each([
    [{ steps: [say('a', 1)] }, 'missing_name'],
    [{ name: 'x' }, 'bad_steps'],
    [{ name: 'x', steps: [] }, 'bad_steps'],
    [{ name: 'x', steps: [say('a', 1), say('a', 1)] }, 'bad_steps'],
    [{ name: 'x', steps: [{ id: 'a' }] }, 'bad_steps'],
    [{ name: 'x', steps: [{ id: 'a b', pack: 'test.say' }] }, 'bad_steps'],
    [{ name: 'x', steps: [{ id: 'a', pack: 'test.none' }] }, 'unknown_pack'],
    [{ name: 'x', steps: [{ id: 'a', pack: 'test.say', version: 'v9' }] }, 'unknown_pack'],
    [{ name: 'x', steps: [say('a', '${{ steps.a.output }}')] }, 'bad_reference'],
    [{ name: 'x', steps: [say('a', '${{ steps.b.output }}'), say('b', 1)] }, 'bad_reference'],
    [{ name: 'x', steps: [say('a', '${{ secrets.x }}')] }, 'bad_reference'],
    [{ name: 'x', steps: [{ ...say('a', 1), when: 'x' }] }, 'unknown_field'],
    [{ name: 'x', steps: [say('a', 1)], caller: 'bob' }, 'unknown_field'],
    [{ name: 'x', steps: [say('a', 1)], metadata: { accepts: 'x' } }, 'bad_metadata'],
    [[], 'bad_type'],
  ])('the definition %j is refused as %s', async (body, reason) => {
    expect(await call('POST', 'pipelines', body)).toMatchObject({ error: 'invalid_pipeline', reason });
    expect(await call('GET', 'pipelines')).toSatisfy((list) =>
      (list as unknown as { builtin: boolean }[]).every(({ builtin }) => builtin),
    );
  });

  it('another caller’s pipeline is not found', async () => {
    const id = await define([say('a', 1)]);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x', steps: [say('a', 1)] }],
      ['DELETE', '', undefined],
      ['POST', '/run', {}],
    ] as const)
      expect(await call(method, `pipelines/${id}${path}`, body, 'bob')).toMatchObject({ error: 'not_found' });
    expect(await call('GET', `pipelines/${id}`)).toMatchObject({ id });
  });

  it('a built-in pipeline is visible to all, read-only, and hidden while its packs are missing', async () => {
    await server.close();
    const builtIn = (id: string, pack: string) => ({
      id,
      name: id,
      steps: [{ id: 'a', pack, input: { say: 'built in' } }],
      metadata: {},
    });
    const pipelines = [builtIn('builtin.say', 'test.say'), builtIn('builtin.none', 'test.none')];
    server = await testServer({ packs, env, pipelines });
    const list = (await call('GET', 'pipelines')) as unknown as { id: string }[];
    expect(list.map(({ id }) => id)).toContain('builtin.say');
    expect(list.map(({ id }) => id)).not.toContain('builtin.none');
    const change = await call('PUT', 'pipelines/builtin.say', { name: 'x', steps: [say('a', 1)] });
    expect(change).toMatchObject({ error: 'builtin_readonly' });
    expect(await call('DELETE', 'pipelines/builtin.say')).toMatchObject({ error: 'builtin_readonly' });
    const run = await start('builtin.say');
    await until(run, 'succeeded');
    expect(await call('GET', `pipelines/runs/${run}`, undefined, 'bob')).toMatchObject({
      error: 'not_found',
    });
  });
});
