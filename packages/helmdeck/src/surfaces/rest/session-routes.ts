import { AppError } from '../../errors.ts';
import {
  endSession,
  findSession,
  listSessions,
  openSession,
  SESSION_POLICY,
} from '../../memory/facts/sessions.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { optionalJsonBody } from '../http/body.ts';
import type { Call, Route } from './route.ts';
import { deletedResponse } from './schemas/fact-schemas.ts';
import { packSessionSchema, packSessionsResponse, sessionInput } from './schemas/pack-schemas.ts';

const sessionId = (call: Call) => call.c.req.param('session') ?? '';
const shared = { tag: 'Packs', scope: 'packs:run' } as const;

/** Sessions: runs in one share working notes. */
export const sessionRoutes: readonly Route[] = [
  {
    ...shared,
    method: 'POST',
    path: '/api/v1/sessions',
    operationId: 'openPackSession',
    summary: 'Begin a session: runs in it share working notes, which end with it',
    errors: ['quota_exceeded', 'rate_limited'],
    status: 201,
    body: sessionInput.optional(),
    response: packSessionSchema,
    async handler(call) {
      const { ttl_seconds } = asObject((await optionalJsonBody(call.c)) ?? {}, ['ttl_seconds']);
      return openSession(await call.memory(), ttlSecondsOf(ttl_seconds));
    },
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/sessions',
    operationId: 'listPackSessions',
    summary: 'Your sessions, the most recently used first',
    response: packSessionsResponse,
    handler: async (call) => ({ sessions: await listSessions(await call.memory()) }),
  },
  {
    ...shared,
    method: 'GET',
    path: '/api/v1/sessions/{session}',
    operationId: 'getPackSession',
    summary: 'One session',
    errors: ['not_found'],
    response: packSessionSchema,
    async handler(call) {
      const session = await findSession(await call.memory(), sessionId(call));
      if (!session) throw new AppError('not_found', 'There is no such session; it may have ended.');
      return session;
    },
  },
  {
    ...shared,
    method: 'DELETE',
    path: '/api/v1/sessions/{session}',
    operationId: 'endPackSession',
    summary: 'End a session with its working notes',
    response: deletedResponse,
    handler: async (call) => ({ deleted: (await endSession(await call.memory(), sessionId(call))) ? 1 : 0 }),
  },
];

function ttlSecondsOf(input: unknown): number | undefined {
  const { minTtlSeconds, maxTtlSeconds } = SESSION_POLICY;
  if (input === undefined) return undefined;
  if (Number.isInteger(input) && (input as number) >= minTtlSeconds && (input as number) <= maxTtlSeconds)
    return input as number;
  const message = `ttl_seconds must be a whole number from ${minTtlSeconds} to ${maxTtlSeconds}.`;
  throw new AppError('invalid_input', message, { reason: 'bad_type' });
}
