import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { parseJson, readBody } from '../http/body.ts';
import { requestHeader } from '../http/request-context.ts';
import type { Sender } from '../mcp-message.ts';
import type { McpEndpoint } from './mcp-services.ts';

/** One authenticated HTTP request to an MCP endpoint. */
export interface McpCall {
  c: Context;
  request: Request;
  endpoint: McpEndpoint;
  sender: Sender;
}

/** The session id that a request names; clients send it once `initialize` has given them one. */
export function sessionIdOf({ c }: McpCall): string | undefined {
  return requestHeader(c, 'mcp-session-id');
}

/** The JSON of a posted message. */
export async function readMessage({ c }: McpCall): Promise<unknown> {
  if (!isJsonContentType(requestHeader(c, 'content-type') ?? null))
    throw new AppError('unsupported_media_type', 'The body must be application/json.');
  return parseJson(await readBody(c));
}
