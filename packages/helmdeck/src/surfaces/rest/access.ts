import { AppError } from '../../errors.ts';
import type { AccessEvent } from '../../memory/access-audit.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { type Caller, fullCallerName, identityProblem } from '../../memory/namespace.ts';
import { enterSpace, type NamedMemory, namedMemories } from '../../memory/spaces/enter-space.ts';
import { type SpaceRole, unknownSpace } from '../../memory/spaces/space.ts';
import { createSpaceMemory } from '../../memory/spaces/space-memory.ts';
import type { HttpRoute } from '../http/app.ts';
import { type Identity, isAdmin, type Scope } from '../http/auth.ts';
import { isFromPage } from '../http/authenticate.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Call, RestServices, UndocumentedRoute } from './route.ts';

/** Rejects `?space=` and `?spaces=` where they have no effect: ignored, they would return the caller's own data instead. */
export function assertMayNameSpace({ c }: RequestContext, route: UndocumentedRoute): void {
  if (!route.path.startsWith('/api/v1/')) return;
  for (const [name, isTaken] of [
    ['space', route.takesSpace],
    ['spaces', route.takesSpaces],
  ] as const) {
    if (c.req.query(name) === undefined) continue;
    if (!isTaken)
      throw new AppError('invalid_input', `${name} is not a parameter of this route.`, {
        reason: 'unknown_field',
      });
    if (c.req.queries(name)!.length > 1)
      throw new AppError('invalid_input', `${name} is given more than once.`, { reason: 'bad_type' });
  }
  if (c.req.query('space') !== undefined && c.req.query('caller') !== undefined)
    throw new AppError('invalid_input', 'space and caller name two memories.', { reason: 'bad_type' });
}

/** Rejects `?caller=` where it is not allowed or has no effect: ignored, it would return the caller's own data instead. */
export function assertMayNameCaller({ c, identity }: RequestContext, route: UndocumentedRoute): void {
  if (!route.path.startsWith('/api/v1/') || c.req.query('caller') === undefined) return;
  if (route.scope !== 'public') assertMayActForOthers(identity);
  if (!route.takesCaller) {
    throw new AppError('invalid_input', 'caller is not a parameter of this route.', {
      reason: 'unknown_field',
    });
  }
  if (c.req.queries('caller')!.length > 1)
    throw new AppError('invalid_input', 'caller is given more than once.', { reason: 'bad_type' });
}

/** Only admins may; the anonymous caller while auth is off has nothing but its own namespace. */
function assertMayActForOthers(identity: Identity): void {
  if (isAdmin(identity) && identity.caller.subject !== undefined) return;
  throw new AppError('insufficient_scope', 'Only an admin may name another caller.');
}

/** The caller's own memory or, for an admin, that of `subject`; the call site records that access in the audit. */
export function memoryFor(services: RestServices, identity: Identity, subject: string | undefined): Memory {
  const { parts } = services.memory();
  if (subject === undefined) return createMemory(parts, identity.caller);
  assertMayActForOthers(identity);
  return createMemory(parts, namedCaller(services, identity, subject, 'caller'));
}

/** The role in a space that a route needs, by the scope that it needs of a token. */
const ROLE_OF_SCOPE: Partial<Record<HttpRoute['scope'], SpaceRole>> = {
  'memory:read': 'reader',
  'memory:propose': 'proposer',
  'memory:write': 'writer',
  'memory:review': 'writer',
};

/** What a request works on: the caller's own memory, a space that it names, or for an admin somebody else's. */
export async function memoryOfRequest(call: Call, route: UndocumentedRoute): Promise<Memory> {
  const { services, identity } = call;
  const slug = route.takesSpace ? call.query('space') : undefined;
  const subject = route.takesCaller ? call.query('caller') : undefined;
  if (slug === undefined) {
    const memory = memoryFor(services, identity, subject);
    if (subject !== undefined)
      await recordAccess(services, identity.caller, { action: 'read', target: subject, detail: route.path });
    return memory;
  }
  const needed = ROLE_OF_SCOPE[route.scope as Scope] ?? 'owner';
  if (!route.takesCaller || !mayLookIntoSpaces(identity) || services.memory().spaces.find(identity, slug))
    return enterSpace(services.memory(), identity, slug, needed);
  return lookIntoSpace(call, slug, route.path);
}

const mayLookIntoSpaces = (identity: Identity) => isAdmin(identity) && identity.spaces === undefined;

/** An admin may read a space without a grant, as a caller's memory; both are in the audit. */
async function lookIntoSpace({ services, identity }: Call, slug: string, path: string): Promise<Memory> {
  const { spaces, parts } = services.memory();
  const space = (await spaces.all(identity.caller.tenant)).find(
    (each) => each.slug === slug && !each.erasing,
  );
  if (!space) throw unknownSpace();
  await recordAccess(services, identity.caller, { action: 'read', target: `space ${slug}`, detail: path });
  return createSpaceMemory(parts, { space, role: 'reader' }, { nameOf: spaces.nameOf });
}

/** Whether an open stream of a space may go on. An admin who looks into it has no grant that could end. */
export function mayStillRead(services: RestServices, identity: Identity, slug: string): boolean {
  return mayLookIntoSpaces(identity) || services.memoryIfOn()?.spaces.find(identity, slug) !== undefined;
}

/** Several memories to search, each under the name that its hits are labelled with; `undefined` if one is searched. */
export async function memoriesOfRequest(call: Call): Promise<NamedMemory[] | undefined> {
  const { services, identity } = call;
  const text = call.query('spaces');
  if (text === undefined) return undefined;
  if (call.query('space') !== undefined || call.query('caller') !== undefined)
    throw new AppError('invalid_input', 'spaces cannot be combined with space or caller.', {
      reason: 'bad_type',
    });
  return namedMemories(services.memory(), identity, text);
}

/** The caller of this name in the tenant of the one who names it. */
export function namedCaller(
  services: RestServices,
  { caller }: Identity,
  name: string,
  field: 'caller' | 'subject' | 'owner' | 'principal',
): Caller & { subject: string } {
  const named = services.callerNamed(name, caller.tenant);
  const subject = named.subject!;
  const problem = identityProblem('sub', subject);
  if (problem)
    throw new AppError('invalid_input', `${field} is invalid: ${problem}.`, { reason: 'bad_type' });
  return { ...named, subject };
}

/** Whether what this request is given counts as recalled: not what a person sees in the web UI, nor an admin's look. */
export const countsAsRecall = (call: Call) => call.query('caller') === undefined && !isFromPage(call.c);

/** Appends to the access audit: actor, action and target, never a key or a value. */
export async function recordAccess(
  services: RestServices,
  actor: Caller,
  event: Pick<AccessEvent, 'action' | 'target' | 'detail'>,
): Promise<void> {
  await services.memoryIfOn()?.audit.record({ ...event, actor: fullCallerName(actor), tenant: actor.tenant });
}
