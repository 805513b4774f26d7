import { z } from 'zod';
import { ACTIVITY_BUCKETS, activity } from '../../engine/history/activity.ts';
import { learnedDefaults } from '../../engine/history/defaults.ts';
import { choiceQuery, timestampQuery } from './input.ts';
import type { Route } from './route.ts';
import { activityResponse, defaultsResponse } from './schemas/pack-schemas.ts';

const shared = { method: 'GET', tag: 'Overview', scope: 'memory:read', takesCaller: true } as const;

/** Learned defaults and activity, from run records. */
export const runHistoryRoutes: readonly Route[] = [
  {
    ...shared,
    path: '/api/v1/memory/defaults',
    operationId: 'getLearnedDefaults',
    summary: 'What you usually run and with which inputs, and what ran last',
    response: defaultsResponse,
    handler: async (call) => learnedDefaults(await call.memory()),
  },
  {
    ...shared,
    path: '/api/v1/memory/activity',
    operationId: 'getActivity',
    summary: 'Runs, outcomes and cache hits per hour or day',
    query: z.object({
      bucket: z.enum(ACTIVITY_BUCKETS).optional().describe('default day'),
      from: z.iso.datetime().optional().describe('from this moment on'),
      to: z.iso.datetime().optional().describe('before this moment'),
    }),
    response: activityResponse,
    async handler(call) {
      const bucket = choiceQuery(call, 'bucket', ACTIVITY_BUCKETS) ?? 'day';
      const range = { fromMs: timestampQuery(call, 'from'), toMs: timestampQuery(call, 'to') };
      return activity(await call.memory(), bucket, range);
    },
  },
];
