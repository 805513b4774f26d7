import { randomUUID } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { AccessAudit } from '../../memory/access-audit.ts';
import { forget } from '../../memory/erase/forget.ts';
import { factView, readFact, readHistory } from '../../memory/facts/read-facts.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import { type FactRules, validateFact, validKey } from '../../memory/facts/validate-fact.ts';
import { harvest } from '../../memory/harvest/harvest.ts';
import type { TalkLimit } from '../../memory/harvest/talk-limit.ts';
import { createMemory, type Memory, type MemoryParts } from '../../memory/memory.ts';
import { callerName, fullCallerName } from '../../memory/namespace.ts';
import { mayOnlyPropose } from '../../memory/scopes.ts';
import { factKeysOf } from '../../recall/hit-view.ts';
import type { Document } from '../../recall/index/documents.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';
import type { HttpRoute } from '../http/app.ts';
import { sourceOf } from '../http/auth.ts';
import { jsonBody, optionalJsonBody } from '../http/body.ts';
import type { RequestContext } from '../http/request-context.ts';
import { filterOf } from './filters.ts';
import { historyView, keyOf, memoryView, metadataTags, PREFIX, TAG, withMetadata } from './memory-facts.ts';
import { addBody, invalid, listBody, parsed, searchBody, tagsOf, updateBody } from './requests.ts';

/** What this surface depends on; passed in by the composition root. */
export interface Mem0Services {
  /** Throws `memory_unavailable` while memory is off. */
  memory(): {
    parts: MemoryParts;
    recall: Recall;
    recallLog: RecallLog;
    audit: AccessAudit;
    adviser: Adviser;
    talkLimit: TalkLimit;
  };
  rules: FactRules;
}

type Handler = (services: Mem0Services, request: RequestContext, memory: Memory) => Promise<unknown>;
type Mem0Route = Pick<HttpRoute, 'method' | 'scope'> & { paths: readonly string[]; handler: Handler };

const SURFACE = 'mem0';
const MAX_PAGE = 1_000;
const MAX_FACTS = 100_000;
const DEFAULT_PAGE = 100;
const DEFAULT_TOP_K = 10;

/** The paths of mem0's open-source server and those that the client of its platform calls. */
const MEM0_ROUTES: readonly Mem0Route[] = [
  { method: 'GET', paths: ['/v1/ping/'], scope: 'any', handler: async () => ({ status: 'ok' }) },
  { method: 'POST', paths: ['/memories', '/v3/memories/add/'], scope: 'memory:propose', handler: add },
  { method: 'GET', paths: ['/memories'], scope: 'memory:read', handler: list },
  { method: 'POST', paths: ['/v3/memories/'], scope: 'memory:read', handler: list },
  { method: 'DELETE', paths: ['/memories', '/v1/memories/'], scope: 'memory:write', handler: removeAll },
  { method: 'POST', paths: ['/search', '/v3/memories/search/'], scope: 'memory:read', handler: search },
  { method: 'GET', paths: ['/memories/{id}', '/v1/memories/{id}/'], scope: 'memory:read', handler: get },
  {
    method: 'GET',
    paths: ['/memories/{id}/history', '/v1/memories/{id}/history/'],
    scope: 'memory:read',
    handler: history,
  },
  {
    method: 'PUT',
    paths: ['/memories/{id}', '/v1/memories/{id}/'],
    scope: 'memory:propose',
    handler: update,
  },
  {
    method: 'DELETE',
    paths: ['/memories/{id}', '/v1/memories/{id}/'],
    scope: 'memory:write',
    handler: remove,
  },
];

const MEM0_PATH = '/compat/mem0';

/** The routes of mem0's API over the caller's facts. */
export function mem0Routes(services: Mem0Services): HttpRoute[] {
  return MEM0_ROUTES.flatMap(({ method, paths, scope, handler }) =>
    paths.map((path) => ({
      method,
      path: MEM0_PATH + path,
      scope,
      handle(request: RequestContext) {
        const { parts } = services.memory();
        return handler(services, request, createMemory(parts, request.identity.caller));
      },
    })),
  );
}

const WAITS = 'The text waits in the inbox until a person accepts it.';

async function add(services: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const body = parsed(addBody, await jsonBody(c));
  const tags = [TAG, ...tagsOf(identity, body), ...metadataTags(body.metadata ?? {})];
  const given = typeof body.messages === 'string' ? { role: 'user', content: body.messages } : body.messages;
  const messages = [given].flat().filter(({ role }) => role !== 'system');
  const { rules } = services;
  if (body.infer !== false) {
    const { adviser, talkLimit: limit } = services.memory();
    const turns = messages.map(({ role, content }) => ({ role, text: content }));
    const options = { source: sourceOf(identity, 'harvest'), rules, adviser, limit };
    const { proposals } = await harvest(memory, { turns, dryRun: false }, options);
    return { results: proposals.map(({ value }) => ({ memory: value, event: 'PROPOSED' })) };
  }
  // All are checked before the first is stored.
  const facts = messages.map(({ content }) =>
    validateFact({ key: PREFIX + randomUUID(), value: content, tags, if_version: 0 }, rules),
  );
  const source = sourceOf(identity, SURFACE);
  const results = [];
  for (const fact of facts) {
    const { status } = await rememberFact(memory, fact, {
      source,
      proposeOnly: mayOnlyPropose(identity.scopes),
    });
    const shown = { memory: fact.value, event: status === 'active' ? 'ADD' : status.toUpperCase() };
    results.push(
      status === 'active'
        ? { ...memoryView(await readFact(memory, fact.key), callerName(identity.caller)), ...shown }
        : shown,
    );
  }
  return { results };
}

/** The caller's memories that have all of these tags, newest first. */
async function memoriesWith(services: Mem0Services, memory: Memory, tag: readonly string[]) {
  const page = { limit: MAX_FACTS, sort: 'updated' as const };
  return memory.limits.readLarge(memory.directory.idOf(memory.caller), () =>
    services.memory().recall.list(memory, { prefix: PREFIX, tag }, page),
  );
}

async function list(services: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const body = parsed(listBody, c.req.method === 'GET' ? c.req.query() : ((await optionalJsonBody(c)) ?? {}));
  const passes = filterOf(identity, body.filters);
  const size = wholeNumber(
    c.req.query('page_size') ?? c.req.query('top_k') ?? c.req.query('limit'),
    DEFAULT_PAGE,
  );
  const start = (wholeNumber(c.req.query('page'), 1) - 1) * size;
  const facts = (await memoriesWith(services, memory, tagsOf(identity, body))).facts.filter(passes);
  const user = callerName(identity.caller);
  const results = facts.slice(start, start + size).map((fact) => memoryView(fact, user));
  return { count: facts.length, next: null, previous: null, results };
}

function wholeNumber(value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (/^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_PAGE) return Number(value);
  throw invalid(`Pages and their sizes are whole numbers from 1 to ${MAX_PAGE}.`);
}

async function search(services: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const startMs = performance.now();
  const body = parsed(searchBody, await jsonBody(c));
  const passes = filterOf(identity, body.filters);
  const request = {
    text: body.query,
    limit: Math.min(body.top_k ?? body.limit ?? DEFAULT_TOP_K, 100),
    tag: tagsOf(identity, body),
    where: (document: Document) => document.key.startsWith(PREFIX) && passes(factView(memory, document)),
  };
  const { recall, recallLog } = services.memory();
  const user = callerName(identity.caller);
  return recall.search(memory, request, async ({ hits }) => {
    const found = hits.filter(({ score }) => score >= (body.threshold ?? 0));
    memory.recallCounts.add(memory.caller, factKeysOf(found));
    const source = sourceOf(identity, SURFACE);
    recallLog.add(memory.caller, {
      question: body.query,
      tookMs: performance.now() - startMs,
      source,
      hits: found,
    });
    return {
      results: found.map(({ document, score }) => ({
        ...memoryView(factView(memory, document), user),
        score,
      })),
    };
  });
}

async function get(_: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  return memoryView(await readFact(memory, keyInPath(c)), callerName(identity.caller));
}

async function history(_: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const key = keyInPath(c);
  return historyView(key, await readHistory(memory, key), callerName(identity.caller));
}

async function update({ rules }: Mem0Services, request: RequestContext, memory: Memory) {
  const { c, identity, headers } = request;
  const body = parsed(updateBody, await jsonBody(c));
  const before = await readFact(memory, keyInPath(c));
  const { key, version } = before;
  const tags = body.metadata ? withMetadata(before.tags, body.metadata) : undefined;
  const value = body.text ?? body.data ?? before.value;
  const fact = validateFact({ key, value, tags, if_version: version }, rules);
  const source = sourceOf(identity, SURFACE);
  const { status } = await rememberFact(memory, fact, {
    source,
    proposeOnly: mayOnlyPropose(identity.scopes),
  });
  if (status !== 'active') return new Response(JSON.stringify({ message: WAITS }), { status: 202, headers });
  const updated = memoryView(await readFact(memory, key), callerName(identity.caller));
  return { message: 'Memory updated successfully!', ...updated };
}

async function remove(services: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const deleted = await forget(memory, { type: 'fact', name: keyInPath(c) });
  if (deleted === 0) throw new AppError('not_found', 'There is no memory with this id.');
  await recordDelete(services, identity, deleted);
  return { message: 'Memory deleted successfully!' };
}

/** As in mem0, a request that names nobody deletes nothing. */
async function removeAll(services: Mem0Services, { c, identity }: RequestContext, memory: Memory) {
  const named = parsed(listBody, c.req.query());
  const tags = tagsOf(identity, named);
  if (tags.length === 0 && !named.user_id)
    throw invalid('Say whose memories to delete: user_id, agent_id, run_id or app_id.');
  const { facts } = await memoriesWith(services, memory, tags);
  let deleted = 0;
  for (const { key } of facts) deleted += await forget(memory, { type: 'fact', name: key });
  await recordDelete(services, identity, deleted);
  return { message: 'Memories deleted successfully!' };
}

const keyInPath = (c: RequestContext['c']) => validKey(keyOf(c.req.param('id') ?? ''));

/** Records a deletion in the access audit: a count, and nothing of what was deleted. */
async function recordDelete(
  services: Mem0Services,
  { caller }: RequestContext['identity'],
  deleted: number,
): Promise<void> {
  if (deleted === 0) return; // otherwise repeated calls could fill the audit
  const name = fullCallerName(caller);
  const who = { actor: name, target: name, tenant: caller.tenant };
  await services.memory().audit.record({ action: 'forget', ...who, detail: `mem0: ${deleted} deleted` });
}
