import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHttpHandler,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import { hasEnded } from '../http/authenticate.ts';
import { createStreamSlots, type TakeSlot } from '../http/stream-slots.ts';
import { asAuthInfo, senderIn } from '../mcp-message.ts';
import { type McpCall, readMessage, sessionIdOf } from './mcp-call.ts';
import type { McpEndpoint, McpServices } from './mcp-services.ts';
import { isModernMessage } from './protocol-version.ts';
import { SESSION_POLICY, type Session, type Sessions } from './sessions.ts';
import { type ListenRequest, listenRequestOf, NO_EVENTS, senderEventBus } from './subscriptions.ts';

/**
 * Streamable HTTP. Stateless for the 2026 protocol; for older clients with a session if they send `initialize` or
 * Mcp-Session-Id, stateless otherwise.
 */
export function createStreamable(services: McpServices, sessions: Sessions) {
  const takeSlot = createStreamSlots(SESSION_POLICY.maxPerCaller, 'streams', services.metrics.streams);
  const modern = createModernHandlers();
  return async (call: McpCall): Promise<Response> => {
    const { request, sender } = call;
    if (request.method !== 'POST') return inSession(sessions, call, undefined);
    const parsedBody = await readMessage(call);
    const authInfo = asAuthInfo(sender);
    if (isModernMessage(parsedBody) || !(await isLegacyRequest(request, parsedBody))) {
      const listenRequest = listenRequestOf(parsedBody);
      return listenRequest
        ? listen(services, takeSlot, call, parsedBody, listenRequest)
        : modern(call.endpoint).fetch(request, { authInfo, parsedBody });
    }
    if (sessionIdOf(call) !== undefined) return inSession(sessions, call, parsedBody);
    if (isInitializeRequest(parsedBody)) return openSession(sessions, call, parsedBody);
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
  const handler = createModern(endpoint, senderEventBus(services, sender, listenRequest));
  // Subscribes once up front, so that a failure is an error response and not a broken stream.
  senderEventBus(services, sender, listenRequest).subscribe(() => {})();
  const release = takeSlot(sender.identity.caller);
  const checks = setInterval(
    () => hasEnded(services, sender.identity) && end(),
    SESSION_POLICY.checkIntervalMs,
  ).unref();
  const end = () => {
    clearInterval(checks);
    release();
    services.closing.removeEventListener('abort', end);
    void handler.close();
  };
  services.closing.addEventListener('abort', end, { once: true });
  request.signal.addEventListener('abort', end, { once: true });
  const response = await handler.fetch(request, { authInfo: asAuthInfo(sender), parsedBody });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) end(); // rejected: there is no stream
  return response;
}

async function openSession(sessions: Sessions, call: McpCall, parsedBody: unknown): Promise<Response> {
  const { request, endpoint, sender } = call;
  const id = randomUUID();
  const server = endpoint.createServer({ identity: sender.identity, lasting: true });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    keepAliveMs: SESSION_POLICY.checkIntervalMs,
  });
  const onClose = server.onclose;
  server.onclose = () => {
    sessions.remove(id);
    onClose?.();
  };
  await server.connect(transport);
  sessions.add(endpoint.path, sender.identity, id, transport, () => void server.close().catch(() => {}));
  const response = await transport.handleRequest(request, { authInfo: asAuthInfo(sender), parsedBody });
  if (!response.ok) await server.close(); // the session never started
  return response;
}

/** A request within a session: a message, its stream (`GET`) or its end (`DELETE`). */
async function inSession(sessions: Sessions, call: McpCall, parsedBody: unknown): Promise<Response> {
  const { request, endpoint, sender } = call;
  const id = sessionIdOf(call);
  if (id === undefined) {
    throw new AppError('method_not_allowed', 'Use POST here; streams belong to a session.', {
      hint: 'Send initialize first and keep its Mcp-Session-Id.',
    });
  }
  const session: Session<WebStandardStreamableHTTPServerTransport> = sessions.find(
    endpoint.path,
    sender.identity,
    id,
  );
  if (request.method === 'GET') {
    session.streams++;
    request.signal.addEventListener('abort', () => session.streams--, { once: true });
  }
  return session.transport.handleRequest(request, { authInfo: asAuthInfo(sender), parsedBody });
}
