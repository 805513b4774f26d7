import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineRun } from '../../packages/helmdeck/src/engine/pipeline/run-state.ts';
import { createSandbox, type Running, type Sandbox } from '../e2e/helmdeck-process.ts';
import { createGate, writeGatedPack } from './gated-pack.ts';

let sandbox: Sandbox;
let server: Running;
let token: string;
beforeAll(async () => {
  sandbox = createSandbox();
  const folder = join(sandbox.dir, 'packs');
  mkdirSync(folder);
  writeGatedPack(folder);
  sandbox.env.HELMDECK_PACKS_DIR = folder;
  server = await sandbox.serve('--init');
  token = (await sandbox.json<{ token: string }>('token', 'mint')).token;
});
afterAll(() => sandbox.remove());

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/api/v1/${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  return answer.json() as Promise<T>;
}
const getRun = (run: string) => call<PipelineRun>('GET', `pipelines/runs/${run}`);

describe('kill -9 during a pipeline run', () => {
  it('after a kill -9 during a pipeline, the run has failed with server_restarted, keeps its finished steps, and can be resumed', async () => {
    const [first, second] = [createGate(sandbox.dir, 'first'), createGate(sandbox.dir, 'second')];
    first.open();
    const steps = [
      { id: 'quick', pack: 'test.gated', input: { gate: first.path } },
      { id: 'slow', pack: 'test.gated', input: { gate: '${{ inputs.gate }}' } },
    ];
    const { id } = await call<{ id: string }>('POST', 'pipelines', { name: 'two steps', steps });
    const { run_id } = await call<{ run_id: string }>('POST', `pipelines/${id}/run`, {
      inputs: { gate: second.path },
    });
    await expect.poll(second.isReached).toBe(true);

    await server.stop('SIGKILL');
    server = await sandbox.serve();

    await expect.poll(async () => (await getRun(run_id)).status).toBe('failed');
    expect(await getRun(run_id)).toMatchObject({
      failure_class: 'transient',
      failure_reason: 'server_restarted',
      steps: [{ status: 'succeeded', output: { passed: true } }, { status: 'failed' }],
    });
    // The run record is written after the end of the run is durable, which may be after it is visible.
    const latest = async () => (await call<{ recent: object[] }>('GET', 'memory/defaults')).recent[0];
    await expect.poll(latest).toMatchObject({ kind: 'pipeline', id, outcome: 'failed' });
    second.open();
    await call('POST', `pipelines/runs/${run_id}/resume`);
    await expect.poll(async () => (await getRun(run_id)).status).toBe('succeeded');
    expect((await getRun(run_id)).steps[1]).toMatchObject({ output: { passed: true } });
  });
});
