import { AppError } from '../../errors.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { type Caller, fullCallerName, identityProblem } from '../../memory/namespace.ts';
import { type Identity, isAdmin } from '../http/auth.ts';
import { isFromPage } from '../http/authenticate.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Call, RestServices, UndocumentedRoute } from './route.ts';

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

/** The caller of this name in the tenant of the one who names it. */
export function namedCaller(
  services: RestServices,
  { caller }: Identity,
  name: string,
  field: 'caller' | 'subject',
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
  event: { action: string; target?: string; detail?: string },
): Promise<void> {
  await services.memoryIfOn()?.audit.record({ ...event, actor: fullCallerName(actor), tenant: actor.tenant });
}
