import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import type { Scope } from '../../memory/erase/forget.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';

const REQUEST_ID = 'confirm';

/** How long a question that was not answered makes room for `confirm: true`. */
const UNANSWERED_MS = 10 * 60_000;
const MAX_UNANSWERED = 10_000;

export interface ForgetConfirmation {
  caller: Caller;
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

/** Undefined if the call may proceed, otherwise an elicitation for the user. */
export type ConfirmForget = (confirmation: ForgetConfirmation) => InputRequiredResult | undefined;

/**
 * Called for a scope that needs a confirmation. Throws if the user declined, or cannot be asked and `confirm` is not set. The response of a user outweighs what the
 * model reports; but clients that run without a user cancel every question, and a user may close one. After that,
 * `confirm: true` counts in a further call, never in the one that was cancelled.
 */
export function createConfirmForget(now: () => number): ConfirmForget {
  /** When a question was last cancelled, by caller and scope. */
  const unanswered = new BoundedMap<string, number>(MAX_UNANSWERED);
  return ({ caller, scope, facts, confirm, canElicit, responses }) => {
    const name = 'name' in scope ? scope.name : '';
    const question = JSON.stringify([scope.type, name, namespaceOf(caller).toString('latin1')]);
    const response = responses?.[REQUEST_ID];
    if (response === undefined) {
      const wasUnanswered = now() - (unanswered.get(question) ?? Number.NEGATIVE_INFINITY) < UNANSWERED_MS;
      if (confirm === true && (!canElicit || wasUnanswered)) {
        unanswered.delete(question);
        return undefined;
      }
      if (canElicit) return elicit(scope, facts);
      throw new AppError('invalid_input', `This forgets ${lossOf(scope, facts)} and needs confirm: true.`, {
        reason: 'confirmation_required',
        hint: CONFIRM_HINT,
      });
    }
    if (acceptedContent<{ confirm: boolean }>(responses, REQUEST_ID)?.confirm === true) return undefined;
    if ((response as { action?: unknown }).action === 'cancel') {
      unanswered.set(question, now());
      throw new AppError('invalid_input', 'The user could not be asked; nothing was forgotten.', {
        reason: 'not_asked',
        hint: CONFIRM_HINT,
      });
    }
    throw new AppError('invalid_input', 'The user did not agree; nothing was forgotten.', {
      reason: 'not_confirmed',
      hint: 'Leave it, or name less: a key, a category, a tag or a prefix.',
    });
  };
}

const CONFIRM_HINT = 'Ask the user; if they agree, call again with confirm: true.';

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
