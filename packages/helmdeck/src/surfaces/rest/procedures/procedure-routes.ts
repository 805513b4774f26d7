import { asObject } from '../../../memory/facts/validate-fact.ts';
import { jsonBody, optionalJsonBody } from '../../http/body.ts';
import type { Call, Route } from '../route.ts';
import { pipelineSchema } from '../schemas/pipeline-schemas.ts';
import {
  candidatesResponse,
  dismissedResponse,
  fromRunsInput,
  promoteInput,
} from '../schemas/procedure-schemas.ts';

const shared = { tag: 'Pipelines', scope: 'pipelines:run' } as const;
const candidateId = (call: Call) => call.c.req.param('candidate') ?? '';

/** Pipelines made from what ran. */
export const procedureRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/procedures/candidates',
    tag: 'Pipelines',
    operationId: 'listProcedureCandidates',
    summary: 'Sequences of packs that ran several times and could be pipelines, with their evidence',
    scope: 'memory:read',
    takesCaller: true,
    response: candidatesResponse,
    handler: async (call) => ({ candidates: await call.services.procedures.candidates(await call.memory()) }),
  },
  {
    ...shared,
    method: 'POST',
    path: '/api/v1/procedures/candidates/{candidate}/promote',
    operationId: 'promoteProcedureCandidate',
    summary: 'Make a candidate a pipeline of your own',
    errors: ['not_found', 'invalid_pipeline', 'secret_detected', 'quota_exceeded'],
    status: 201,
    body: promoteInput.optional(),
    response: pipelineSchema,
    async handler(call) {
      const { name } = asObject((await optionalJsonBody(call.c)) ?? {}, ['name']);
      return call.services.procedures.promote(await call.memory(), candidateId(call), name);
    },
  },
  {
    ...shared,
    method: 'POST',
    path: '/api/v1/procedures/candidates/{candidate}/dismiss',
    operationId: 'dismissProcedureCandidate',
    summary: 'Do not show a candidate again',
    errors: ['not_found'],
    response: dismissedResponse,
    async handler(call) {
      await call.services.procedures.dismiss(await call.memory(), candidateId(call));
      return { dismissed: candidateId(call) };
    },
  },
  {
    ...shared,
    method: 'POST',
    path: '/api/v1/pipelines/from-runs',
    operationId: 'createPipelineFromRuns',
    summary: 'Make a pipeline of runs that you picked',
    errors: ['invalid_pipeline', 'secret_detected', 'quota_exceeded'],
    status: 201,
    body: fromRunsInput,
    response: pipelineSchema,
    async handler(call) {
      const { runs, name } = asObject(await jsonBody(call.c), ['runs', 'name']);
      return call.services.procedures.fromRuns(await call.memory(), runs, name);
    },
  },
];
