import { type AppError, ERRORS, errorEnvelope } from '../../errors.ts';
import { challengeOf, type ProtectedResource } from './protected-resource.ts';
import type { RequestContext } from './request-context.ts';

/** The response to a failed request: the error envelope, with the headers that belong to its status. */
export function errorResponse(
  { headers, requestId }: RequestContext,
  error: AppError,
  { allow, resource }: { allow?: readonly string[]; resource?: ProtectedResource },
): Response {
  const { http: status } = ERRORS[error.code];
  if (status === 401 || (resource && error.code === 'insufficient_scope'))
    headers['www-authenticate'] = challengeOf(error, resource);
  if (status === 405 && allow) headers.allow = allow.join(', ');
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), { status, headers });
}

/** Adds the standard headers to a response that was not built with `request.headers`, such as one of the MCP SDK. */
export function withStandardHeaders(response: Response, { requestId }: RequestContext): Response {
  response.headers.set('x-request-id', requestId);
  response.headers.set('cache-control', 'no-store');
  response.headers.delete('connection'); // the HTTP server decides: a draining one closes it
  // A buffering proxy would hold back each event until the next one.
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    response.headers.set('x-accel-buffering', 'no');
  return response;
}
