import { type AppError, ERRORS, type ErrorCode } from '../../errors.ts';

/** Whose turn it is after a failure: the caller's, nobody's (something changed), time's, or the pack's author's. */
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

/** A pack failed because somebody else was away: nothing is wrong with the pack. */
const AWAY: readonly (string | undefined)[] = ['network', 'github_down', 'gateway_down'];

export function failureClass({ code, reason }: Pick<AppError, 'code' | 'reason'>): FailureClass {
  if (code === 'handler_failed' && AWAY.includes(reason)) return 'transient';
  if (CALLER_FIXABLE.includes(code)) return 'caller_fixable';
  if (STATE_CHANGED.includes(code)) return 'state_changed';
  return ERRORS[code].retryable ? 'transient' : 'pack_bug';
}
