import { type AppError, ERRORS, type ErrorCode } from '../../errors.ts';

/** How to react to a failure: correct the call, read the changed state, retry, or fix the pack. */
export type FailureClass = 'caller_fixable' | 'state_changed' | 'transient' | 'pack_bug';

const CALLER_FIXABLE: readonly ErrorCode[] = [
  'invalid_input',
  'invalid_pipeline',
  'credential_invalid',
  'insufficient_scope',
  'not_found',
  'payload_too_large',
  'quota_exceeded',
  'secret_detected',
  'vault_unavailable',
];
const STATE_CHANGED: readonly ErrorCode[] = ['schema_mismatch', 'conflict', 'precondition_failed'];

/** Reasons of `handler_failed` that say a remote service was unavailable. */
const SERVICE_UNAVAILABLE: readonly (string | undefined)[] = ['network', 'github_down', 'gateway_down'];

export function failureClass({ code, reason }: Pick<AppError, 'code' | 'reason'>): FailureClass {
  if (code === 'handler_failed' && SERVICE_UNAVAILABLE.includes(reason)) return 'transient';
  if (CALLER_FIXABLE.includes(code)) return 'caller_fixable';
  if (STATE_CHANGED.includes(code)) return 'state_changed';
  return ERRORS[code].retryable ? 'transient' : 'pack_bug';
}
