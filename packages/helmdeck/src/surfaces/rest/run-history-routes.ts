import { z } from 'zod';
import { ACTIVITY_BUCKETS, activity } from '../../engine/history/activity.ts';
import { learnedDefaults } from '../../engine/history/defaults.ts';
import { listRuns } from '../../engine/history/list-runs.ts';
import { choiceQuery, integerQuery, timestampQuery } from './input.ts';
import type { Route } from './route.ts';
import { activityResponse, defaultsResponse, runRecordsResponse } from './schemas/pack-schemas.ts';

const shared = { method: 'GET', tag: 'Overview', scope: 'memory:read', takesCaller: true } as const;

const FILTERS = ['key', 'pack', 'pipeline', 'code'] as const;

/** Learned defaults, activity and runs, from run records. */
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
    summary: 'Runs, outcomes, cache hits and findings per hour or day',
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
  {
    ...shared,
    path: '/api/v1/memory/run-records',
    operationId: 'listRunRecords',
    summary: 'Your runs of packs and pipelines, newest first, with what failed and why',
    query: z.object({
      key: z.string().optional().describe('only this run'),
      pack: z.string().optional().describe('only runs of this pack'),
      pipeline: z.string().optional().describe('only runs of this pipeline'),
      code: z.string().optional().describe('only this outcome, or runs that reported this finding'),
      failed: z.enum(['1']).optional().describe('only runs that did not succeed'),
      from: z.iso.datetime().optional().describe('from this moment on'),
      to: z.iso.datetime().optional().describe('before this moment'),
      limit: z.int().min(1).max(200).optional().describe('default 50'),
      cursor: z.string().optional(),
    }),
    response: runRecordsResponse,
    async handler(call) {
      const [key, pack, pipeline, code] = FILTERS.map((name) => call.query(name));
      const range = { fromMs: timestampQuery(call, 'from'), toMs: timestampQuery(call, 'to') };
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const beforeSeq = integerQuery(call, 'cursor', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const failed = choiceQuery(call, 'failed', ['1']) !== undefined;
      const filter = { key, pack, pipeline, code, failed, ...range };
      const { runs, lastSeq } = await listRuns(await call.memory(), filter, { limit, beforeSeq });
      return { runs, ...(lastSeq === undefined ? {} : { next_cursor: String(lastSeq) }) };
    },
  },
];
