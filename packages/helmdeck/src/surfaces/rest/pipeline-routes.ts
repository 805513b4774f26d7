import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { jsonBody } from '../http/body.ts';
import type { Call, Route } from './route.ts';
import { deletedResponse } from './schemas/fact-schemas.ts';
import { pipelineInput, pipelineSchema } from './schemas/pipeline-schemas.ts';

const pipelineId = (call: Call) => call.c.req.param('pipeline') ?? '';
const shared = { tag: 'Pipelines', scope: 'pipelines:run' } as const;

/** Pipeline definitions. */
export const pipelineRoutes: readonly Route[] = [
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/pipelines',
    operationId: 'listPipelines',
    summary: 'Built-in pipelines and your own, by name',
    response: z.array(pipelineSchema),
    handler: async (call) => call.services.pipelines.list(await call.memory()),
  },
  {
    ...shared,
    method: 'POST',
    path: '/api/v1/pipelines',
    operationId: 'createPipeline',
    summary: 'Define a pipeline',
    errors: ['invalid_pipeline', 'secret_detected', 'quota_exceeded'],
    status: 201,
    body: pipelineInput,
    response: pipelineSchema,
    handler: async (call) => call.services.pipelines.create(await call.memory(), await jsonBody(call.c)),
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/pipelines/{pipeline}',
    operationId: 'getPipeline',
    summary: 'One pipeline',
    errors: ['not_found'],
    response: pipelineSchema,
    handler: async (call) => call.services.pipelines.get(await call.memory(), pipelineId(call)),
  },
  {
    ...shared,
    method: 'PUT',
    path: '/api/v1/pipelines/{pipeline}',
    operationId: 'replacePipeline',
    summary: 'Replace a pipeline of your own',
    errors: ['invalid_pipeline', 'not_found', 'builtin_readonly', 'secret_detected'],
    body: pipelineInput,
    response: pipelineSchema,
    async handler(call) {
      const body = await jsonBody(call.c);
      return call.services.pipelines.replace(await call.memory(), pipelineId(call), body);
    },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/api/v1/pipelines/{pipeline}',
    operationId: 'deletePipeline',
    summary: 'Delete a pipeline of your own; its runs stay',
    errors: ['not_found', 'builtin_readonly'],
    response: deletedResponse,
    async handler(call) {
      const deleted = await call.services.pipelines.delete(await call.memory(), pipelineId(call));
      if (!deleted) throw new AppError('not_found', 'There is no such pipeline.');
      return { deleted: 1 };
    },
  },
];
