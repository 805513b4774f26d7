import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { AppError, ERRORS, errorEnvelope, errorFrames } from '../../errors.ts';
import { ANONYMOUS, assertScope, type Identity } from '../http/auth.ts';
import {
  assertLocalPage,
  bearerOf,
  bodyBytes,
  type HeaderReader,
  harmlessRequestId,
  hostOf,
  isLocalName,
  requestHeader,
} from '../http/request.ts';
import type { Sender } from '../mcp-message.ts';
import type { McpEndpoint, McpServices } from './mcp-services.ts';

/** One HTTP request to an MCP address, whose sender is proven. */
export interface HttpCall {
  c: Context;
  request: Request;
  endpoint: McpEndpoint;
  sender: Sender;
  header: HeaderReader;
}

export function headerReader(c: Context): HeaderReader {
  return (name) => requestHeader(c, name);
}

export function requestIdOf(header: HeaderReader): string {
  return harmlessRequestId(header('x-request-id')) ?? randomUUID();
}

/** Who calls: a bearer token or, where auth is off, nobody. Never a cookie: MCP clients are not browsers. */
export async function authenticate(
  services: McpServices,
  endpoint: McpEndpoint,
  header: HeaderReader,
): Promise<Identity> {
  assertOrigin(header, services.loopback);
  if (services.authDisabled) {
    assertLocalPage(header, services.loopback);
    return ANONYMOUS;
  }
  const token = bearerOf(header);
  if (token === undefined) throw new AppError('missing_bearer', 'There is no bearer token.');
  const identity = await services.auth.verify(token);
  if (identity.jti !== undefined) services.memoryIfOn()?.tokens.used(identity.jti);
  if (endpoint.scope) assertScope(identity, endpoint.scope);
  return identity;
}

/** Only browsers send an Origin. A page must be this server's own, and on a local server its name a local one. */
function assertOrigin(header: HeaderReader, loopback: boolean): void {
  const origin = header('origin');
  if (origin === undefined) return;
  const host = header('host') ?? '';
  if (hostOf(origin) === host && (!loopback || isLocalName(host))) return;
  throw new AppError('forbidden_origin', 'Pages of other sites may not call this address.');
}

/** The JSON of a posted message, or exactly what is wrong with it. */
export async function messageOf(c: Context): Promise<unknown> {
  if (!isJsonContentType(requestHeader(c, 'content-type') ?? null))
    throw new AppError('unsupported_media_type', 'The body must be application/json.');
  const bytes = await bodyBytes(c);
  try {
    if (bytes.length === 0 || !isUtf8(bytes)) throw new SyntaxError();
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new AppError('invalid_input', 'The body is not valid JSON.', { reason: 'bad_type' });
  }
}

export function refusal(
  services: McpServices,
  route: string,
  error: AppError,
  requestId: string,
  extra: Record<string, string> = {},
): Response {
  const { http: status } = ERRORS[error.code];
  const headers: Record<string, string> = { 'content-type': 'application/json', ...extra };
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="helmdeck"';
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (status >= 500) {
    const at = errorFrames(error.cause ?? error);
    services.log.error(
      { req_id: requestId, route, code: error.code, reason: error.reason, at },
      'request failed',
    );
  }
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), { status, headers });
}
