import type { AuthInfo, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { AppError, errorEnvelope, errorFrames } from '../errors.ts';
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

/** A failed tool call, with the error envelope as text only: clients validate structured content against the schema. */
export function toolFailure(error: AppError, requestId: string): CallToolResult {
  const text = JSON.stringify(errorEnvelope(error, requestId));
  return { content: [{ type: 'text', text }], isError: true };
}

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
