import { AppError } from '../../../errors.ts';
import { CommandExit } from './failure.ts';
import type { Screen } from './screen.ts';

/** What is about to happen, as a question and for scripts. */
interface Confirmation {
  question: string;
  /** Begins the error message if there is no terminal to ask on. */
  subject: string;
  /** Printed after a no. */
  onNo: string;
}

/** Asks for a yes; a no ends the command with exit code 1. Without a terminal it refuses: scripts pass --yes. */
export async function confirmOrExit(screen: Screen, confirmation: Confirmation): Promise<void> {
  assertInteractive(screen, confirmation.subject);
  if (await screen.confirm(confirmation.question)) return;
  screen.note(confirmation.onNo);
  throw new CommandExit(1);
}

export function assertInteractive(screen: Screen, subject: string): void {
  if (screen.interactive) return;
  throw new AppError('invalid_input', `${subject} needs a confirmation, and this is not a terminal.`, {
    reason: 'confirmation_needed',
    hint: 'Add --yes.',
  });
}
