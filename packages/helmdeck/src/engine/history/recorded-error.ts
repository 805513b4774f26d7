import type { AppError } from '../../errors.ts';
import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';
import type { RunError } from './run-history.ts';

const MAX_CHARS = 500;

/** The message and hint of a failure, truncated; nothing if they look like a credential. */
export function recordedError({ message, hint }: Pick<AppError, 'message' | 'hint'>): RunError | undefined {
  if (detectCredential(`${message} ${hint}`)) return undefined;
  const cut = (text: string) => text.slice(0, MAX_CHARS).toWellFormed();
  return { message: cut(message), hint: cut(hint) };
}
