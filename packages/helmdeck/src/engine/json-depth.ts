import { AppError, type ErrorCode } from '../errors.ts';

/** Deeper than any sensible input, and far below what overflows the stack of a recursive walk. */
const MAX_DEPTH = 100;

/** Rejects a value nested so deeply that hashing or serialising it later could overflow the stack. */
export function assertShallow(value: unknown, code: ErrorCode = 'invalid_input'): void {
  if (isDeeper(value, MAX_DEPTH))
    throw new AppError(code, `The value is nested deeper than ${MAX_DEPTH} levels.`, { reason: 'too_deep' });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
