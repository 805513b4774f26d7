import { z } from 'zod';
import { AppError, errorEnvelope, toAppError } from '../../../errors.ts';
import { asObject } from '../../../memory/facts/validate-fact.ts';
import { acceptProposal, rejectProposal } from '../../../memory/gate/decisions.ts';
import { listInbox } from '../../../memory/gate/inbox.ts';
import type { Memory } from '../../../memory/memory.ts';
import { memoryName } from '../../../memory/spaces/space-memory.ts';
import { jsonBody, optionalJsonBody } from '../../http/body.ts';
import { recordAccess } from '../access.ts';
import { choiceQuery, integerQuery } from '../input.ts';
import type { Call, Route } from '../route.ts';
import {
  acceptInput,
  acceptResponse,
  decideInput,
  decideResponse,
  inboxResponse,
  rejectResponse,
} from '../schemas/inbox-schemas.ts';

const MAX_PAGE = 200;
const DEFAULT_PAGE = 20;
const MAX_DECISIONS = 500;
const STATUSES = ['proposed', 'quarantined'] as const;

/** The inbox: texts that wait for a person, and the person's decisions. */
export const inboxRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/inbox',
    tag: 'Inbox',
    operationId: 'listInbox',
    takesSpace: true,
    summary: 'What waits for a person, newest first; checked again at this moment',
    scope: 'memory:review',
    takesCaller: true,
    query: z.object({
      status: z.enum(STATUSES).optional().describe('absent: both'),
      limit: z.int().min(1).max(MAX_PAGE).optional().describe(`default ${DEFAULT_PAGE}`),
      cursor: z.string().optional(),
    }),
    response: inboxResponse,
    async handler(call) {
      const status = choiceQuery(call, 'status', STATUSES);
      const limit = integerQuery(call, 'limit', { min: 1, max: MAX_PAGE }) ?? DEFAULT_PAGE;
      const memory = await call.memory();
      const { adviser } = call.services.memory();
      const request = { status, limit, cursor: call.query('cursor') };
      // Two whole values a proposal, so one list at a time.
      return memory.limits.readLarge(memory.directory.idOf(memory.caller), () =>
        listInbox(memory, request, { rules: call.services.rules, adviser }),
      );
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/inbox/{proposal}/accept',
    tag: 'Inbox',
    operationId: 'acceptProposal',
    takesSpace: true,
    summary: 'Make a proposal a fact, as it is or with changes',
    scope: 'memory:review',
    body: acceptInput.optional(),
    response: acceptResponse,
    errors: ['not_found', 'conflict', 'secret_detected', 'quota_exceeded', 'rate_limited'],
    async handler(call) {
      const edits = await optionalJsonBody(call.c);
      const memory = await call.memory();
      const answer = await acceptProposal(memory, idInPath(call), edits, call.services.rules);
      await recordDecisions(call, memory, { accepted: 1, rejected: 0 });
      return answer;
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/inbox/{proposal}/reject',
    tag: 'Inbox',
    operationId: 'rejectProposal',
    takesSpace: true,
    summary: 'Decline a proposal; the same text is not proposed again for 180 days',
    scope: 'memory:review',
    response: rejectResponse,
    errors: ['not_found', 'conflict', 'rate_limited'],
    async handler(call) {
      const id = idInPath(call);
      const memory = await call.memory();
      await rejectProposal(memory, id);
      await recordDecisions(call, memory, { accepted: 0, rejected: 1 });
      return { id, status: 'rejected' };
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/inbox/decide',
    tag: 'Inbox',
    operationId: 'decideProposals',
    takesSpace: true,
    summary: `Accept and reject up to ${MAX_DECISIONS} proposals, each on its own`,
    scope: 'memory:review',
    body: decideInput,
    response: decideResponse,
    async handler(call) {
      const memory = await call.memory();
      const body = asObject(await jsonBody(call.c), ['accept', 'reject']);
      const [accept, reject] = [ids(body, 'accept'), ids(body, 'reject')];
      if (accept.length + reject.length > MAX_DECISIONS)
        throw new AppError('invalid_input', `At most ${MAX_DECISIONS} decisions at once.`, {
          reason: 'too_many_proposals',
        });
      const counts = { accepted: 0, rejected: 0 };
      const results: object[] = [];
      const decide = async (id: string, decision: () => Promise<object>) => {
        try {
          results.push({ id, ...(await decision()) });
        } catch (thrown) {
          results.push({ id, ...errorEnvelope(toAppError(thrown), call.requestId) });
        }
      };
      for (const id of accept)
        await decide(id, async () => {
          const { key, version } = await acceptProposal(memory, id, undefined, call.services.rules);
          counts.accepted++;
          return { status: 'accepted', key, version };
        });
      for (const id of reject)
        await decide(id, async () => {
          await rejectProposal(memory, id);
          counts.rejected++;
          return { status: 'rejected' };
        });
      await recordDecisions(call, memory, counts);
      return { results };
    },
  },
];

const idInPath = (call: Call) => call.c.req.param('proposal') ?? '';

function ids(body: Record<string, unknown>, field: 'accept' | 'reject'): string[] {
  const list = body[field] ?? [];
  if (Array.isArray(list) && list.every((id) => typeof id === 'string')) return [...new Set(list)];
  throw new AppError('invalid_input', `${field} must be an array of proposal ids.`, { reason: 'bad_type' });
}

async function recordDecisions(
  { services, identity }: Call,
  memory: Memory,
  { accepted, rejected }: { accepted: number; rejected: number },
): Promise<void> {
  if (accepted + rejected === 0) return;
  const detail = `${accepted} accepted ${rejected} rejected`;
  const target = memory.seat && memoryName(memory);
  await recordAccess(services, identity.caller, { action: 'inbox.decide', target, detail });
}
