import { randomUUID } from 'node:crypto';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type MessageExtraInfo,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import type { TakeSlot } from '../http/stream-slots.ts';
import { asAuthInfo, type Sender } from '../mcp-message.ts';
import { type McpCall, readMessage } from './mcp-call.ts';
import type { McpServices } from './mcp-services.ts';
import { SESSION_POLICY, type Sessions, unknownSession } from './sessions/sessions.ts';

/**
 * The HTTP+SSE transport of 2024-11-05: clients post messages, and read the responses from a stream. The stream is the
 * session: without it there is no way back to the client, so no other process can take the session up.
 */
class SseTransport implements Transport {
  readonly sessionId = randomUUID();
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #open = true;
  #draining = false;
  /** Requests that have no response yet, and how to release their slots. */
  readonly #pending = new Map<unknown, () => void>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(messagePath: string) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
    this.#heartbeat = setInterval(() => this.#write(':\n\n'), SESSION_POLICY.checkIntervalMs).unref();
    this.#write(`event: endpoint\ndata: ${messagePath}?sessionId=${this.sessionId}\n\n`);
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if ('method' in message) return;
    this.#release(message.id);
    if (this.#draining) this.drain();
  }

  receive(message: JSONRPCMessage, sender: Sender, takeSlot: TakeSlot): void {
    if (isJSONRPCRequest(message)) {
      const release = takeSlot(sender.identity.caller);
      this.#release(message.id); // a client that uses an id twice has only one request under it
      this.#pending.set(message.id, release);
    }
    this.onmessage?.(message, { authInfo: asAuthInfo(sender) });
  }

  #release(id: unknown): void {
    this.#pending.get(id)?.();
    this.#pending.delete(id);
  }

  /** Ends the stream once every request has its response. */
  drain(): void {
    this.#draining = true;
    if (this.#pending.size === 0) void this.close();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#heartbeat);
    for (const id of [...this.#pending.keys()]) this.#release(id);
    try {
      this.#controller.close();
    } catch {
      // The client closed it first.
    }
    this.onclose?.();
  }

  #write(text: string): void {
    if (!this.#open) return;
    this.#controller.enqueue(this.#encoder.encode(text));
  }
}

/** Opens a stream; its first event names the path to post messages to. */
export async function openSse(
  { closing }: McpServices,
  sessions: Sessions,
  call: McpCall,
): Promise<Response> {
  const { endpoint, sender, request } = call;
  const transport = new SseTransport(endpoint.messagePath!);
  const { sessionId } = transport;
  const isLive = () => sessions.isLive(sessionId);
  const server = endpoint.createServer({ identity: sender.identity, lasting: true, isLive });
  const onClose = server.onclose;
  server.onclose = () => {
    sessions.remove(sessionId);
    onClose?.();
  };
  await server.connect(transport);
  const close = () => void server.close().catch(() => {});
  const drain = () => transport.drain();
  const session = sessions.add(endpoint.messagePath!, sender.identity, sessionId, transport, {
    close,
    drain,
  });
  session.streams++; // never idle: the session lasts as long as its stream
  request.signal.addEventListener('abort', close, { once: true });
  if (closing.aborted) drain();
  return new Response(transport.stream, { headers: { 'content-type': 'text/event-stream' } });
}

/** Accepts a message for an open stream, which will carry the response. */
export async function postToSse(sessions: Sessions, takeSlot: TakeSlot, call: McpCall): Promise<Response> {
  const { endpoint, sender } = call;
  const id = call.c.req.query('sessionId');
  if (id === undefined)
    throw new AppError('invalid_input', 'sessionId is missing.', { reason: 'missing_session' });
  const session = sessions.find<SseTransport>(endpoint.messagePath!, sender.identity, id);
  if (!session)
    throw unknownSession(
      'Open the stream again. Behind a load balancer, messages must reach the node that holds the stream.',
    );
  const body = await readMessage(call);
  let message: JSONRPCMessage;
  try {
    message = parseJSONRPCMessage(body);
  } catch {
    throw new AppError('invalid_input', 'The body is not a JSON-RPC message.', { reason: 'bad_type' });
  }
  session.transport.receive(message, sender, takeSlot);
  return new Response('Accepted', { status: 202 });
}
