import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import { parseScope } from '../../memory/erase/forget.ts';

const ASK = 'confirm';
/** Scopes that take everything away; the others name what they take. */
const SWEEPING = ['all', 'facts', 'erase'];

export interface ForgetQuestion {
  scope: unknown;
  /** What the model says the user said. */
  confirm: unknown;
  /** The client can ask the person in front of it. */
  canAsk: boolean;
  /** What the person answered, if asked already. */
  answers: Record<string, unknown> | undefined;
}

/** Nothing when it may go on; else the question to the person. Refuses when the answer is no, or nobody can be asked. */
export function confirmForget({
  scope,
  confirm,
  canAsk,
  answers,
}: ForgetQuestion): InputRequiredResult | undefined {
  const { type } = parseScope(scope);
  if (!SWEEPING.includes(type)) return undefined;
  if (!canAsk) {
    if (confirm === true) return undefined;
    throw new AppError(
      'invalid_input',
      `Forgetting "${type}" takes everything away and needs confirm: true.`,
      {
        reason: 'confirmation_required',
        hint: 'Ask the user; if they agree, call again with confirm: true.',
      },
    );
  }
  // A person's word counts more than what a model says it was.
  if (answers?.[ASK] === undefined) return question(type);
  if (acceptedContent<{ confirm: boolean }>(answers, ASK)?.confirm === true) return undefined;
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

function question(type: string): InputRequiredResult {
  const ask = inputRequired.elicit({
    message: `Forget ${LOSSES[type]}? This cannot be undone.`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Yes, forget it', default: false } },
      required: ['confirm'],
    },
  });
  return inputRequired({ inputRequests: { [ASK]: ask } });
}
