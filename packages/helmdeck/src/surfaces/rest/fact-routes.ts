import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, errorEnvelope, toAppError } from '../../errors.ts';
import { forget } from '../../memory/erase/forget.ts';
import { changeFacts, patchFact, validateChanges } from '../../memory/facts/change-facts.ts';
import { confirmFact } from '../../memory/facts/confirm-fact.ts';
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
import { neverRecalled, recallCountView, withRecallCount } from '../../memory/facts/recall-counts.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import {
  asObject,
  validateConfirmation,
  validateFact,
  validatePatch,
  validKey,
} from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { mayOnlyPropose } from '../../memory/scopes.ts';
import { sourceOf } from '../http/auth.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import { recordDelete } from './forget-routes.ts';
import {
  choiceQuery,
  expectedVersion,
  factFilter,
  idempotencyKeyOf,
  integerQuery,
  keyInPath,
  timestampQuery,
} from './input.ts';
import type { Call, Route } from './route.ts';
import {
  batchInput,
  batchResponse,
  bulkInput,
  bulkResponse,
  confirmInput,
  confirmResponse,
  deletedResponse,
  factFilterQuery,
  factInput,
  factPage,
  factSchema,
  historyResponse,
  patchInput,
  proposedResponse,
  storeResponse,
} from './schemas/fact-schemas.ts';

const FACTS = '/api/v1/memory/facts/';
const MAX_BATCH = 500;
/** A batch lets other requests run after this many characters: checking them takes about 10 ms. */
const CHARS_PER_SLICE = 16_384;

export async function storeFact(
  call: Call,
  memory: Memory,
  input: unknown,
  options: { idempotencyKey: string | undefined; ifMatch?: number; adviser?: Adviser },
) {
  const { idempotencyKey, ifMatch, adviser } = options;
  const fact = validateFact(input, call.services.rules);
  if (ifMatch !== undefined) fact.ifVersion = ifMatch;
  const source = sourceOf(call.identity, call.services.surface);
  const proposeOnly = mayOnlyPropose(call.identity.scopes);
  return rememberFact(memory, fact, { source, proposeOnly, idempotencyKey, adviser });
}

const MAX_MATCHES = 1_000;

/** A page of the facts that match the query confidently, best first. */
export async function confidentFacts(
  call: Call,
  memory: Memory,
  text: string,
  filter: FactFilter,
  page: Parameters<typeof pageOfFound>[2],
) {
  const where = factMatcher(memory, filter);
  const { category, tag } = filter;
  const unnoted = call.query('caller') !== undefined;
  const request = { text, limit: MAX_MATCHES, category, tag, where, unnoted };
  return call.services.memory().recall.search(memory, request, ({ hits }) => {
    const found = hits.filter(({ confident }) => confident).map(({ document }) => document);
    return pageOfFound(memory, found, page);
  });
}

/** The store lists the newest facts itself; any other order or filter needs all of them, which recall has in memory. */
export async function listFacts(call: Call, memory: Memory, filter: FactFilter, page: PageRequest) {
  const { category, ...others } = filter;
  const isNewest = page.sort === 'updated' && Object.values(others).every((value) => value === undefined);
  const { recall } = call.services.memory();
  return memory.limits.readLarge(memory.directory.idOf(memory.caller), () =>
    isNewest ? newestFacts(memory, category, page) : recall.list(memory, filter, page),
  );
}

/** Storing, listing, reading, changing and deleting facts. */
export const factRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/memory/store',
    tag: 'Facts',
    operationId: 'storeFact',
    takesSpace: true,
    summary: 'Store a fact; the same key again makes a new version',
    scope: 'memory:propose',
    requestHeaders: ['If-Match', 'Idempotency-Key'],
    body: factInput,
    response: storeResponse,
    otherResponse: { status: 202, schema: proposedResponse, headers: ['Idempotent-Replayed'] },
    responseHeaders: ['ETag', 'Idempotent-Replayed'],
    errors: ['precondition_failed', 'secret_detected', 'quota_exceeded', 'rate_limited'],
    async handler(call) {
      const body = await jsonBody(call.c);
      const inBody = (body as { if_version?: unknown } | null)?.if_version;
      const ifMatch = expectedVersion(call.c, typeof inBody === 'number' ? inBody : undefined);
      const { adviser } = call.services.memory();
      const options = { idempotencyKey: idempotencyKeyOf(call.c), ifMatch, adviser };
      const { replayed, ...result } = await storeFact(call, await call.memory(), body, options);
      if (replayed) call.headers['idempotent-replayed'] = 'true';
      if (result.status === 'declined') return result;
      if (result.status !== 'active')
        return new Response(JSON.stringify(result), { status: 202, headers: call.headers });
      call.headers.etag = `"${result.version}"`;
      return result;
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/store/batch',
    tag: 'Facts',
    operationId: 'storeFacts',
    takesSpace: true,
    summary: 'Store up to 500 facts, each on its own',
    scope: 'memory:propose',
    requestHeaders: ['Idempotency-Key'],
    body: batchInput,
    response: batchResponse,
    async handler(call) {
      const { facts } = asObject(await jsonBody(call.c), ['facts']);
      if (!Array.isArray(facts))
        throw new AppError('invalid_input', 'facts must be an array.', { reason: 'bad_type' });
      if (facts.length > MAX_BATCH)
        throw new AppError('invalid_input', `At most ${MAX_BATCH} facts at once.`, {
          reason: 'too_many_facts',
        });
      const batchKey = idempotencyKeyOf(call.c);
      const memory = await call.memory();
      const storeOne = async (fact: unknown, index: number) => {
        try {
          const idempotencyKey = batchKey === undefined ? undefined : `${batchKey}#${index}`;
          const { replayed: _, ...result } = await storeFact(call, memory, fact, { idempotencyKey });
          return { index, ...result };
        } catch (thrown) {
          return { index, ...errorEnvelope(toAppError(thrown), call.requestId) };
        }
      };
      const results: ReturnType<typeof storeOne>[] = [];
      let charsLeft = CHARS_PER_SLICE;
      for (const [index, fact] of facts.entries()) {
        results.push(storeOne(fact, index));
        charsLeft -= String((fact as { value?: unknown } | null)?.value ?? '').length;
        if (charsLeft > 0) continue;
        charsLeft = CHARS_PER_SLICE;
        await yieldToEventLoop();
      }
      return { results: await Promise.all(results) };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts',
    tag: 'Facts',
    operationId: 'listFacts',
    takesSpace: true,
    summary: 'List facts',
    scope: 'memory:read',
    takesCaller: true,
    query: factFilterQuery.extend({
      q: z.string().optional().describe('a few words: only facts that fit them, best first unless sorted'),
      sort: z
        .enum(FACT_SORTS as [string, ...string[]])
        .optional()
        .describe(
          'updated (the default) and created: newest first; key: A to Z; expires: soonest first; due: longest due first; recalled (the default with due=1): most recalled first, then longest due',
        ),
      never_recalled: z
        .enum(['0', '1'])
        .optional()
        .describe('1: only facts that are over 7 days old and were never recalled'),
      limit: z.int().min(1).max(200).optional().describe('default 50'),
      cursor: z.string().optional(),
    }),
    response: factPage,
    async handler(call) {
      const filter = factFilter(call);
      const sort = choiceQuery(call, 'sort', FACT_SORTS);
      const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
      const isNeverRecalled = choiceQuery(call, 'never_recalled', ['0', '1']) === '1';
      const memory = await call.memory();
      const countOf = await memory.recallCounts.read(memory.caller);
      const page = { sort, limit, cursor: call.query('cursor'), countOf };
      if (isNeverRecalled) filter.neverRecalled = neverRecalled(memory, countOf);
      const text = call.query('q')?.trim();
      const standardSort = filter.due ? 'recalled' : 'updated';
      const { facts, ...rest } = text
        ? await confidentFacts(call, memory, text, filter, page)
        : await listFacts(call, memory, filter, { ...page, sort: sort ?? standardSort });
      return { facts: facts.map((fact) => ({ ...fact, ...recallCountView(countOf(fact.key)) })), ...rest };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/facts/bulk',
    tag: 'Facts',
    operationId: 'changeFacts',
    takesSpace: true,
    summary: 'Re-file, renew or forget up to 500 facts, each on its own',
    scope: 'memory:write',
    body: bulkInput,
    response: bulkResponse,
    errors: ['secret_detected', 'rate_limited'],
    async handler(call) {
      const memory = await call.memory();
      const changes = validateChanges(await jsonBody(call.c), call.services.rules);
      const { changed, before, failed } = await changeFacts(memory, changes);
      const isForget = changes[0]?.patch === 'forget';
      if (isForget) await recordDelete(call, memory, changed);
      const failure = ({ index, error }: (typeof failed)[number]) => ({
        index,
        ...errorEnvelope(error, call.requestId),
      });
      return { changed, failed: failed.map(failure), ...(isForget ? {} : { before }) };
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts/{key}/history',
    tag: 'Facts',
    operationId: 'getFactHistory',
    takesSpace: true,
    summary: 'The versions of a fact, newest first',
    scope: 'memory:read',
    takesCaller: true,
    response: historyResponse,
    errors: ['not_found'],
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS, '/history'));
      return { versions: await readHistory(await call.memory(), key) };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/facts/{key}/confirm',
    tag: 'Facts',
    operationId: 'confirmFact',
    takesSpace: true,
    summary: 'Say that a fact is still true, and renew it; no new version',
    scope: 'memory:write',
    requestHeaders: ['If-Match'],
    body: confirmInput.optional(),
    response: confirmResponse,
    responseHeaders: ['ETag'],
    errors: ['not_found', 'precondition_failed', 'rate_limited'],
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS, '/confirm'));
      const { ttlSeconds, ifVersion } = validateConfirmation((await optionalJsonBody(call.c)) ?? {});
      const confirmation = { ttlSeconds, ifVersion: expectedVersion(call.c, ifVersion) };
      const source = sourceOf(call.identity, call.services.surface);
      const confirmed = await confirmFact(await call.memory(), key, confirmation, source);
      call.headers.etag = `"${confirmed.version}"`;
      return confirmed;
    },
  },
  {
    method: 'GET',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    operationId: 'getFact',
    takesSpace: true,
    summary: 'One fact, now or as it was',
    scope: 'memory:read',
    takesCaller: true,
    query: z.object({
      version: z.int().optional().describe('that version'),
      as_of: z.iso.datetime().optional().describe('as it was then'),
    }),
    response: factSchema,
    responseHeaders: ['ETag'],
    errors: ['not_found'],
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS));
      const version = integerQuery(call, 'version', { min: 1, max: Number.MAX_SAFE_INTEGER });
      const asOfMs = timestampQuery(call, 'as_of');
      const memory = await call.memory();
      const fact =
        version !== undefined
          ? await readVersion(memory, key, version)
          : asOfMs !== undefined
            ? await readAsOf(memory, key, asOfMs)
            : await readFact(memory, key);
      call.headers.etag = `"${fact.version}"`;
      return withRecallCount(memory, fact);
    },
  },
  {
    method: 'PATCH',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    operationId: 'updateFact',
    takesSpace: true,
    summary: 'Renew or re-file a fact without a new value',
    scope: 'memory:write',
    requestHeaders: ['If-Match'],
    body: patchInput,
    response: factSchema,
    errors: ['not_found', 'precondition_failed', 'secret_detected', 'rate_limited'],
    async handler(call) {
      const key = validKey(keyInPath(call.c, FACTS));
      const patch = validatePatch(await jsonBody(call.c), call.services.rules);
      const memory = await call.memory();
      const { entry } = await patchFact(memory, key, patch, expectedVersion(call.c));
      return withRecallCount(memory, factView(memory, entry));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/memory/facts/{key}',
    tag: 'Facts',
    operationId: 'forgetFact',
    takesSpace: true,
    summary: 'Forget one fact with its history',
    scope: 'memory:write',
    response: deletedResponse,
    errors: ['rate_limited'],
    async handler(call) {
      const name = validKey(keyInPath(call.c, FACTS));
      const memory = await call.memory();
      const deleted = await forget(memory, { type: 'fact', name });
      await recordDelete(call, memory, deleted);
      return { deleted };
    },
  },
];
