import { AppError } from '../../../errors.ts';
import { forget } from '../../../memory/erase/forget.ts';
import { deleteNote, storeNote } from '../../../memory/facts/notes.ts';
import { findSession } from '../../../memory/facts/sessions.ts';
import { asObject, validKey } from '../../../memory/facts/validate-fact.ts';
import { isoMs } from '../../../memory/times.ts';
import { assertScope } from '../../http/auth.ts';
import { jsonBody } from '../../http/body.ts';
import { storeFact } from '../fact-routes.ts';
import { recordDelete } from '../forget-routes.ts';
import { choiceQuery, integerQuery, keyInPath } from '../input.ts';
import type { Call, Route } from '../route.ts';
import { deletedResponse } from '../schemas/fact-schemas.ts';
import { TIERS, type Tier, tierInput, tierPage, tierQuery, tierStored } from '../schemas/tier-schemas.ts';
import { agentPrefix, EPISODIC, memoryOfTier, readTier, readTiers, sessionOf } from './tiers.ts';

const MEMORY = '/api/v1/memory/';
const AGENT = /^[A-Za-z0-9._-]{1,64}$/;
const DAY_SECONDS = 86_400;
const EPISODIC_SECONDS = 30 * DAY_SECONDS;
const FIELDS = ['tier', 'key', 'value', 'ttl_seconds', 'session_id', 'embedding'];

/** The words of other routes in the place of an agent: as an agent's name each would be read as one or the other. */
export function memoryWords(routes: readonly Pick<Route, 'path'>[]): ReadonlySet<string> {
  const words = routes
    .filter(({ path }) => path.startsWith(MEMORY))
    .map(({ path }) => path.slice(MEMORY.length).split('/', 1)[0]!);
  return new Set(words.filter((word) => !word.includes('{')));
}

/** Memory by agent and tier, over the caller's notes, facts and pipelines and the space `semantic`. */
export function tierRoutes(reserved: ReadonlySet<string>): readonly Route[] {
  const agentOf = (call: Call): string => {
    const agent = call.c.req.param('agent_id') ?? '';
    if (reserved.has(agent))
      throw new AppError('invalid_input', `"${agent}" is a route of this API and no agent.`, {
        reason: 'reserved_agent',
        hint: 'Use another name for the agent, or one of the methods of that route.',
      });
    if (AGENT.test(agent)) return agent;
    throw new AppError('invalid_input', 'An agent is 1 to 64 of A–Z a–z 0–9 . _ -', { reason: 'bad_agent' });
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/memory/{agent_id}',
      tag: 'Tiers',
      operationId: 'readTier',
      summary: 'What an agent of yours remembers, by tier',
      scope: 'memory:read',
      errors: ['unknown_space'],
      query: tierQuery,
      response: tierPage,
      async handler(call) {
        const agent = agentOf(call);
        const tier = choiceQuery(call, 'tier', TIERS);
        const limit = integerQuery(call, 'limit', { min: 1, max: 200 }) ?? 50;
        const page = { agent, query: call.query('query')?.trim() ?? '', limit, cursor: call.query('cursor') };
        return {
          agent_id: agent,
          ...(tier ? await readTier(call, tier, page) : await readTiers(call, page)),
        };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/memory/{agent_id}',
      tag: 'Tiers',
      operationId: 'writeTier',
      summary: 'Let an agent of yours remember something in a tier',
      scope: 'memory:propose',
      errors: ['secret_detected', 'quota_exceeded', 'rate_limited', 'unknown_space', 'session_unavailable'],
      body: tierInput,
      response: tierStored,
      otherResponse: { status: 202, schema: tierStored },
      async handler(call) {
        const agent = agentOf(call);
        const body = asObject(await jsonBody(call.c), FIELDS);
        const tier = tierOf(body.tier);
        assertWritable(tier);
        assertEmbedding(body.embedding);
        const stored = await write(call, agent, tier, body);
        const answer = { agent_id: agent, tier, key: body.key, ...stored };
        if (stored.status !== 'proposed' && stored.status !== 'quarantined') return answer;
        return new Response(JSON.stringify(answer), { status: 202, headers: call.headers });
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/memory/{agent_id}/{key}',
      tag: 'Tiers',
      operationId: 'deleteFromTier',
      summary: 'Delete an entry from a tier of an agent of yours',
      scope: 'memory:write',
      errors: ['rate_limited', 'unknown_space'],
      query: tierQuery.pick({ tier: true, session_id: true }).required({ tier: true }),
      response: deletedResponse,
      async handler(call) {
        const agent = agentOf(call);
        const tier = tierOf(call.query('tier'));
        assertWritable(tier);
        const key = validKey(keyInPath(call.c, `${MEMORY}${agent}/`));
        const memory = await memoryOfTier(call, tier, 'writer');
        if (tier === 'working') {
          const deleted = await deleteNote(memory, agentPrefix(agent) + key, await sessionOf(call));
          return { deleted: Number(deleted) };
        }
        const name = tier === 'episodic' ? agentPrefix(agent) + key : key;
        const deleted = await forget(memory, { type: 'fact', name });
        await recordDelete(call, memory, deleted);
        return { deleted };
      },
    },
  ];
}

function tierOf(given: unknown): Tier {
  const tier = TIERS.find((each) => each === given);
  if (tier) return tier;
  throw new AppError('invalid_input', `tier must be one of ${TIERS.join(', ')}.`, { reason: 'bad_type' });
}

function assertWritable(tier: Tier): void {
  if (tier !== 'procedural') return;
  throw new AppError('method_not_allowed', 'The procedural tier can only be read.', {
    hint: 'Define a pipeline, or promote a candidate at /api/v1/procedures/candidates.',
  });
}

function assertEmbedding(given: unknown): void {
  if (given === undefined) return;
  if (Array.isArray(given) && given.length <= 8_192 && given.every((each) => Number.isFinite(each))) return;
  throw new AppError('invalid_input', 'embedding must be a list of at most 8192 numbers.', {
    reason: 'bad_type',
  });
}

async function write(call: Call, agent: string, tier: Tier, body: Record<string, unknown>) {
  const { value, ttl_seconds, session_id } = body;
  const key = validKey(body.key);
  // Ignored, it would leave a note that outlives the session.
  if (call.query('session_id') !== undefined)
    throw new AppError('invalid_input', 'session_id is not a query parameter here.', {
      reason: 'unknown_field',
      hint: 'Put session_id in the body.',
    });
  if (tier !== 'working' && session_id !== undefined)
    throw new AppError('invalid_input', 'session_id belongs to the working tier.', {
      reason: 'unknown_field',
    });
  const memory = await memoryOfTier(call, tier, 'proposer');
  if (tier === 'working') {
    assertScope(call.identity, 'memory:write');
    const ttlSeconds = ttl_seconds === undefined || ttl_seconds === 0 ? DAY_SECONDS : ttl_seconds;
    if (
      typeof ttlSeconds !== 'number' ||
      !Number.isInteger(ttlSeconds) ||
      ttlSeconds < 1 ||
      ttlSeconds > DAY_SECONDS
    )
      throw new AppError('invalid_input', 'ttl_seconds of the working tier must be from 1 to 86400.', {
        reason: 'ttl_too_long',
      });
    const session = session_id === undefined ? undefined : await findSession(memory, String(session_id));
    if (session_id !== undefined && !session)
      throw new AppError('session_unavailable', 'There is no such session; it may have ended.', {
        reason: 'session_not_found',
      });
    const note = { key: agentPrefix(agent) + key, value: value as string, options: { ttlSeconds } };
    await storeNote(memory, call.services.rules, note, session?.session_id);
    return { status: 'active' as const, expires_at: isoMs(memory.now() + ttlSeconds * 1000) };
  }
  const isEpisodic = tier === 'episodic';
  const fact = {
    key: isEpisodic ? agentPrefix(agent) + key : key,
    value,
    ...(isEpisodic ? { category: EPISODIC } : {}),
    ttl_seconds: ttl_seconds || (isEpisodic ? EPISODIC_SECONDS : undefined),
  };
  const given = Object.fromEntries(Object.entries(fact).filter(([, each]) => each !== undefined));
  const stored = await storeFact(call, memory, given, { idempotencyKey: undefined });
  if (stored.status === 'active') return { status: stored.status, expires_at: stored.expires_at };
  if (stored.status === 'declined') return { status: stored.status };
  return { status: stored.status, proposal_id: stored.proposal_id, reason: stored.reason };
}
