import type { AuthInfo, InitializeRequest } from '@modelcontextprotocol/server';
import { AppError } from '../../../errors.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { asAuthInfo } from '../../mcp-message.ts';
import { type McpCall, sessionIdOf } from '../mcp-call.ts';
import type { McpServices } from '../mcp-services.ts';
import { createQuestionRelay } from './question-relay.ts';
import { createSessionIds, type SessionClient } from './session-id.ts';
import { clientResponseOf, SessionTransport } from './session-transport.ts';
import { type Session, type Sessions, unknownSession } from './sessions.ts';

/** Ids that clients have ended and this process refuses from then on. */
const MAX_ENDED = 10_000;

/**
 * The sessions of Streamable HTTP. A session is its id: a process that does not hold it, after a restart, on another node
 * or because it was idle, creates it again from what the id says. Only subscriptions are lost with the process that held
 * it; clients subscribe again.
 */
export function createStreamableSessions(services: McpServices, sessions: Sessions) {
  const ids = createSessionIds(services.sessionKey, services.now);
  // Another node may still take up an id that was ended here: it gives a caller nothing that `initialize` would not.
  const ended = new BoundedMap<string, true>(MAX_ENDED);
  const relay = createQuestionRelay(() => services.memoryIfOn()?.parts.store.sharing);
  const beingCreated = new Map<string, Promise<Session<SessionTransport>>>();

  /** A server and its transport, connected and registered, that expect `initialize`. */
  async function connect({ endpoint, sender }: McpCall, id: string): Promise<Session<SessionTransport>> {
    const { identity } = sender;
    const isLive = () => sessions.isLive(id);
    const server = endpoint.createServer({ identity, lasting: true, isLive });
    const transport = new SessionTransport(id, relay, {
      onsessionclosed: (closed) => ended.set(closed, true),
    });
    const onClose = server.onclose;
    server.onclose = () => {
      sessions.remove(id);
      onClose?.();
    };
    await server.connect(transport);
    return sessions.add(endpoint.path, identity, id, transport, {
      close: () => void server.close().catch(() => {}),
      drain: () => transport.closeStandaloneSSEStream(),
    });
  }

  async function createAgain(
    call: McpCall,
    id: string,
    client: SessionClient,
  ): Promise<Session<SessionTransport>> {
    const session = await connect(call, id);
    const response = await session.transport.handleRequest(initializeRequest(call), {
      authInfo: asAuthInfo(call.sender),
      parsedBody: initializeMessage(client),
    });
    await response.text(); // complete once the server has handled it
    return session;
  }

  /** The session of a request; created again if this process does not hold it. */
  async function sessionOf(call: McpCall, id: string): Promise<Session<SessionTransport>> {
    const { endpoint, sender } = call;
    const { caller } = sender.identity;
    const client = ended.has(id) ? undefined : ids.read(endpoint.path, caller, id);
    if (!client) throw unknownSession('Send initialize again.');
    // Concurrent requests share one: a second would take over the responses of the first.
    await beingCreated.get(id);
    const held = sessions.find<SessionTransport>(endpoint.path, sender.identity, id);
    if (held) return held;
    const creating = createAgain(call, id, client).finally(() => beingCreated.delete(id));
    beingCreated.set(id, creating);
    return creating;
  }

  return {
    async open(call: McpCall, message: InitializeRequest): Promise<Response> {
      const { endpoint, sender, request } = call;
      const session = await connect(call, ids.issue(endpoint.path, sender.identity.caller, message.params));
      const response = await handle(session, request, asAuthInfo(sender), message);
      if (!response.ok) await session.transport.close(); // the session never started
      return response;
    },

    /** A request within a session: a message, its stream (`GET`) or its end (`DELETE`). */
    async handle(call: McpCall, parsedBody: unknown): Promise<Response> {
      const { request, sender } = call;
      const id = sessionIdOf(call);
      if (id === undefined) {
        throw new AppError('method_not_allowed', 'Use POST here; streams belong to a session.', {
          hint: 'Send initialize first and keep its Mcp-Session-Id.',
        });
      }
      const session = await sessionOf(call, id);
      if (request.method === 'GET') {
        session.streams++;
        request.signal.addEventListener('abort', () => session.streams--, { once: true });
      }
      const answer = clientResponseOf(parsedBody);
      const own = answer && (await session.transport.ownResponse(answer));
      if (answer && !own) return new Response(null, { status: 202 });
      const response = await handle(session, request, asAuthInfo(sender), own ?? parsedBody);
      if (services.closing.aborted) session.transport.closeStandaloneSSEStream();
      return response;
    },
  };
}

function handle(
  { transport }: Session<SessionTransport>,
  request: Request,
  authInfo: AuthInfo,
  parsedBody: unknown,
) {
  return transport.handleRequest(request, { authInfo, parsedBody });
}

function initializeRequest({ request }: McpCall): Request {
  return new Request(request.url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  });
}

/** What a client sent once to open the session; its name is not in the id, because nothing depends on it. */
function initializeMessage({ protocolVersion, capabilities }: SessionClient) {
  const clientInfo = { name: 'unknown', version: '0' };
  const params = { protocolVersion, capabilities, clientInfo };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}
