import { ERRORS, type ErrorCode } from '../../../errors.ts';
import type { Route } from '../route.ts';

/** Of a token that was sent, or of a page of another site; the last one if the keys to verify it cannot be fetched. */
const SENT_TOKEN_ERRORS = [
  'invalid_token',
  'token_expired',
  'token_revoked',
  'forbidden_origin',
  'resource_exhausted',
] as const satisfies readonly ErrorCode[];

/** Of every request that is authenticated. */
export const TOKEN_ERRORS = ['missing_bearer', ...SENT_TOKEN_ERRORS] as const;

const BODY_ERRORS = [
  'invalid_input',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** What the engine and the packs respond with. */
export const PACK_ERRORS = [
  'not_found',
  'unknown_space',
  'precondition_failed',
  'secret_detected',
  'credential_invalid',
  'quota_exceeded',
  'rate_limited',
  'handler_failed',
  'invalid_output',
  'artifact_failed',
  'vault_unavailable',
  'session_unavailable',
  'timeout',
] as const satisfies readonly ErrorCode[];

/** The error codes that a route can respond with, in the order of the table of codes. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(['internal', ...(route.errors ?? [])]);
  const add = (more: readonly ErrorCode[]) => more.forEach((code) => void codes.add(code));
  const isApi = route.path.startsWith('/api/v1/');
  if (isApi) add(['invalid_input']); // at least for `?caller=` on a route that does not take it
  if (isApi && !route.worksWithoutMemory) add(['memory_unavailable']);
  if (route.scope !== 'public') add([...TOKEN_ERRORS, 'insufficient_scope', 'rate_limited']);
  else if (!route.anyHost) add(SENT_TOKEN_ERRORS); // under a name that is not this server's, a token is needed
  if (route.body) add(BODY_ERRORS);
  if (route.takesSpace || route.takesSpaces) add(['unknown_space']);
  const writes = route.method !== 'GET' || route.takesCaller; // naming a caller writes to the access audit
  if (isApi && writes) add(['conflict']);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}
