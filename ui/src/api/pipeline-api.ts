import { callApi, operationUrl } from './call-api.ts';
import type { PipelineInput } from './generated/rest.ts';

// Pipelines and their runs.

export const listPipelines = (signal?: AbortSignal) => callApi('GET /api/v1/pipelines', { signal });

export const createPipeline = (body: PipelineInput) => callApi('POST /api/v1/pipelines', { body });

export const replacePipeline = (pipeline: string, body: PipelineInput) =>
  callApi('PUT /api/v1/pipelines/{pipeline}', { path: { pipeline }, body });

export const deletePipeline = (pipeline: string) =>
  callApi('DELETE /api/v1/pipelines/{pipeline}', { path: { pipeline } });

export const startPipeline = (pipeline: string, inputs: Record<string, unknown>) =>
  callApi('POST /api/v1/pipelines/{pipeline}/run', { path: { pipeline }, body: { inputs } });

/** The runs of one pipeline, or of all. */
export const listRuns = (
  pipeline: string | undefined,
  page: { limit?: number; cursor?: string },
  signal?: AbortSignal,
) =>
  pipeline === undefined
    ? callApi('GET /api/v1/pipeline-runs', { query: page, signal })
    : callApi('GET /api/v1/pipelines/{pipeline}/runs', { path: { pipeline }, query: page, signal });

export const readRun = (run: string, signal?: AbortSignal) =>
  callApi('GET /api/v1/pipelines/runs/{run}', { path: { run }, signal });

export const runEventsUrl = (run: string) =>
  operationUrl('GET /api/v1/pipelines/runs/{run}/events', { path: { run } });

export const rerun = (run: string) => callApi('POST /api/v1/pipelines/runs/{run}/rerun', { path: { run } });

export const resumeRun = (run: string) =>
  callApi('POST /api/v1/pipelines/runs/{run}/resume', { path: { run } });

export const cancelRun = (run: string) =>
  callApi('POST /api/v1/pipelines/runs/{run}/cancel', { path: { run } });
