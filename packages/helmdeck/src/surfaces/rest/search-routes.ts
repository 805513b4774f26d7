import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type FactFilter, factMatcher } from '../../memory/facts/read-facts.ts';
import type { Memory } from '../../memory/memory.ts';
import type { NamedMemory } from '../../memory/spaces/enter-space.ts';
import { OWN_MEMORY } from '../../memory/spaces/space.ts';
import { shownSource } from '../../memory/spaces/space-memory.ts';
import { isoMs } from '../../memory/times.ts';
import { factKeysOf, hitView, viewHits } from '../../recall/hit-view.ts';
import type { RecallKind } from '../../recall/index/documents.ts';
import { searchTogether } from '../../recall/search-together.ts';
import { sourceOf } from '../http/auth.ts';
import { countsAsRecall, memoriesOfRequest } from './access.ts';
import { choiceQuery, factFilter, integerQuery } from './input.ts';
import type { Call, Route } from './route.ts';
import { factFilterQuery } from './schemas/fact-schemas.ts';
import { searchResponse } from './schemas/search-schemas.ts';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;
/** The values of `kinds` and the entry kinds they stand for. */
const KIND_NAMES: Record<string, RecallKind> = {
  fact: 'fact',
  facts: 'fact',
  pack: 'audit.pack',
  packs: 'audit.pack',
  'audit.pack': 'audit.pack',
  pipeline: 'audit.pipeline',
  pipelines: 'audit.pipeline',
  'audit.pipeline': 'audit.pipeline',
};

function kindsQuery(call: Call): RecallKind[] | undefined {
  const text = call.query('kinds');
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const kinds = names.map((name) => (Object.hasOwn(KIND_NAMES, name) ? KIND_NAMES[name] : undefined));
  if (kinds.includes(undefined)) {
    throw new AppError('invalid_input', 'kinds must be a comma list of fact, pack and pipeline.', {
      reason: 'bad_type',
    });
  }
  return [...new Set(kinds as RecallKind[])];
}

/** A filter for what the index does not filter itself; undefined if there is none, which is faster. */
function whereOf(memory: Memory, { category: _, tag: __, project: ___, ...filter }: FactFilter) {
  const isEmpty = Object.values(filter).every((value) => value === undefined);
  return isEmpty ? undefined : factMatcher(memory, filter);
}

async function oneMemory(call: Call): Promise<NamedMemory> {
  return { name: call.query('space') ?? OWN_MEMORY, memory: await call.memory() };
}

/** Search by words and, with embeddings, by meaning. */
export const searchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/search',
    tag: 'Search',
    operationId: 'searchFacts',
    summary: 'Find facts from a few words, best first',
    scope: 'memory:read',
    takesCaller: true,
    takesSpace: true,
    takesSpaces: true,
    query: factFilterQuery.extend({
      project: z.string().optional().describe('facts about this project rank higher; others are found, too'),
      q: z.string().optional().describe('a few words; none: the newest first'),
      limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`default ${DEFAULT_LIMIT}`),
      kinds: z.string().optional().describe('a comma list of fact, pack, pipeline; default fact'),
      explain: z.enum(['0', '1']).optional().describe('1: say why each hit was found'),
    }),
    response: searchResponse,
    async handler(call) {
      const startMs = performance.now();
      const filter = factFilter(call);
      const request = {
        text: call.query('q') ?? '',
        limit: integerQuery(call, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
        category: filter.category,
        tag: filter.tag,
        preferredProject: filter.project,
        kinds: kindsQuery(call),
        unnoted: call.query('caller') !== undefined,
        explain: choiceQuery(call, 'explain', ['0', '1']) === '1',
      };
      const memories = (await memoriesOfRequest(call)) ?? [await oneMemory(call)];
      const isNamed = call.query('spaces') !== undefined || call.query('space') !== undefined;
      const { recall, recallLog } = call.services.memory();
      const requestOf = (memory: Memory) => ({ ...request, where: whereOf(memory, filter) });
      return searchTogether(recall, memories, requestOf, async ({ hits, abstained, degraded }) => {
        const hasWords = request.text.trim() !== '';
        if (countsAsRecall(call)) {
          // Weak hits after them are guesses: to count them would hide which facts are never recalled.
          const given = hasWords ? hits.filter(({ confident }) => confident) : hits;
          for (const from of memories) {
            const { memory } = from;
            const hitsOfIt = given.filter((hit) => hit.from === from);
            memory.recallCounts.add(memory.caller, factKeysOf(hitsOfIt));
            recallLog.add(memory.caller, {
              question: request.text,
              tookMs: performance.now() - startMs,
              source: sourceOf(call.identity, call.services.surface),
              hits: hitsOfIt,
            });
          }
        }
        return {
          results: await viewHits(hits, (hit) => ({
            ...hitView(hit.from.memory, hit),
            ...(isNamed ? { space: hit.from.name } : {}),
            created_at: isoMs(hit.document.createdMs),
            source: hit.document.source && shownSource(hit.from.memory, hit.document.source),
            ...(hasWords ? { confident: hit.confident } : {}),
          })),
          took_ms: Math.round((performance.now() - startMs) * 1000) / 1000,
          abstained,
          ...(degraded ? { degraded } : {}),
        };
      });
    },
  },
];
