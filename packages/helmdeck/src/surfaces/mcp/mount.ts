import type { Context, Hono } from 'hono';
import { AppError, toAppError } from '../../errors.ts';
import { authenticate, type HttpCall, headerReader, refusal, requestIdOf } from './http-call.ts';
import type { McpEndpoint, McpServices } from './mcp-services.ts';
import { createSessions } from './sessions.ts';
import { openSse, postToSse } from './sse.ts';
import { createStreamable } from './streamable.ts';

type Handler = (call: HttpCall) => Promise<Response>;

/** Which method of an address does what. */
type Methods = Partial<Record<string, Handler>>;

/** Puts MCP servers at their addresses. */
export function mountMcp(app: Hono, services: McpServices, endpoints: readonly McpEndpoint[]): void {
  const sessions = createSessions(services);
  const streamable = createStreamable(services, sessions);
  for (const endpoint of endpoints) {
    const mount = (path: string, methods: Methods) =>
      app.all(path, (c) => respond(c, services, endpoint, path, methods));
    mount(endpoint.path, { GET: streamable, POST: streamable, DELETE: streamable });
    if (endpoint.ssePath === undefined) continue;
    mount(endpoint.ssePath, {
      // Clients try Streamable HTTP at the address they were given, whatever it is called.
      GET: (call) =>
        call.header('mcp-session-id') === undefined ? openSse(sessions, call) : streamable(call),
      POST: streamable,
      DELETE: streamable,
    });
    mount(endpoint.messagePath!, { POST: (call) => postToSse(sessions, call) });
  }
}

/** One request from start to answer: who, may they, do it, note it. */
async function respond(
  c: Context,
  services: McpServices,
  endpoint: McpEndpoint,
  route: string,
  methods: Methods,
): Promise<Response> {
  const startMs = performance.now();
  const header = headerReader(c);
  const requestId = requestIdOf(header);
  let response: Response;
  try {
    const handler = methods[c.req.method];
    if (!handler) throw new AppError('method_not_allowed', `Use ${Object.keys(methods).join(' or ')} here.`);
    const identity = await authenticate(services, endpoint, header);
    endpoint.assertAvailable?.();
    response = await handler({ c, request: c.req.raw, endpoint, sender: { identity, requestId }, header });
  } catch (thrown) {
    const error = toAppError(thrown);
    const allow =
      error.code === 'method_not_allowed' ? { allow: Object.keys(methods).join(', ') } : undefined;
    response = refusal(services, route, error, requestId, allow);
  }
  response.headers.set('x-request-id', requestId);
  response.headers.set('cache-control', 'no-store');
  // A proxy that gathers what it passes on would hold back each event until the next one.
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    response.headers.set('x-accel-buffering', 'no');
  note(services, route, c.req.method, response.status, requestId, (performance.now() - startMs) / 1000);
  return response;
}

function note(
  services: McpServices,
  route: string,
  method: string,
  status: number,
  requestId: string,
  seconds: number,
): void {
  services.metrics.observe(route, method, status, seconds);
  const level = status >= 400 ? 'info' : 'debug';
  if (!services.log.isEnabled(level)) return;
  const ms = Math.round(seconds * 1e6) / 1e3;
  services.log[level]({ req_id: requestId, route, method, status, ms }, 'request');
}
