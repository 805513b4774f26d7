import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHttpHandler,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { hasEnded } from '../http/authenticate.ts';
import { createStreamSlots, type TakeSlot } from '../http/stream-slots.ts';
import { asAuthInfo, senderIn } from '../mcp-message.ts';
import { type McpCall, readMessage, sessionIdOf } from './mcp-call.ts';
import type { McpEndpoint, McpServices } from './mcp-services.ts';
import { isModernMessage } from './protocol-version.ts';
import { SESSION_POLICY, type Sessions } from './sessions/sessions.ts';
import { createStreamableSessions } from './sessions/streamable-sessions.ts';
import { type ListenRequest, listenRequestOf, NO_EVENTS, senderEventBus } from './subscriptions.ts';

/**
 * Streamable HTTP. Stateless for the 2026 protocol; for older clients with a session if they send `initialize` or
 * Mcp-Session-Id, stateless otherwise.
 */
export function createStreamable(services: McpServices, openSessions: Sessions) {
  const sessions = createStreamableSessions(services, openSessions);
  const takeSlot = createStreamSlots(SESSION_POLICY.maxPerCaller, 'streams', services.metrics.streams);
  const modern = createModernHandlers();
  return async (call: McpCall): Promise<Response> => {
    const { request, sender } = call;
    if (request.method !== 'POST') return sessions.handle(call, undefined);
    const parsedBody = await readMessage(call);
    call.endpoint.assertScopes?.(parsedBody, sender.identity);
    const authInfo = asAuthInfo(sender);
    if (isModernMessage(parsedBody) || !(await isLegacyRequest(request, parsedBody))) {
      const listenRequest = listenRequestOf(parsedBody);
      return listenRequest
        ? listen(services, takeSlot, call, parsedBody, listenRequest)
        : modern(call.endpoint).fetch(request, { authInfo, parsedBody });
    }
    if (sessionIdOf(call) !== undefined) return sessions.handle(call, parsedBody);
    if (isInitializeRequest(parsedBody)) return sessions.open(call, parsedBody);
    const factory = () => call.endpoint.createServer({ identity: sender.identity, lasting: false });
    return legacyStatelessFallback(factory)(request, { authInfo, parsedBody });
  };
}

/** The SDK's handler for the 2026 protocol; each message brings its own sender. */
function createModern({ createServer }: McpEndpoint, bus: ServerEventBus): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => createServer({ identity: senderIn(authInfo).identity, lasting: false }),
    { legacy: 'reject', bus, keepAliveMs: SESSION_POLICY.checkIntervalMs },
  );
}

/** One handler per endpoint for messages without a stream: it keeps no state between them and emits no events. */
function createModernHandlers(): (endpoint: McpEndpoint) => McpHttpHandler {
  const handlers = new Map<McpEndpoint, McpHttpHandler>();
  return (endpoint) => {
    const handler = handlers.get(endpoint) ?? createModern(endpoint, NO_EVENTS);
    handlers.set(endpoint, handler);
    return handler;
  };
}

/** Opens a stream of the 2026 protocol, with a handler of its own that receives the events of this caller only. */
async function listen(
  services: McpServices,
  takeSlot: TakeSlot,
  { request, sender, endpoint }: McpCall,
  parsedBody: unknown,
  listenRequest: ListenRequest,
): Promise<Response> {
  const isLive = () => {
    const live = !hasEnded(services, sender.identity);
    if (!live) end();
    return live;
  };
  const bus = senderEventBus(services, sender, listenRequest, isLive);
  const handler = createModern(endpoint, bus);
  // Subscribes once up front, so that a failure is an error response and not a broken stream.
  bus.subscribe(() => {})();
  const release = takeSlot(sender.identity.caller);
  const checks = setInterval(isLive, SESSION_POLICY.checkIntervalMs).unref();
  const end = () => {
    clearInterval(checks);
    release();
    services.closing.removeEventListener('abort', end);
    void handler.close();
  };
  services.closing.addEventListener('abort', end, { once: true });
  request.signal.addEventListener('abort', end, { once: true });
  const response = await handler.fetch(request, { authInfo: asAuthInfo(sender), parsedBody });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || services.closing.aborted) end();
  return response;
}
