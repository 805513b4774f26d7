import { z } from 'zod';
import { AppError, errorEnvelope, toAppError } from '../../errors.ts';
import type { Source } from '../../memory/entry.ts';
import { forget } from '../../memory/erase/forget.ts';
import { FACT_SORTS, newestFacts, type PageRequest, pageOfFound } from '../../memory/facts/fact-pages.ts';
import {
  type FactFilter,
  factMatcher,
  factView,
  readAsOf,
  readFact,
  readHistory,
  readVersion,
} from '../../memory/facts/read-facts.ts';
import { type Adviser, patchFact, rememberFact } from '../../memory/facts/remember.ts';
import { asObject, validateFact, validatePatch, validKey } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { noteDelete } from './forget-routes.ts';
import {
  choiceQuery,
  composedQuery,
  idempotencyKey,
  instantQuery,
  jsonBody,
  keyInPath,
  wantedVersion,
  wholeQuery,
} from './input.ts';
import type { Call, Route } from './route.ts';
import {
  batchAnswer,
  batchInput,
  deletedAnswer,
  factInput,
  factPage,
  factSchema,
  historyAnswer,
  patchInput,
  storeAnswer,
} from './schemas/fact-schemas.ts';

const FACTS = '/api/v1/memory/facts/';
const MAX_BATCH = 500;
const MAX_SECONDS = 3_153_600_000;

/** Where a write through this call comes from. */
export function sourceOf({ services, identity }: Call): Source {
  return {
    surface: services.surface,
    ...(identity.client === undefined ? {} : { client: identity.client }),
    ...(identity.jti === undefined ? {} : { token_id: identity.jti }),
  };
}

async function store(
  call: Call,
  memory: Memory,
  input: unknown,
  options: { repeatKey: string | undefined; ifMatch?: number; adviser?: Adviser },
) {
  const { repeatKey, ifMatch, adviser } = options;
  const fact = validateFact(input, call.services.rules);
  if (ifMatch !== undefined) fact.ifVersion = ifMatch;
  return rememberFact(memory, fact, { source: sourceOf(call), idempotencyKey: repeatKey, adviser });
}

const MAX_FOUND = 1_000;

/** Facts that fit a few words well enough to be believed, best first. */
async function fittingFacts(call: Call, memory: Memory, text: string, filter: FactFilter) {
  const where = factMatcher(memory, filter);
  const { category, tag } = filter;
  const request = { text, limit: MAX_FOUND, category, tag, where };
  const { hits } = await call.services.memory().recall.search(memory, request);
  return hits.filter(({ confident }) => confident).map(({ document }) => document);
}

/** The newest are at hand in the store; any other order or filter has to see all of them, as recall does. */
async function listed(call: Call, memory: Memory, filter: FactFilter, page: PageRequest) {
  const { category, ...others } = filter;
  const isNewest = page.sort === 'updated' && Object.values(others).every((value) => value === undefined);
  if (isNewest) return newestFacts(memory, category, page);
  return call.services.memory().recall.list(memory, filter, page);
}

export const factRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/memory/store',
    tag: 'Facts',
    summary: 'Store a fact; the same key again makes a new version',
    scope: 'memory:write',
    body: factInput,
    response: storeAnswer,
    async handler(call) {
      const body = await jsonBody(call.c);
      const inBody = (body as { if_version?: unknown } | null)?.if_version;
      const ifMatch = wantedVersion(call.c, typeof inBody === 'number' ? inBody : undefined);
      const { adviser } = call.services.memory();
      const options = { repeatKey: idempotencyKey(call.c), ifMatch, adviser };
      const { replayed, ...answer } = await store(call, await call.memory(), body, options);
      call.headers.etag = `"${answer.version}"`;
      if (replayed) call.headers['idempotent-replayed'] = 'true';
      return answer;
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/store/batch',
    tag: 'Facts',
    summary: 'Store up to 500 facts, each on its own',
    scope: 'memory:write',
    body: batchInput,
    response: batchAnswer,
    async handler(call) {
      const { facts } = asObject(await jsonBody(call.c), ['facts']);
      if (!Array.isArray(facts))
        throw new AppError('invalid_input', 'facts must be an array.', { reason: 'bad_type' });
      if (facts.length > MAX_BATCH)
        throw new AppError('invalid_input', `At most ${MAX_BATCH} facts at once.`, {
          reason: 'too_many_facts',
        });
      const repeatKey = idempotencyKey(call.c);
      const memory = await call.memory();
      const storeOne = async (fact: unknown, index: number) => {
        try {
          const each = repeatKey === undefined ? undefined : `${repeatKey}#${index}`;
          const { replayed: _, ...answer } = await store(call, memory, fact, { repeatKey: each });
          return { index, ...answer };
        } catch (thrown) {
          return { index, ...errorEnvelope(toAppError(thrown), call.requestId) };
        }
      };
      return { results: await Promise.all(facts.map(storeOne)) };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts',
    tag: 'Facts',
    summary: 'List facts',
    scope: 'memory:read',
    takesCaller: true,
    query: z.object({
      prefix: z.string().optional().describe('keys that begin with this, literally'),
      category: z.string().optional(),
      tag: z.string().optional(),
      q: z.string().optional().describe('a few words: only facts that fit them, best first unless sorted'),
      source: z.string().optional().describe('a client or a surface'),
      sort: z
        .enum(FACT_SORTS as [string, ...string[]])
        .optional()
        .describe('updated (the default) and created: newest first; key: A to Z; expires: soonest first'),
      expiring_within: z.int().optional().describe('seconds'),
      limit: z.int().min(1).max(200).optional().describe('default 50'),
      cursor: z.string().optional(),
    }),
    response: factPage,
    async handler(call) {
      const filter = {
        prefix: composedQuery(call, 'prefix'),
        category: call.query('category'),
        tag: composedQuery(call, 'tag'),
        source: call.query('source'),
        expiringWithinSeconds: wholeQuery(call, 'expiring_within', { min: 0, max: MAX_SECONDS }),
      };
      const sort = choiceQuery(call, 'sort', FACT_SORTS);
      const limit = wholeQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const page = { sort, limit, cursor: call.query('cursor') };
      const memory = await call.memory();
      const text = call.query('q')?.trim();
      if (!text) return listed(call, memory, filter, { ...page, sort: sort ?? 'updated' });
      return pageOfFound(await fittingFacts(call, memory, text, filter), page);
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts/{key}/history',
    tag: 'Facts',
    summary: 'The versions of a fact, newest first',
    scope: 'memory:read',
    takesCaller: true,
    response: historyAnswer,
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS, '/history'));
      return { versions: await readHistory(await call.memory(), key) };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    summary: 'One fact, now or as it was',
    scope: 'memory:read',
    takesCaller: true,
    query: z.object({
      version: z.int().optional().describe('that version'),
      as_of: z.iso.datetime().optional().describe('as it was then'),
    }),
    response: factSchema,
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS));
      const version = wholeQuery(call, 'version', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const asOfMs = instantQuery(call, 'as_of');
      const memory = await call.memory();
      const fact =
        version !== undefined
          ? await readVersion(memory, key, version)
          : asOfMs !== undefined
            ? await readAsOf(memory, key, asOfMs)
            : await readFact(memory, key);
      call.headers.etag = `"${fact.version}"`;
      return fact;
    },
  },
  {
    method: 'PATCH',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    summary: 'Renew or re-file a fact without a new value',
    scope: 'memory:write',
    body: patchInput,
    response: factSchema,
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS));
      const patch = validatePatch(await jsonBody(call.c), call.services.rules);
      return factView(await patchFact(await call.memory(), key, patch, wantedVersion(call.c)));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    summary: 'Forget one fact with its history',
    scope: 'memory:write',
    response: deletedAnswer,
    async handler(call) {
      const name = validKey(keyInPath(call.c, FACTS));
      const deleted = await forget(await call.memory(), { type: 'fact', name });
      await noteDelete(call, deleted);
      return { deleted };
    },
  },
];
