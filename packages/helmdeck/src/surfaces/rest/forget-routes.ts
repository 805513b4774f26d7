import { AppError } from '../../errors.ts';
import { parseScope } from '../../memory/erase/forget.ts';
import { forgetOnRequest } from '../../memory/erase/forget-request.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { memoryName } from '../../memory/spaces/space-memory.ts';
import { jsonBody } from '../http/body.ts';
import { memoryFor, recordAccess } from './access.ts';
import type { Call, Route } from './route.ts';
import { forgetInput, forgetResponse } from './schemas/fact-schemas.ts';

/** Records the deletion of a fact in the access audit: a count, and nothing of what was deleted. */
export async function recordDelete(call: Call, memory: Memory, deleted: number): Promise<void> {
  if (deleted === 0) return; // otherwise repeated calls could fill the audit
  const what = { target: memoryName(memory), detail: `key: ${deleted} deleted` };
  await recordAccess(call.services, call.identity.caller, { action: 'forget', ...what });
}

/** Forgetting by scope, including the erasure of a whole namespace. */
export const forgetRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/memory/forget',
    tag: 'Forget',
    operationId: 'forgetByScope',
    takesSpace: true,
    summary: 'Forget by scope; erase destroys everything and answers with a signed receipt',
    errors: ['rate_limited'],
    scope: 'memory:write',
    body: forgetInput,
    response: forgetResponse,
    async handler(call) {
      const body = asObject(await jsonBody(call.c), ['scope', 'confirm', 'caller']);
      if (body.confirm !== undefined && typeof body.confirm !== 'boolean') {
        throw new AppError('invalid_input', 'confirm must be true or false.', { reason: 'bad_type' });
      }
      if (body.caller !== undefined && typeof body.caller !== 'string') {
        throw new AppError('invalid_input', 'caller must be a string.', { reason: 'bad_type' });
      }
      parseScope(body.scope); // rejects an unknown scope before `caller` is looked at
      const isSpace = call.query('space') !== undefined;
      if (isSpace && body.caller !== undefined)
        throw new AppError('invalid_input', 'space and caller name two memories.', { reason: 'bad_type' });
      const memory = isSpace ? await call.memory() : memoryFor(call.services, call.identity, body.caller);
      return forgetOnRequest(call.services.memory(), memory, body.scope, call.identity.caller);
    },
  },
];
