import { AppError } from '../../../errors.ts';
import type { Entry } from '../../../memory/entry.ts';
import type { FactPage } from '../../../memory/facts/fact-pages.ts';
import { listEntries, NOTE_POLICY } from '../../../memory/facts/notes.ts';
import type { FactView } from '../../../memory/facts/read-facts.ts';
import { findSession } from '../../../memory/facts/sessions.ts';
import type { Memory } from '../../../memory/memory.ts';
import { enterSpace } from '../../../memory/spaces/enter-space.ts';
import type { SpaceRole } from '../../../memory/spaces/space.ts';
import { isoMs } from '../../../memory/times.ts';
import { confidentFacts, listFacts } from '../fact-routes.ts';
import type { Call } from '../route.ts';
import { TIERS, type Tier } from '../schemas/tier-schemas.ts';

/** The category of what agents lived through. */
export const EPISODIC = 'episodic';
/** The space that is the semantic tier of a tenant. */
const SEMANTIC_SPACE = 'semantic';

/** The keys of an agent's notes and facts begin with this. */
export const agentPrefix = (agent: string): string => `agents/${agent}/`;

interface TierEntry {
  tier: Tier;
  key: string;
  value: string;
  version?: number;
  created_at: string;
  updated_at: string;
  expires_at?: string;
}

interface TierRequest {
  agent: string;
  query: string;
  limit: number;
  cursor: string | undefined;
}

interface TierPage {
  entries: TierEntry[];
  next_cursor?: string;
}

/** The caller's own memory; for the semantic tier the space, if the caller was granted it. */
export async function memoryOfTier(call: Call, tier: Tier, role: SpaceRole): Promise<Memory> {
  if (tier !== 'semantic') return call.memory();
  return enterSpace(call.services.memory(), call.identity, SEMANTIC_SPACE, role);
}

/** The session that the request names, if it does. */
export async function sessionOf(call: Call): Promise<string | undefined> {
  const id = call.query('session_id');
  if (id === undefined) return undefined;
  const session = await findSession(await call.memory(), id);
  if (session) return session.session_id;
  throw new AppError('session_unavailable', 'There is no such session; it may have ended.', {
    reason: 'session_not_found',
  });
}

/** The newest of each tier; of the semantic one only if the caller may read it. */
export async function readTiers(call: Call, request: TierRequest): Promise<TierPage> {
  if (request.cursor !== undefined)
    throw new AppError('invalid_input', 'A cursor needs the tier that it belongs to.', {
      reason: 'bad_cursor',
    });
  const { spaces } = call.services.memory();
  const readable = TIERS.filter((tier) => tier !== 'semantic' || spaces.find(call.identity, SEMANTIC_SPACE));
  const pages = await Promise.all(readable.map((tier) => readTier(call, tier, request)));
  return { entries: pages.flatMap(({ entries }) => entries) };
}

export async function readTier(call: Call, tier: Tier, request: TierRequest): Promise<TierPage> {
  const memory = await memoryOfTier(call, tier, 'reader');
  switch (tier) {
    case 'working':
      return pageOf(await workingNotes(memory, request.agent, await sessionOf(call)), request);
    case 'procedural':
      return pageOf(await procedures(call, memory), request);
    case 'episodic':
    case 'semantic': {
      const filter = tier === 'semantic' ? {} : { prefix: agentPrefix(request.agent), category: EPISODIC };
      const { query, limit, cursor } = request;
      const page: FactPage =
        query === ''
          ? await listFacts(call, memory, filter, { limit, cursor, sort: 'updated' })
          : await confidentFacts(call, memory, query, filter, { limit, cursor });
      const prefix = filter.prefix ?? '';
      const { facts, ...rest } = page;
      return { ...rest, entries: facts.map((fact) => factEntry(tier, fact, prefix)) };
    }
  }
}

function factEntry(tier: Tier, fact: FactView, prefix: string): TierEntry {
  const { key, value, version, created_at, updated_at, expires_at } = fact;
  return { tier, key: key.slice(prefix.length), value, version, created_at, updated_at, expires_at };
}

async function workingNotes(
  memory: Memory,
  agent: string,
  session: string | undefined,
): Promise<TierEntry[]> {
  const prefix = agentPrefix(agent);
  const notes = await listEntries(memory, prefix, NOTE_POLICY.maxListed, session);
  return notes
    .filter(({ kind }) => kind === 'note')
    .map(({ key, value, createdMs, updatedMs, expiresMs }: Entry) => ({
      tier: 'working',
      key: key.slice(prefix.length),
      value,
      created_at: isoMs(createdMs),
      updated_at: isoMs(updatedMs),
      ...(expiresMs === null ? {} : { expires_at: isoMs(expiresMs) }),
    }));
}

/** Pipelines, promoted procedures among them. */
async function procedures({ services }: Call, memory: Memory): Promise<TierEntry[]> {
  const pipelines = await services.pipelines.list(memory);
  return pipelines.map(({ id, version, created_at, updated_at, ...definition }) => ({
    tier: 'procedural',
    key: id,
    value: JSON.stringify(definition),
    version,
    created_at,
    updated_at,
  }));
}

/** A page of entries that have all words of the query. */
function pageOf(all: readonly TierEntry[], { query, limit, cursor }: TierRequest): TierPage {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ key, value }) => {
    const text = `${key} ${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0)
    throw new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });
  const end = start + limit;
  return { entries: found.slice(start, end), ...(found.length > end ? { next_cursor: String(end) } : {}) };
}
