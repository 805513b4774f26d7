import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import { parseScope } from '../../memory/erase/forget.ts';

const REQUEST_ID = 'confirm';
/** Scopes that delete everything of a kind; the others name what they delete. */
const SWEEPING = ['all', 'facts', 'erase'];

export interface ForgetConfirmation {
  scope: unknown;
  /** What the model reports as the decision of the user. */
  confirm: unknown;
  /** The client supports elicitation: it can ask the user. */
  canElicit: boolean;
  /** The response of the user, if the client has asked already. */
  responses: Record<string, unknown> | undefined;
}

/**
 * Undefined if the call may proceed, otherwise an elicitation for the user.
 * Throws if the user declined, or cannot be asked and `confirm` is not set.
 */
export function confirmForget({
  scope,
  confirm,
  canElicit,
  responses,
}: ForgetConfirmation): InputRequiredResult | undefined {
  const { type } = parseScope(scope);
  if (!SWEEPING.includes(type)) return undefined;
  if (!canElicit) {
    if (confirm === true) return undefined;
    throw new AppError('invalid_input', `Forgetting "${type}" deletes everything and needs confirm: true.`, {
      reason: 'confirmation_required',
      hint: 'Ask the user; if they agree, call again with confirm: true.',
    });
  }
  // The response of the user outweighs what the model reports.
  if (responses?.[REQUEST_ID] === undefined) return elicit(type);
  if (acceptedContent<{ confirm: boolean }>(responses, REQUEST_ID)?.confirm === true) return undefined;
  throw new AppError('invalid_input', 'The user did not agree; nothing was forgotten.', {
    reason: 'not_confirmed',
    hint: 'Leave it, or name less: a key, a category, a tag or a prefix.',
  });
}

const LOSSES: Record<string, string> = {
  all: 'all your facts, their history, notes and run records',
  facts: 'all your facts and their history',
  erase: 'everything Helmdeck keeps of you, and destroy its key',
};

function elicit(type: string): InputRequiredResult {
  const elicitation = inputRequired.elicit({
    message: `Forget ${LOSSES[type]}? This cannot be undone.`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Yes, forget it', default: false } },
      required: ['confirm'],
    },
  });
  return inputRequired({ inputRequests: { [REQUEST_ID]: elicitation } });
}
