import { AppError } from '../../errors.ts';
import { parseScope } from '../../memory/erase/forget.ts';
import { forgetOnRequest } from '../../memory/erase/forget-request.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import { callerName } from '../../memory/namespace.ts';
import { jsonBody } from '../http/body.ts';
import { memoryFor, noteAccess } from './access.ts';
import type { Call, Route } from './route.ts';
import { forgetAnswer, forgetInput } from './schemas/fact-schemas.ts';

/** Leaves a trace of a deleted fact: a count, nothing that was forgotten. */
export async function noteDelete(call: Call, deleted: number): Promise<void> {
  if (deleted === 0) return; // nothing happened, and it can be asked for without end
  const { caller } = call.identity;
  const event = { action: 'forget', target: callerName(caller), detail: `key: ${deleted} deleted` };
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
      if (body.confirm !== undefined && typeof body.confirm !== 'boolean') {
        throw new AppError('invalid_input', 'confirm must be true or false.', { reason: 'bad_type' });
      }
      if (body.caller !== undefined && typeof body.caller !== 'string') {
        throw new AppError('invalid_input', 'caller must be a string.', { reason: 'bad_type' });
      }
      parseScope(body.scope); // a scope that does not exist is refused before anybody is named
      const memory = memoryFor(call.services, call.identity, body.caller);
      return forgetOnRequest(call.services.memory(), memory, body.scope, call.identity.caller);
    },
  },
];
