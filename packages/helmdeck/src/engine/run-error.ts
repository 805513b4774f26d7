import { AppError, ERRORS, type ErrorCode } from '../errors.ts';
import type { Run } from './run.ts';

/** What a run ends with when nobody waits for it any more. */
export function cancelled(): AppError {
  return new AppError('timeout', 'The run was cancelled before it ended.', {
    reason: 'cancelled',
    hint: 'Call it again if the result is still wanted.',
  });
}

/** Turns whatever a handler threw into one typed error. Texts of unknown errors stay inside: they may quote anything. */
export function toRunError(thrown: unknown, run: Run): AppError {
  if (run.signal.aborted) return asAppError(run.signal.reason) ?? cancelled();
  const known = asAppError(thrown);
  // A pack that says "your token is bad" would make clients throw away a good one.
  if (known && ERRORS[known.code].http !== 401) return known;
  const name = (thrown as Error | undefined)?.name;
  if (name === 'AbortError' || name === 'TimeoutError')
    return new AppError('timeout', `The pack ${run.pack.name} gave up waiting.`, { cause: thrown });
  return new AppError('handler_failed', `The pack ${run.pack.name} failed unexpectedly.`, {
    reason: 'unexpected',
    hint: 'The server log has the place where it failed, under the same request id.',
    cause: thrown,
  });
}

/** A pack of one's own may come with its own copy of the error class. */
function asAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof Error) || thrown.name !== 'AppError') return undefined;
  const { code, message, reason, hint, retryAfterSeconds } = thrown as AppError;
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code)) return undefined;
  return new AppError(code as ErrorCode, message, { reason, hint, retryAfterSeconds, cause: thrown });
}
