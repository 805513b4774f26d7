import { z } from 'zod';
import { followRun } from '../../engine/pipeline/follow-run.ts';
import type { PipelineRuns, Starter } from '../../engine/pipeline/pipeline-runs.ts';
import { hasEnded, type PipelineRun, type RunEvent } from '../../engine/pipeline/run-state.ts';
import { AppError } from '../../errors.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { isoMs } from '../../memory/times.ts';
import { sourceOf } from '../http/auth.ts';
import { optionalJsonBody } from '../http/body.ts';
import { eventStreamResponse } from './event-stream.ts';
import { integerQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import {
  pipelineRunSchema,
  pipelineRunsResponse,
  runEvent,
  runInput,
  startedResponse,
} from './schemas/pipeline-schemas.ts';

const pipelineId = (call: Call) => call.c.req.param('pipeline') ?? '';
const runId = (call: Call) => call.c.req.param('run') ?? '';
const shared = { tag: 'Pipelines', scope: 'pipelines:run' } as const;
const START_ERRORS = ['not_found', 'resource_exhausted'] as const;
const starting = { ...shared, method: 'POST', status: 202, response: startedResponse } as const;
const paging = z.object({
  limit: z.int().min(1).max(200).optional().describe('default 50'),
  cursor: z.string().optional(),
});

async function starterOf(call: Call): Promise<Starter> {
  const { identity, services } = call;
  const source = sourceOf(identity, services.surface);
  return { memory: await call.memory(), scopes: identity.scopes, source };
}

/** The run in the path; if the path names a pipeline too, the run must belong to it. */
async function runInPath(call: Call): Promise<{ runs: PipelineRuns; run: PipelineRun }> {
  const runs = call.services.pipelineRuns();
  const run = await runs.get(await call.memory(), runId(call));
  const pipeline = call.c.req.param('pipeline');
  if (pipeline !== undefined && pipeline !== run.pipeline_id)
    throw new AppError('not_found', 'There is no such run of this pipeline.');
  return { runs, run };
}

async function list(call: Call, pipeline: string | undefined) {
  const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
  const beforeSeq = integerQuery(call, 'cursor', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const page = { pipelineId: pipeline, limit, beforeSeq };
  const { runs, lastSeq } = await call.services.pipelineRuns().list(await call.memory(), page);
  return { runs, ...(lastSeq === undefined ? {} : { next_cursor: String(lastSeq) }) };
}

/** Streams the current state of a run, then its changes until it has ended. */
async function events(call: Call): Promise<Response> {
  const { runs, run } = await runInPath(call);
  const memory = await call.memory();
  return eventStreamResponse(call, (send, end) => {
    const now = isoMs(call.services.now());
    for (const { step_id, status, error_code } of run.steps)
      send('step', { type: 'step', run_id: run.id, step_id, status, error_code, at: now });
    const { status, error_code } = run;
    send('run', { type: 'run', run_id: run.id, status, error_code, at: now });
    const emit = (event: RunEvent) => {
      send(event.type, event);
      if (event.type === 'run' && hasEnded(event.status)) end();
    };
    const followOtherProcess = () => (hasEnded(status) ? undefined : followRun(memory, run, emit));
    const stop = runs.subscribe(call.identity.caller, run.id, emit) ?? followOtherProcess();
    if (!stop) end();
    return stop ?? (() => {});
  });
}

/** A run can be addressed with or without its pipeline. */
function bothPaths(
  suffix: string,
  [operationId, idWithPipeline]: readonly [string, string],
  route: Omit<Route, 'path' | 'operationId'>,
): Route[] {
  return [
    { ...route, path: `/api/v1/pipelines/{pipeline}/runs/{run}${suffix}`, operationId: idWithPipeline },
    { ...route, path: `/api/v1/pipelines/runs/{run}${suffix}`, operationId },
  ];
}

/** Starting, listing, watching, resuming and cancelling pipeline runs. */
export const pipelineRunRoutes: readonly Route[] = [
  {
    ...starting,
    path: '/api/v1/pipelines/{pipeline}/run',
    operationId: 'startPipelineRun',
    summary: 'Start a run; the same one that is already going on is joined',
    errors: START_ERRORS,
    body: runInput.optional(),
    async handler(call) {
      const { inputs } = asObject((await optionalJsonBody(call.c)) ?? {}, ['inputs']);
      return call.services.pipelineRuns().start(await starterOf(call), pipelineId(call), inputs);
    },
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/pipelines/{pipeline}/runs',
    operationId: 'listRunsOfPipeline',
    summary: 'Your runs of one pipeline, the latest change first',
    query: paging,
    response: pipelineRunsResponse,
    handler: (call) => list(call, pipelineId(call)),
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/pipeline-runs',
    operationId: 'listPipelineRuns',
    summary: 'Your runs of all pipelines, the latest change first',
    query: paging,
    response: pipelineRunsResponse,
    handler: (call) => list(call, undefined),
  },
  ...bothPaths('', ['getPipelineRun', 'getRunOfPipeline'], {
    ...shared,
    method: 'GET',
    summary: 'One run: its steps, outputs and failures',
    errors: ['not_found'],
    response: pipelineRunSchema,
    handler: async (call) => (await runInPath(call)).run,
  }),
  ...bothPaths('/events', ['streamPipelineRunEvents', 'streamRunEventsOfPipeline'], {
    ...shared,
    method: 'GET',
    summary: 'What happens to a run as server-sent events, until it ends',
    errors: ['not_found', 'rate_limited'],
    responseType: 'text/event-stream',
    event: runEvent,
    handler: events,
  }),
  ...bothPaths('/rerun', ['rerunPipelineRun', 'rerunRunOfPipeline'], {
    ...starting,
    summary: 'A new run with the same inputs',
    errors: START_ERRORS,
    async handler(call) {
      const { runs, run } = await runInPath(call);
      return runs.rerun(await starterOf(call), run.id);
    },
  }),
  ...bothPaths('/resume', ['resumePipelineRun', 'resumeRunOfPipeline'], {
    ...starting,
    summary: 'Go on with a failed or cancelled run, from the step it did not finish',
    errors: START_ERRORS,
    async handler(call) {
      const { runs, run } = await runInPath(call);
      return runs.resume(await starterOf(call), run.id);
    },
  }),
  ...bothPaths('/cancel', ['cancelPipelineRun', 'cancelRunOfPipeline'], {
    ...shared,
    method: 'POST',
    summary: 'Stop a run; answers when it has stopped',
    errors: ['not_found', 'not_cancellable'],
    response: pipelineRunSchema,
    async handler(call) {
      const { runs, run } = await runInPath(call);
      return runs.cancel(await call.memory(), run.id);
    },
  }),
];
