import { randomUUID } from 'node:crypto';
import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { AppError } from '../../errors.ts';
import { asAuthInfo } from '../mcp-message.ts';
import { type McpCall, readMessage } from './mcp-call.ts';
import { SESSION_POLICY, type Session, type Sessions } from './sessions.ts';

/** Buffered for a client that reads too slowly; beyond it the stream ends. */
const MAX_BUFFERED_BYTES = 8 * 1_048_576;

/** The HTTP+SSE transport of 2024-11-05: clients post messages, and read the responses from a stream. */
class SseTransport implements Transport {
  readonly sessionId = randomUUID();
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #open = true;
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
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#heartbeat);
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
    if (this.#controller.desiredSize! < -MAX_BUFFERED_BYTES) void this.close();
  }
}

/** Opens a stream; its first event names the path to post messages to. */
export async function openSse(sessions: Sessions, call: McpCall): Promise<Response> {
  const { endpoint, sender, request } = call;
  const transport = new SseTransport(endpoint.messagePath!);
  const server = endpoint.createServer({ identity: sender.identity, lasting: true });
  const onClose = server.onclose;
  server.onclose = () => {
    sessions.remove(transport.sessionId);
    onClose?.();
  };
  await server.connect(transport);
  const close = () => void server.close().catch(() => {});
  const session = sessions.add(endpoint.messagePath!, sender.identity, transport.sessionId, transport, close);
  session.streams++; // never idle: the session lasts as long as its stream
  request.signal.addEventListener('abort', close, { once: true });
  return new Response(transport.stream, { headers: { 'content-type': 'text/event-stream' } });
}

/** Accepts a message for an open stream, which will carry the response. */
export async function postToSse(sessions: Sessions, call: McpCall): Promise<Response> {
  const { endpoint, sender } = call;
  const id = call.c.req.query('sessionId');
  if (id === undefined)
    throw new AppError('invalid_input', 'sessionId is missing.', { reason: 'missing_session' });
  const session: Session<SseTransport> = sessions.find(endpoint.messagePath!, sender.identity, id);
  const body = await readMessage(call);
  let message: JSONRPCMessage;
  try {
    message = parseJSONRPCMessage(body);
  } catch {
    throw new AppError('invalid_input', 'The body is not a JSON-RPC message.', { reason: 'bad_type' });
  }
  session.transport.onmessage?.(message, { authInfo: asAuthInfo(sender) });
  return new Response('Accepted', { status: 202 });
}
