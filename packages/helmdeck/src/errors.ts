/** How an error code appears on each surface: HTTP status, JSON-RPC code, exit code. */
export interface ErrorShape {
  readonly http: number;
  readonly jsonRpc: number;
  readonly exit: number;
  readonly retryable: boolean;
  /** What to do about it, unless the error brings a hint of its own. */
  readonly hint: string;
}

const shape = (
  http: number,
  jsonRpc: number,
  exit: number,
  retryable: boolean,
  hint: string,
): ErrorShape => ({
  http,
  jsonRpc,
  exit,
  retryable,
  hint,
});

const NEW_TOKEN_HINT =
  '"helmdeck connect <client> --write" gives a client a new token, "helmdeck token mint" mints one.';

/** The closed table: every error that can leave the process is one of these. `docs/reference/errors.md` mirrors it. */
export const ERRORS = Object.freeze({
  invalid_input: shape(400, -32602, 2, false, 'Correct the field the message names and send it again.'),
  invalid_pipeline: shape(400, -32602, 2, false, 'Correct the pipeline definition and send it again.'),
  invalid_request: shape(400, -32602, 2, false, 'Correct the parameter the message names.'),
  invalid_grant: shape(400, -32602, 2, false, 'Let the person authorize the application again.'),
  unsupported_grant_type: shape(400, -32602, 2, false, 'Use authorization_code or refresh_token.'),
  unsupported_response_type: shape(400, -32602, 2, false, 'Use the response type "code".'),
  invalid_scope: shape(400, -32602, 2, false, 'Ask for scopes that the person has.'),
  invalid_target: shape(400, -32602, 2, false, 'Use the resource that the metadata of the MCP URL names.'),
  invalid_redirect_uri: shape(400, -32602, 2, false, 'Use a redirect URI that the application registered.'),
  invalid_client_metadata: shape(400, -32602, 2, false, 'Correct what the message names and register again.'),
  missing_bearer: shape(401, -32001, 3, false, 'Send the header "Authorization: Bearer <token>".'),
  invalid_token: shape(401, -32001, 3, false, NEW_TOKEN_HINT),
  token_expired: shape(401, -32001, 3, false, NEW_TOKEN_HINT),
  token_revoked: shape(401, -32001, 3, false, NEW_TOKEN_HINT),
  invalid_credentials: shape(401, -32001, 3, false, 'Check the user name and the password.'),
  invalid_client: shape(401, -32001, 3, false, 'Register the application again.'),
  insufficient_scope: shape(403, -32003, 4, false, 'Use a token that carries the scope the message names.'),
  forbidden_origin: shape(
    403,
    -32003,
    4,
    false,
    'Call from the same origin as the server, or use a bearer token.',
  ),
  not_found: shape(404, -32004, 5, false, 'Check the name; it may have expired or been forgotten.'),
  unknown_space: shape(404, -32004, 5, false, 'List the spaces that you have access to.'),
  method_not_allowed: shape(405, -32601, 2, false, 'Use one of the methods in the Allow header.'),
  conflict: shape(409, -32009, 6, false, 'Read the current state, then decide again.'),
  schema_mismatch: shape(409, -32009, 6, false, 'The stored shape changed; read it again.'),
  builtin_readonly: shape(409, -32009, 6, false, 'Built-in definitions cannot be changed; make a copy.'),
  not_cancellable: shape(409, -32009, 6, false, 'It has already ended.'),
  precondition_failed: shape(
    412,
    -32012,
    6,
    false,
    'Someone changed it first: read it again, then retry with the new version.',
  ),
  payload_too_large: shape(413, -32013, 2, false, 'Send less at once, or use import, which streams.'),
  unsupported_media_type: shape(415, -32015, 2, false, 'Send JSON with "Content-Type: application/json".'),
  secret_detected: shape(
    422,
    -32022,
    7,
    false,
    'Credentials do not belong in memory: keep them in the vault.',
  ),
  credential_invalid: shape(424, -32024, 7, false, 'Renew the credential in the vault.'),
  quota_exceeded: shape(429, -32029, 8, true, 'Forget what is no longer needed, or raise the quota.'),
  rate_limited: shape(429, -32029, 8, true, 'Wait as long as Retry-After says.'),
  internal: shape(500, -32603, 1, false, 'Look for the request id in the server log.'),
  handler_failed: shape(502, -32050, 9, false, 'The pack failed; its message says why.'),
  invalid_output: shape(502, -32050, 9, false, 'The pack returned something its schema does not allow.'),
  artifact_failed: shape(502, -32050, 9, true, 'The artifact store did not answer; try again.'),
  memory_unavailable: shape(503, -32053, 10, true, 'Run "helmdeck doctor" on the server.'),
  qmd_unavailable: shape(503, -32053, 10, true, 'Memory is off; run "helmdeck doctor" on the server.'),
  vault_unavailable: shape(503, -32053, 10, true, 'Set HELMDECK_VAULT_KEY on the server.'),
  session_unavailable: shape(503, -32053, 10, true, 'Open a new session.'),
  resource_exhausted: shape(503, -32053, 10, true, 'The server is busy; try again shortly.'),
  login_disabled: shape(503, -32053, 10, false, 'Set HELMDECK_ADMIN_PASSWORD on the server, or use a token.'),
  timeout: shape(504, -32054, 11, true, 'It took too long; try again.'),
} as const);

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** Finer, machine-readable code below the error code. */
  reason?: string;
  hint?: string;
  retryAfterSeconds?: number;
  /** All scopes that the operation needs, for the challenge of a 403. */
  scopes?: readonly string[];
  cause?: unknown;
}

/** The JSON of a failure on every surface. */
export interface ErrorEnvelope {
  error: ErrorCode;
  message: string;
  reason?: string;
  hint?: string;
  request_id?: string;
  /** The message once more, under the name that OAuth clients read it by. */
  error_description?: string;
}

/** The only error class whose message may reach a user; anything else becomes `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly reason: string | undefined;
  readonly hint: string;
  readonly retryAfterSeconds: number | undefined;
  readonly scopes: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.reason = details.reason;
    this.hint = details.hint ?? ERRORS[code].hint;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.scopes = details.scopes;
  }
}

/** Turns any thrown value into an AppError without exposing its text. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('internal', 'Something went wrong on the server.', { cause: thrown });
}

/** Stack frames for the log, without the message, which may quote stored data. */
export function errorFrames(thrown: unknown): string[] {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [name, ...frames.slice(0, 6).map((line) => line.trim())];
}

/** The codes that OAuth defines; its clients read the message from `error_description`. */
const OAUTH_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_grant',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'invalid_target',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'invalid_client',
];

export function errorEnvelope(error: AppError, requestId?: string): ErrorEnvelope {
  return {
    error: error.code,
    message: error.message,
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    hint: error.hint,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(OAUTH_CODES.includes(error.code) ? { error_description: error.message } : {}),
  };
}
