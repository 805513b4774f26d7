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
import { claimsModernEra } from './protocol-version.ts';
import { SESSION_POLICY, type Session, type Sessions } from './sessions.ts';
import { callersBus, type Listening, listeningOf, SILENT_BUS } from './subscriptions.ts';

type Link = WebStandardStreamableHTTPServerTransport;

/** Streamable HTTP: the newer protocol without state, the older one with sessions or, without their header, without. */
export function createStreamable(services: McpServices, sessions: Sessions) {
  const takeSlot = createStreamSlots(SESSION_POLICY.maxPerCaller, 'streams');
  const modern = createModernHandlers();
  return async (call: McpCall): Promise<Response> => {
    const { request, sender } = call;
    if (request.method !== 'POST') return inSession(sessions, call, undefined);
    const parsedBody = await readMessage(call);
    const authInfo = asAuthInfo(sender);
    if (claimsModernEra(parsedBody) || !(await isLegacyRequest(request, parsedBody))) {
      const listening = listeningOf(parsedBody);
      return listening
        ? listen(services, takeSlot, call, parsedBody, listening)
        : modern(call.endpoint).fetch(request, { authInfo, parsedBody });
    }
    if (sessionIdOf(call) !== undefined) return inSession(sessions, call, parsedBody);
    if (isInitializeRequest(parsedBody)) return openSession(sessions, call, parsedBody);
    const factory = () => call.endpoint.createServer({ identity: sender.identity, lasting: false });
    return legacyStatelessFallback(factory)(request, { authInfo, parsedBody });
  };
}

/** What a handler of the newer protocol does with a message; its sender comes along with each. */
function createModern({ createServer }: McpEndpoint, bus: ServerEventBus): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => createServer({ identity: senderIn(authInfo).identity, lasting: false }),
    { legacy: 'reject', bus, keepAliveMs: SESSION_POLICY.lookMs },
  );
}

/** One per address for messages that are answered and over: it holds nothing of theirs, and nobody listens to it. */
function createModernHandlers(): (endpoint: McpEndpoint) => McpHttpHandler {
  const made = new Map<McpEndpoint, McpHttpHandler>();
  return (endpoint) => {
    const known = made.get(endpoint) ?? createModern(endpoint, SILENT_BUS);
    made.set(endpoint, known);
    return known;
  };
}

/** A stream of the newer protocol. Its handler is its own, and hears of no caller but this one. */
async function listen(
  services: McpServices,
  takeSlot: TakeSlot,
  { request, sender, endpoint }: McpCall,
  parsedBody: unknown,
  listening: Listening,
): Promise<Response> {
  const handler = createModern(endpoint, callersBus(services, sender, listening));
  // Asked once here, so that a refusal is an answer and not a broken stream.
  callersBus(services, sender, listening).subscribe(() => {})();
  const release = takeSlot(sender.identity.caller);
  const look = setInterval(() => hasEnded(services, sender.identity) && end(), SESSION_POLICY.lookMs).unref();
  const end = () => {
    clearInterval(look);
    release();
    services.closing.removeEventListener('abort', end);
    void handler.close();
  };
  services.closing.addEventListener('abort', end, { once: true });
  request.signal.addEventListener('abort', end, { once: true });
  const response = await handler.fetch(request, { authInfo: asAuthInfo(sender), parsedBody });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) end(); // refused: no stream to hold
  return response;
}

async function openSession(sessions: Sessions, call: McpCall, parsedBody: unknown): Promise<Response> {
  const { request, endpoint, sender } = call;
  const id = randomUUID();
  const server = endpoint.createServer({ identity: sender.identity, lasting: true });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    keepAliveMs: SESSION_POLICY.lookMs,
  });
  const forget = server.onclose;
  server.onclose = () => {
    sessions.remove(id);
    forget?.();
  };
  await server.connect(transport);
  sessions.add(endpoint.path, sender.identity, id, transport, () => void server.close().catch(() => {}));
  const response = await transport.handleRequest(request, { authInfo: asAuthInfo(sender), parsedBody });
  if (!response.ok) await server.close(); // it never began
  return response;
}

/** A message of a session, its stream (`GET`) or its end (`DELETE`). */
async function inSession(sessions: Sessions, call: McpCall, parsedBody: unknown): Promise<Response> {
  const { request, endpoint, sender } = call;
  const id = sessionIdOf(call);
  if (id === undefined) {
    throw new AppError('method_not_allowed', 'Use POST here; streams belong to a session.', {
      hint: 'Send initialize first and keep its Mcp-Session-Id.',
    });
  }
  const session: Session<Link> = sessions.find(endpoint.path, sender.identity, id);
  if (request.method === 'GET') {
    session.streams++;
    request.signal.addEventListener('abort', () => session.streams--, { once: true });
  }
  return session.link.handleRequest(request, { authInfo: asAuthInfo(sender), parsedBody });
}
