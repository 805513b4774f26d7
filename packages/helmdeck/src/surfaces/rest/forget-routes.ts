import { AppError } from '../../errors.ts';
import { asObject } from '../../memory/facts.ts';
import { forget, parseScope, scopeForm } from '../../memory/forget.ts';
import { callerName } from '../../memory/namespace.ts';
import { eraseMemory } from '../../memory/receipts.ts';
import { memoryFor, noteAccess } from './access.ts';
import { jsonBody } from './input.ts';
import type { Call, Route } from './route.ts';
import { forgetAnswer, forgetInput } from './schemas.ts';

/** Leaves a trace of a forget: the form of its scope and a count, nothing that was forgotten. */
export async function noteForget(call: Call, form: string, deleted: number, target?: string): Promise<void> {
  if (form === 'key:' && deleted === 0) return; // nothing happened, and it can be asked for without end
  const { caller } = call.identity;
  const event = {
    action: 'forget',
    target: target ?? callerName(caller),
    detail: `${form} ${deleted} deleted`,
  };
  await noteAccess(call.services, caller, event);
}

export const forgetRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/memory/forget',
    tag: 'Forget',
    summary: 'Forget by scope; erase destroys everything and answers with a signed receipt',
    scope: 'memory:write',
    body: forgetInput,
    response: forgetAnswer,
    async handler(call) {
      const body = asObject(await jsonBody(call.c), ['scope', 'confirm', 'caller']);
      const scope = parseScope(body.scope);
      if (body.confirm !== undefined && typeof body.confirm !== 'boolean') {
        throw new AppError('invalid_input', 'confirm must be true or false.', { reason: 'bad_type' });
      }
      if (body.caller !== undefined && typeof body.caller !== 'string') {
        throw new AppError('invalid_input', 'caller must be a string.', { reason: 'bad_type' });
      }
      const memory = memoryFor(call.services, call.identity, body.caller);
      if (scope.type === 'erase') {
        const receipt = await eraseMemory(memory, call.services.memory().signer);
        const event = { target: callerName(memory.caller), detail: `receipt ${receipt.receipt_id}` };
        await noteAccess(call.services, call.identity.caller, { action: 'erase', ...event });
        return { scope: body.scope, deleted: receipt.rows, receipt };
      }
      const deleted = await forget(memory, scope);
      await noteForget(call, scopeForm(scope), deleted, callerName(memory.caller));
      return { scope: body.scope, deleted };
    },
  },
];
