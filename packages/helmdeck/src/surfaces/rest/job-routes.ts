import { z } from 'zod';
import type { Call, Route } from './route.ts';
import { jobSchema } from './schemas/pack-schemas.ts';

const jobId = (call: Call) => call.c.req.param('job') ?? '';
const shared = { tag: 'Packs', scope: 'packs:run' } as const;

/** Jobs: packs that run in the background. */
export const jobRoutes: readonly Route[] = [
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/jobs',
    summary: 'Your jobs, newest first, without results',
    response: z.strictObject({ jobs: z.array(jobSchema) }),
    handler: async (call) => ({ jobs: await call.services.jobs.list(call.identity.caller) }),
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/jobs/{job}',
    summary: 'One job: status, progress, result or error',
    response: jobSchema,
    handler: (call) => call.services.jobs.get(call.identity.caller, jobId(call)),
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/api/v1/jobs/{job}',
    summary: 'Cancel a job',
    response: jobSchema,
    handler: (call) => call.services.jobs.cancel(call.identity.caller, jobId(call)),
  },
];
