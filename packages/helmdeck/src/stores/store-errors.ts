import { AppError } from '../errors.ts';

/** A problem with a database in words for an operator, and what to do about it. */
export interface StoreErrorText {
  reason: string;
  message: string;
  hint: string;
}

/** A `memory_unavailable` error; what the driver threw becomes its cause, which is never sent to a client. */
export function storeError({ reason, message, hint }: StoreErrorText, cause?: unknown): AppError {
  return new AppError('memory_unavailable', message, { reason, hint, cause });
}

/** Whether TLS failed, in most cases because the certificate of the server is not trusted. */
export function isTlsErrorCode(code: string): boolean {
  return /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO_/.test(code);
}
