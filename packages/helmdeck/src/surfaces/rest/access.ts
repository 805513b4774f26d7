import { AppError } from '../../errors.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { type Caller, callerName, identityProblem } from '../../memory/namespace.ts';
import { type Identity, isAdmin } from '../http/auth.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { RestServices, Route } from './route.ts';

/** `?caller=` is obeyed or refused, never overlooked: who names somebody must not get an answer about themselves. */
export function assertMayNameCaller({ c, identity }: RequestContext, route: Route): void {
  if (!route.path.startsWith('/api/v1/') || c.req.query('caller') === undefined) return;
  if (route.scope !== 'public') assertNamesCallers(identity);
  if (!route.takesCaller) {
    throw new AppError('invalid_input', 'caller is not a parameter of this route.', {
      reason: 'unknown_field',
    });
  }
  if (c.req.queries('caller')!.length > 1)
    throw new AppError('invalid_input', 'caller is given more than once.', { reason: 'bad_type' });
}

/** Admins may; the anonymous caller of a server without auth is nobody, and stays with its own. */
function assertNamesCallers(identity: Identity): void {
  if (isAdmin(identity) && identity.caller.subject !== undefined) return;
  throw new AppError('insufficient_scope', 'Only an admin may name another caller.');
}

/** The memory a request is about. Naming another caller is for admins; whoever asks for it also notes it. */
export function memoryFor(services: RestServices, identity: Identity, subject: string | undefined): Memory {
  const { parts } = services.memory();
  if (subject === undefined) return createMemory(parts, identity.caller);
  assertNamesCallers(identity);
  const problem = identityProblem('sub', subject);
  if (problem) {
    throw new AppError('invalid_input', `caller cannot be this: ${problem}.`, { reason: 'bad_type' });
  }
  return createMemory(parts, { ...identity.caller, subject });
}

/** Leaves a trace in the access audit: who did what to whom, never a key or a value. */
export async function noteAccess(
  services: RestServices,
  actor: Caller,
  event: { action: string; target?: string; detail?: string },
): Promise<void> {
  await services.memoryIfOn()?.audit.record({ ...event, actor: callerName(actor), tenant: actor.tenant });
}
