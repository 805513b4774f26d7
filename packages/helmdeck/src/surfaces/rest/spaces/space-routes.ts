import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { AccessAction } from '../../../memory/access-audit.ts';
import { eraseMemory } from '../../../memory/erase/erase-memory.ts';
import { asObject, validKey } from '../../../memory/facts/validate-fact.ts';
import { inboxCounts } from '../../../memory/gate/inbox.ts';
import { QUOTA_KINDS } from '../../../memory/limits.ts';
import { createMemory } from '../../../memory/memory.ts';
import { mayOnlyPropose } from '../../../memory/scopes.ts';
import { enterSpace } from '../../../memory/spaces/enter-space.ts';
import { ownProposals } from '../../../memory/spaces/own-proposals.ts';
import { promoteFact } from '../../../memory/spaces/promote-fact.ts';
import { type GrantedSpace, includesRole, type Space, validSlug } from '../../../memory/spaces/space.ts';
import { createSpaceMemory } from '../../../memory/spaces/space-memory.ts';
import type { SpaceQuota } from '../../../memory/spaces/spaces.ts';
import { isoMs } from '../../../memory/times.ts';
import { sourceOf } from '../../http/auth.ts';
import { jsonBody } from '../../http/body.ts';
import { namedCaller, recordAccess } from '../access.ts';
import { choiceQuery, keyInPath } from '../input.ts';
import type { Call, Route } from '../route.ts';
import {
  addSpaceInput,
  changeSpaceInput,
  erasedSpaceResponse,
  ownProposalsResponse,
  promoteInput,
  promoteResponse,
  promotionProposed,
  spaceResponse,
  spacesResponse,
} from '../schemas/space-schemas.ts';
import { assertTenantAdmin, managedSpace, spaceOfRequest } from './space-access.ts';

const SPACES = '/api/v1/spaces';
const FACTS = '/api/v1/memory/facts/';

/** Spaces themselves, what somebody proposed to one, and copying facts into one. */
export const spaceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: SPACES,
    tag: 'Spaces',
    operationId: 'listSpaces',
    summary: 'The spaces that you have access to, and your role in each',
    scope: 'memory:read',
    query: z.object({ all: z.enum(['0', '1']).optional().describe('admins: 1 for every space; audited') }),
    response: spacesResponse,
    async handler(call) {
      const { services, identity } = call;
      const { spaces } = services.memory();
      const granted = spaces.list(identity);
      if (choiceQuery(call, 'all', ['0', '1']) !== '1')
        return { spaces: await Promise.all(granted.map((each) => spaceView(call, each))) };
      assertTenantAdmin(identity);
      await recordAccess(services, identity.caller, { action: 'space.list' });
      const roles = new Map(granted.map(({ space, role }) => [space.rowId, role]));
      const all = await spaces.all(identity.caller.tenant);
      return {
        spaces: await Promise.all(
          all.map((space) => spaceView(call, { space, role: roles.get(space.rowId) ?? null })),
        ),
      };
    },
  },
  {
    method: 'POST',
    path: SPACES,
    tag: 'Spaces',
    operationId: 'addSpace',
    summary: 'Make a space, for yourself or another owner',
    scope: 'admin',
    status: 201,
    body: addSpaceInput,
    response: spaceResponse,
    async handler(call) {
      const { services, identity } = call;
      assertTenantAdmin(identity);
      const body = asObject(await jsonBody(call.c), ['slug', 'owner', 'quota_facts', 'quota_bytes']);
      const slug = validSlug(body.slug);
      if (body.owner !== undefined && typeof body.owner !== 'string')
        throw new AppError('invalid_input', 'owner must be a string.', { reason: 'bad_type' });
      const owner =
        body.owner === undefined ? identity.caller : namedCaller(services, identity, body.owner, 'owner');
      const { spaces } = services.memory();
      const space = await spaces.create({ slug, owner, ...quotaIn(body) });
      await audit(call, 'space.add', slug);
      const role = spaces.find(identity, slug)?.role ?? null;
      return spaceView(call, { space, role });
    },
  },
  {
    method: 'GET',
    path: `${SPACES}/{slug}`,
    tag: 'Spaces',
    operationId: 'getSpace',
    summary: 'A space: your role, its use and its quota',
    scope: 'memory:read',
    response: spaceResponse,
    errors: ['unknown_space'],
    handler: async (call) => spaceView(call, await spaceOfRequest(call)),
  },
  {
    method: 'PATCH',
    path: `${SPACES}/{slug}`,
    tag: 'Spaces',
    operationId: 'updateSpace',
    summary: 'Change the quota of a space',
    scope: 'admin',
    body: changeSpaceInput,
    response: spaceResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const quota = quotaIn(asObject(await jsonBody(call.c), ['quota_facts', 'quota_bytes']));
      const found = await spaceOfRequest(call);
      const space = await call.services.memory().spaces.change(found.space, quota);
      await audit(call, 'space.change', space.slug, Object.keys(quota).join(', '));
      return spaceView(call, { ...found, space });
    },
  },
  {
    method: 'DELETE',
    path: `${SPACES}/{slug}`,
    tag: 'Spaces',
    operationId: 'eraseSpace',
    summary: 'Erase a space with everything in it; answers with a signed receipt',
    scope: 'spaces:write',
    response: erasedSpaceResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const { spaces, parts, signer } = call.services.memory();
      // Closed first: if the erase is interrupted, nobody gets in any more, and it can be erased again.
      const space = await spaces.close((await managedSpace(call, { evenErasing: true })).space);
      const memory = createSpaceMemory(parts, { space, role: 'owner' }, spaces);
      const receipt = await eraseMemory(memory, signer);
      await spaces.remove(space);
      await audit(call, 'space.erase', space.slug, `receipt ${receipt.receipt_id}`);
      return { slug: space.slug, id: space.caller.space, deleted: receipt.rows, receipt };
    },
  },
  {
    method: 'GET',
    path: `${SPACES}/{slug}/proposals`,
    tag: 'Spaces',
    operationId: 'listOwnProposals',
    summary: 'What you proposed to a space, and what became of it',
    scope: 'memory:read',
    response: ownProposalsResponse,
    errors: ['unknown_space'],
    async handler(call) {
      const { services, identity } = call;
      const { spaces, parts } = services.memory();
      const granted = await spaceOfRequest(call);
      const { role } = granted;
      if (role === null) return { proposals: [] };
      const by = await spaces.aliasOf(granted.space, identity.caller);
      const memory = createSpaceMemory(parts, { space: granted.space, role }, { by, nameOf: spaces.nameOf });
      return memory.limits.readLarge(parts.directory.idOf(memory.caller), async () => ({
        proposals: await ownProposals(memory),
      }));
    },
  },
  {
    method: 'POST',
    path: `${FACTS}{key}/promote`,
    tag: 'Spaces',
    operationId: 'promoteFact',
    summary: 'Copy one of your own facts into a space; a proposer’s copy waits in its inbox',
    scope: 'memory:read',
    body: promoteInput,
    response: promoteResponse,
    otherResponse: { status: 202, schema: promotionProposed },
    errors: ['not_found', 'unknown_space', 'secret_detected', 'quota_exceeded', 'rate_limited'],
    async handler(call) {
      const { services, identity } = call;
      const key = validKey(keyInPath(call.c, FACTS, '/promote'));
      const { space: slug } = asObject(await jsonBody(call.c), ['space']);
      const space = await enterSpace(services.memory(), identity, validSlug(slug), 'proposer');
      const { parts, adviser } = services.memory();
      const answer = await promoteFact(createMemory(parts, identity.caller), space, key, {
        source: sourceOf(identity, services.surface),
        rules: services.rules,
        proposeOnly: mayOnlyPropose(identity.scopes),
        adviser,
      });
      const { promotedFrom, ...rest } = answer;
      if (rest.status === 'declined') return rest;
      const { version, atMs, by } = promotedFrom;
      const promoted_from = { version, at: isoMs(atMs), by: space.seat!.nameOf(by) };
      const body = { ...rest, space: slug, promoted_from };
      if (answer.status === 'active') return body;
      return new Response(JSON.stringify(body), { status: 202, headers: call.headers });
    },
  },
];

async function spaceView(
  { services }: Call,
  { space, role }: Omit<GrantedSpace, 'role'> & { role: GrantedSpace['role'] | null },
) {
  const { parts, spaces } = services.memory();
  const ns = parts.directory.idOf(space.caller);
  const usage = await parts.store.usage(parts.now(), ns);
  const mayReview = role !== null && includesRole(role, 'writer');
  return {
    id: space.caller.space,
    slug: space.slug,
    role,
    created_at: isoMs(space.createdMs),
    usage: {
      facts: usage.reduce((sum, { kind, rows }) => sum + (QUOTA_KINDS.includes(kind) ? rows : 0), 0),
      bytes: usage.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    quota: { facts: space.quotaFacts ?? null, bytes: space.quotaBytes ?? null },
    ...(mayReview ? { inbox: await inboxCounts(createSpaceMemory(parts, { space, role }, spaces)) } : {}),
  };
}

function quotaIn(body: Record<string, unknown>): SpaceQuota {
  const number = (name: 'quota_facts' | 'quota_bytes') => {
    const value = body[name];
    if (value === undefined || value === null) return value;
    if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
    throw new AppError('invalid_input', `${name} must be a whole number above 0, or null.`, {
      reason: 'bad_type',
    });
  };
  return { quotaFacts: number('quota_facts'), quotaBytes: number('quota_bytes') };
}

const audit = (call: Call, action: AccessAction, slug: Space['slug'], detail?: string) =>
  recordAccess(call.services, call.identity.caller, { action, target: `space ${slug}`, detail });
