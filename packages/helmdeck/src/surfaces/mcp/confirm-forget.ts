import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import type { Scope } from '../../memory/erase/forget.ts';

const REQUEST_ID = 'confirm';

export interface ForgetConfirmation {
  scope: Scope;
  /** How many facts the scope names. */
  facts: number;
  /** What the model reports as the decision of the user. */
  confirm: unknown;
  /** The client supports elicitation: it can ask the user. */
  canElicit: boolean;
  /** The response of the user, if the client has asked already. */
  responses: Record<string, unknown> | undefined;
}

/**
 * Called for a scope that needs a confirmation. Undefined if the call may proceed, otherwise an elicitation for the user.
 * Throws if the user declined, or cannot be asked and `confirm` is not set.
 */
export function confirmForget({
  scope,
  facts,
  confirm,
  canElicit,
  responses,
}: ForgetConfirmation): InputRequiredResult | undefined {
  if (!canElicit) {
    if (confirm === true) return undefined;
    throw new AppError('invalid_input', `This forgets ${lossOf(scope, facts)} and needs confirm: true.`, {
      reason: 'confirmation_required',
      hint: 'Ask the user; if they agree, call again with confirm: true.',
    });
  }
  // The response of the user outweighs what the model reports.
  if (responses?.[REQUEST_ID] === undefined) return elicit(scope, facts);
  if (acceptedContent<{ confirm: boolean }>(responses, REQUEST_ID)?.confirm === true) return undefined;
  throw new AppError('invalid_input', 'The user did not agree; nothing was forgotten.', {
    reason: 'not_confirmed',
    hint: 'Leave it, or name less: a key, a category, a tag or a prefix.',
  });
}

/** What would be lost, for the user to read. */
function lossOf(scope: Scope, facts: number): string {
  const count = facts === 1 ? '1 fact' : `${facts} facts`;
  if (scope.type === 'all') return `everything: ${count}, their history, notes and run records`;
  if (scope.type === 'facts') return `all ${count} and their history`;
  if (scope.type === 'erase') return `everything Helmdeck keeps of you (${count}), and its key,`;
  return 'name' in scope ? `${count} with the ${scope.type} "${scope.name}"` : count;
}

function elicit(scope: Scope, facts: number): InputRequiredResult {
  const elicitation = inputRequired.elicit({
    message: `Forget ${lossOf(scope, facts)}? This cannot be undone.`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Yes, forget it', default: false } },
      required: ['confirm'],
    },
  });
  return inputRequired({ inputRequests: { [REQUEST_ID]: elicitation } });
}
