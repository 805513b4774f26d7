import { z } from 'zod';
import { memoryContext, memoryStats, myMemory } from '../../memory/facts/overview.ts';
import { choiceQuery, factFilter } from './input.ts';
import type { Route } from './route.ts';
import {
  contextResponse,
  facetsResponse,
  factFilterQuery,
  myMemoryResponse,
} from './schemas/fact-schemas.ts';
import { statsResponse } from './schemas/stats-schemas.ts';

const shared = { method: 'GET', tag: 'Overview', scope: 'memory:read', takesCaller: true } as const;

/** Counts and summaries of a memory, without values. */
export const overviewRoutes: readonly Route[] = [
  {
    ...shared,
    path: '/api/v1/memory/facets',
    operationId: 'getFacets',
    takesSpace: true,
    summary: 'Categories, tags, projects, sources and child prefixes with counts',
    query: factFilterQuery.extend({
      q: z.string().optional().describe('a few words: only facts that fit them'),
    }),
    response: facetsResponse,
    async handler(call) {
      const filter = factFilter(call);
      const text = call.query('q')?.trim();
      const search = text ? { text, unnoted: call.query('caller') !== undefined } : undefined;
      return call.services.memory().recall.facets(await call.memory(), filter, search);
    },
  },
  {
    ...shared,
    path: '/api/v1/memory/mine',
    operationId: 'getMemoryOverview',
    takesSpace: true,
    summary: 'What is stored, by category, without values',
    response: myMemoryResponse,
    async handler(call) {
      const memory = await call.memory();
      return myMemory(memory, await call.services.memory().recall.outline(memory));
    },
  },
  {
    ...shared,
    path: '/api/v1/memory/context',
    operationId: 'getMemoryContext',
    takesSpace: true,
    summary: 'The 50 newest entries by category, without values',
    response: contextResponse,
    handler: async (call) => memoryContext(await call.memory()),
  },
  {
    ...shared,
    path: '/api/v1/memory/stats',
    operationId: 'getMemoryStats',
    takesSpace: true,
    summary: 'Counts, bytes, quota, unreadable rows, embeddings, key id',
    query: z.object({
      check: z.enum(['0', '1']).optional().describe('0: do not open every row; unreadable_rows is then null'),
    }),
    response: statsResponse,
    async handler(call) {
      const memory = await call.memory();
      const checkRows = choiceQuery(call, 'check', ['0', '1']) !== '0';
      return memoryStats(memory, await call.services.memory().recall.span(memory), { checkRows });
    },
  },
];
