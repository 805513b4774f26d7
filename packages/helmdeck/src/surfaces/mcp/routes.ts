import type { HttpRoute } from '../http/app.ts';
import { createEventRelay, type RelayEvents } from '../http/event-bytes.ts';
import { protectedResource } from '../http/protected-resource.ts';
import { outgoingOf } from '../http/request-context.ts';
import { withStandardHeaders } from '../http/respond.ts';
import { createStreamSlots } from '../http/stream-slots.ts';
import { type McpCall, sessionIdOf } from './mcp-call.ts';
import type { McpEndpoint, McpServices } from './mcp-services.ts';
import { createSessions } from './sessions/sessions.ts';
import { openSse, postToSse } from './sse.ts';
import { createStreamable } from './streamable.ts';

const MAX_REQUESTS = 64;

type Handler = (call: McpCall) => Promise<Response>;

/** The routes of MCP servers as the HTTP app serves them: for each endpoint Streamable HTTP and, where it has them, SSE. */
export function mcpRoutes(services: McpServices, endpoints: readonly McpEndpoint[]): HttpRoute[] {
  const sessions = createSessions(services);
  const streamable = createStreamable(services, sessions);
  const relay = createEventRelay();
  // Posting a message takes no time and holds no connection, so nothing else limits how many are under way.
  const takeSlot = createStreamSlots(
    MAX_REQUESTS,
    'requests over HTTP+SSE',
    () => {},
    'Wait for responses first.',
  );
  const mcpRoute = (endpoint: McpEndpoint, path: string, methods: Record<string, Handler>) =>
    httpRoute(endpoint, path, methods, relay, services.resourceOrigin);
  return endpoints.flatMap((endpoint) => {
    const { path, ssePath, messagePath } = endpoint;
    const http = mcpRoute(endpoint, path, { GET: streamable, POST: streamable, DELETE: streamable });
    if (ssePath === undefined || messagePath === undefined) return [http];
    const sse = mcpRoute(endpoint, ssePath, {
      // Clients try Streamable HTTP at the address they were given, whatever it is called.
      GET: (call) => (sessionIdOf(call) === undefined ? openSse(services, sessions, call) : streamable(call)),
      POST: streamable,
      DELETE: streamable,
    });
    return [
      http,
      sse,
      mcpRoute(endpoint, messagePath, { POST: (call) => postToSse(sessions, takeSlot, call) }),
    ];
  });
}

function httpRoute(
  endpoint: McpEndpoint,
  path: string,
  methods: Record<string, Handler>,
  relay: RelayEvents,
  resourceOrigin: string | undefined,
): HttpRoute {
  return {
    method: 'ALL',
    path,
    allow: Object.keys(methods),
    ownOriginOnly: true,
    ...(resourceOrigin === undefined
      ? {}
      : { resource: protectedResource(resourceOrigin, path, endpoint.resource) }),
    scope: endpoint.scope ?? 'any',
    async handle(request) {
      endpoint.assertAvailable?.();
      const { c, identity, requestId } = request;
      const call = { c, request: c.req.raw, endpoint, sender: { identity, requestId } };
      const response = await methods[c.req.method]!(call);
      return withStandardHeaders(relay(identity.caller, response, outgoingOf(c)), request);
    },
  };
}
