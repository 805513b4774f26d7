import type { AuthInfo, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { AppError, ERRORS, type ErrorCode, errorFrames } from '../errors.ts';
import type { Identity } from './http/auth.ts';

/** The sender of one MCP message, verified by the token that came with it. */
export interface Sender {
  identity: Identity;
  requestId: string;
}

/** Passes the sender of a message through the SDK to its handler, without the token. */
export function asAuthInfo(sender: Sender): AuthInfo {
  const { identity } = sender;
  return { token: '', clientId: identity.client ?? '', scopes: [...identity.scopes], extra: { sender } };
}

/** The sender of the message that is being handled, never that of an earlier one. */
export function senderOf(ctx: ServerContext): Sender {
  return senderIn(ctx.http?.authInfo);
}

/** The sender that `asAuthInfo` passed on. */
export function senderIn(authInfo: AuthInfo | undefined): Sender {
  const sender = authInfo?.extra?.sender as Sender | undefined;
  if (!sender) throw new AppError('missing_bearer', 'This message has no verified sender.');
  return sender;
}

/** Hints of the table for HTTP clients, in the words of a tool call. */
const TOOL_HINTS: Partial<Record<ErrorCode, string>> = {
  payload_too_large: 'Send less at once.',
  rate_limited: 'Wait a moment, then try again.',
};

/**
 * A failed tool call: one plain line for the model. No structured content, which clients would validate against the
 * output schema; and no JSON, because some clients take JSON text for structured content.
 */
export function toolFailure(error: AppError, requestId: string): CallToolResult {
  const { code, message, retryAfterSeconds } = error;
  const isOfTable = error.hint === ERRORS[code].hint;
  const hint = (isOfTable && TOOL_HINTS[code]) || error.hint;
  const parts = [
    `${code}: ${message}`,
    retryAfterSeconds === undefined
      ? hint
      : `Try again in ${retryAfterSeconds === 1 ? 'a second' : `${retryAfterSeconds} seconds`}.`,
    ...(LOGGED.includes(code) ? [`Request id: ${requestId}.`] : []),
  ];
  const text = parts.join(' ').replace(/\s+/g, ' ').trim();
  return { content: [{ type: 'text', text }], isError: true };
}

/** Failures whose cause is in the server log under the request id. */
const LOGGED: readonly ErrorCode[] = ['internal', 'handler_failed', 'invalid_output'];

/** Logs where an `internal` error happened, which the client is not told, and never what was stored. */
export function logFailure(
  log: { error(fields: object, message: string): void },
  error: AppError,
  { requestId }: Sender,
  action: string,
): void {
  if (error.code !== 'internal') return;
  log.error(
    { req_id: requestId, what: action, at: errorFrames(error.cause ?? error) },
    'an MCP request failed',
  );
}
