import { z } from 'zod';
import { settleDisagreement } from '../../../memory/facts/disagreement-rows.ts';
import { listDisagreements } from '../../../memory/facts/disagreements.ts';
import { validKey } from '../../../memory/facts/validate-fact.ts';
import { integerQuery } from '../input.ts';
import type { Route } from '../route.ts';
import { disagreementsResponse, recallsResponse, settledResponse } from '../schemas/review-schemas.ts';

const MAX_RECALLS = 200;
const DEFAULT_RECALLS = 50;

/** What a person reviews: facts that contradict each other, and what agents were given. */
export const reviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/recalls',
    tag: 'Overview',
    operationId: 'listRecalls',
    summary: 'What agents asked and which facts they were given, newest first',
    scope: 'memory:read',
    takesCaller: true,
    query: z.object({
      key: z.string().optional().describe('only recalls that returned this fact'),
      limit: z.int().min(1).max(MAX_RECALLS).optional().describe(`default ${DEFAULT_RECALLS}`),
    }),
    response: recallsResponse,
    async handler(call) {
      const key = call.query('key');
      const limit = integerQuery(call, 'limit', { min: 1, max: MAX_RECALLS }) ?? DEFAULT_RECALLS;
      const filter = { key: key === undefined ? undefined : validKey(key), limit };
      return { recalls: await call.services.memory().recallLog.list(await call.memory(), filter) };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/disagreements',
    tag: 'Overview',
    operationId: 'listDisagreements',
    takesSpace: true,
    summary: 'Facts that contradict each other, the newest contradiction first',
    scope: 'memory:read',
    takesCaller: true,
    response: disagreementsResponse,
    async handler(call) {
      const { adviser } = call.services.memory();
      const memory = await call.memory();
      // Two whole values a row, so one list at a time.
      return memory.limits.readLarge(memory.directory.idOf(memory.caller), async () => ({
        disagreements: await listDisagreements(memory, adviser),
      }));
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/disagreements/{disagreement}/settle',
    tag: 'Overview',
    operationId: 'settleDisagreement',
    takesSpace: true,
    summary: 'Say that two facts do not contradict each other, until one of them changes',
    scope: 'memory:write',
    response: settledResponse,
    errors: ['not_found', 'rate_limited'],
    async handler(call) {
      await settleDisagreement(await call.memory(), call.c.req.param('disagreement') ?? '');
      return { settled: true };
    },
  },
];
