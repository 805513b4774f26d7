import { AppError } from '../errors.ts';

/** What is wrong with a database, and what a person can do about it. */
export interface StoreErrorText {
  reason: string;
  message: string;
  hint: string;
}

/** The error that says so; what the driver threw stays its cause, which nobody outside is shown. */
export function explained({ reason, message, hint }: StoreErrorText, cause?: unknown): AppError {
  return new AppError('memory_unavailable', message, { reason, hint, cause });
}

/** The connection failed because the certificate of the other side is not trusted. */
export function isUntrusted(code: string): boolean {
  return /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO_/.test(code);
}
