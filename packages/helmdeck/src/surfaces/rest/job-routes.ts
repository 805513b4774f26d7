import type { Call, Route } from './route.ts';
import { jobSchema, jobsResponse } from './schemas/pack-schemas.ts';

const jobId = (call: Call) => call.c.req.param('job') ?? '';
const shared = { tag: 'Packs', scope: 'packs:run' } as const;

/** Jobs: packs that run in the background. */
export const jobRoutes: readonly Route[] = [
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/jobs',
    operationId: 'listJobs',
    summary: 'Your jobs, newest first, without results',
    response: jobsResponse,
    handler: async (call) => ({ jobs: await call.services.jobs.list(call.identity.caller) }),
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/jobs/{job}',
    operationId: 'getJob',
    summary: 'One job: status, progress, result or error',
    errors: ['not_found'],
    response: jobSchema,
    handler: (call) => call.services.jobs.get(call.identity.caller, jobId(call)),
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/api/v1/jobs/{job}',
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    errors: ['not_found', 'not_cancellable'],
    response: jobSchema,
    handler: (call) => call.services.jobs.cancel(call.identity.caller, jobId(call)),
  },
];
