import { CommanderError } from 'commander';
import { AppError, ERRORS, type ErrorEnvelope, errorEnvelope } from '../../../errors.ts';
import type { AddressSource } from '../deps.ts';
import type { Screen } from './screen.ts';
import { shellHint, shellMessage } from './shell-hint.ts';

/** Wrong usage: arguments, options, settings. */
const USAGE_EXIT = 2;

/** Ends a command with an exit code; the command has already printed why. */
export class CommandExit extends Error {
  readonly exit: number;
  constructor(exit: number) {
    super(`exit ${exit}`);
    this.name = 'CommandExit';
    this.exit = exit;
  }
}

/** An error response of the server in words for a shell, with the request id from the server's log. */
export class ServerError extends AppError {
  readonly requestId: string | undefined;
  constructor(envelope: ErrorEnvelope, addressFrom?: AddressSource) {
    const code = envelope.error in ERRORS ? envelope.error : 'internal';
    const hint = shellHint(envelope, addressFrom);
    super(code, shellMessage(envelope.message), { reason: envelope.reason, hint });
    this.requestId = envelope.request_id;
  }
}

/** Prints what went wrong, as text or as the JSON error envelope, and returns the exit code. */
export function reportFailure(thrown: unknown, screen: Screen, writeJson: (line: string) => void): number {
  if (thrown instanceof CommandExit) return thrown.exit;
  if (thrown instanceof CommanderError && isHelp(thrown)) return thrown.exitCode === 0 ? 0 : USAGE_EXIT;
  const error = toCliError(thrown);
  if (screen.json) {
    const requestId = error instanceof ServerError ? error.requestId : undefined;
    writeJson(JSON.stringify(errorEnvelope(error, requestId)));
  } else {
    screen.note(`${screen.paintNote('red', 'helmdeck:')} ${error.message}`);
    if (error.hint) screen.note(screen.paintNote('dim', `  ${error.hint}`));
  }
  return thrown instanceof CommanderError ? USAGE_EXIT : ERRORS[error.code].exit;
}

function isHelp(error: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(error.code);
}

function toCliError(thrown: unknown): AppError {
  if (thrown instanceof ServerError) return thrown;
  if (thrown instanceof AppError) {
    const { code, message, reason } = thrown;
    return new AppError(code, message, { reason, hint: shellHint(errorEnvelope(thrown)), cause: thrown });
  }
  if (thrown instanceof CommanderError) {
    return new AppError('invalid_input', thrown.message.replace(/^error: /, '').replaceAll('\n', ' '), {
      reason: 'usage',
      hint: 'Add --help for usage.',
    });
  }
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code !== undefined && code in FILE_PROBLEMS) {
    const path = (thrown as NodeJS.ErrnoException).path;
    return new AppError('invalid_input', `${path ?? 'The file'}: ${FILE_PROBLEMS[code]}.`, {
      reason: 'file',
      hint: 'Check the path and its permissions.',
      cause: thrown,
    });
  }
  // The user of this terminal owns the process, so showing the text leaks nothing.
  return new AppError('internal', `Something went wrong: ${message ?? String(thrown)}`, {
    hint: 'If it happens again, report it together with the command.',
    cause: thrown,
  });
}

const FILE_PROBLEMS: Record<string, string> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  EEXIST: 'already exists',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
};
