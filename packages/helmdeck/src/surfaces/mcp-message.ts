import type { AuthInfo, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { AppError, errorEnvelope, errorFrames } from '../errors.ts';
import type { Identity } from './http/auth.ts';

/** Who sent one message, proven by the token that came with it. */
export interface Sender {
  identity: Identity;
  requestId: string;
}

/** Hands the sender of a message through the SDK to its handler. The token itself stays behind. */
export function asAuthInfo(sender: Sender): AuthInfo {
  const { identity } = sender;
  return { token: '', clientId: identity.client ?? '', scopes: [...identity.scopes], extra: { sender } };
}

/** The sender of the message that is being handled: never that of an earlier one. */
export function senderOf(ctx: ServerContext): Sender {
  return senderIn(ctx.http?.authInfo);
}

/** What `asAuthInfo` handed over. */
export function senderIn(authInfo: AuthInfo | undefined): Sender {
  const sender = authInfo?.extra?.sender as Sender | undefined;
  if (!sender) throw new AppError('missing_bearer', 'This message came without a proven sender.');
  return sender;
}

/** What went wrong, in the envelope of every surface. As text only: clients hold structured content to the schema. */
export function toolFailure(error: AppError, requestId: string): CallToolResult {
  const text = JSON.stringify(errorEnvelope(error, requestId));
  return { content: [{ type: 'text', text }], isError: true };
}

/** What the caller is told only as `internal` is told to the log: where it happened, never what was stored. */
export function noteFailure(
  log: { error(fields: object, message: string): void },
  error: AppError,
  { requestId }: Sender,
  what: string,
): void {
  if (error.code !== 'internal') return;
  log.error({ req_id: requestId, what, at: errorFrames(error.cause ?? error) }, 'an MCP request failed');
}
