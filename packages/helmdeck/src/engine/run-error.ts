import { AppError, ERRORS, type ErrorCode } from '../errors.ts';
import type { Run } from './run.ts';

/** The error of a run whose caller cancelled it or disconnected. */
export function cancelled(): AppError {
  return new AppError('timeout', 'The run was cancelled before it ended.', {
    reason: 'cancelled',
    hint: 'Call it again if you still need the result.',
  });
}

/** Converts what a handler threw to an AppError. The text of an unknown error stays in the cause: it may quote anything. */
export function toRunError(thrown: unknown, run: Run): AppError {
  if (run.signal.aborted) return asAppError(run.signal.reason) ?? cancelled();
  const known = asAppError(thrown);
  // A 401 from a pack would make clients discard a valid Helmdeck token.
  if (known && ERRORS[known.code].http !== 401) return known;
  const name = (thrown as Error | undefined)?.name;
  if (name === 'AbortError' || name === 'TimeoutError')
    return new AppError('timeout', `The pack ${run.pack.name} timed out.`, { cause: thrown });
  return new AppError('handler_failed', `The pack ${run.pack.name} failed unexpectedly.`, {
    reason: 'unexpected',
    hint: 'The server log has the stack trace, under the same request id.',
    cause: thrown,
  });
}

/** A user's pack may bring its own copy of the error class, so `instanceof` is not enough. */
function asAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof Error) || thrown.name !== 'AppError') return undefined;
  const { code, message, reason, hint, retryAfterSeconds } = thrown as AppError;
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined;
  return new AppError(code as ErrorCode, message, { reason, hint, retryAfterSeconds, cause: thrown });
}
