import { AppError, type ErrorCode } from '../errors.ts';

/** Deeper than any sensible input, and far from what exhausts the stack of those who walk through it. */
const MAX_DEPTH = 100;

/** Refuses what is nested so deeply that hashing or writing it would fail in the middle of something. */
export function assertShallow(value: unknown, code: ErrorCode = 'invalid_input'): void {
  if (isDeeper(value, MAX_DEPTH))
    throw new AppError(code, `This is nested deeper than ${MAX_DEPTH} levels.`, { reason: 'too_deep' });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
