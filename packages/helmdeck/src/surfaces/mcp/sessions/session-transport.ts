import { randomBytes } from 'node:crypto';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { QuestionRelay } from './question-relay.ts';
import { SESSION_POLICY } from './sessions.ts';

type Options = NonNullable<ConstructorParameters<typeof WebStandardStreamableHTTPServerTransport>[0]>;
type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport['send']>[1];

/** A response of the client to a request of the server. */
interface ClientResponse {
  id: string | number;
  result?: unknown;
}

/**
 * A transport whose session other nodes serve too. Each of them numbers its own requests to the client, so the ids get a
 * prefix that tells them apart; a response that reaches the wrong node is forwarded.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #id: string;
  readonly #relay: QuestionRelay;
  readonly #prefix = `${randomBytes(8).toString('hex')}-`;
  /** Requests to the client that have no response yet, and how to stop waiting for it. */
  readonly #questions = new Map<string | number, () => void>();

  constructor(id: string, relay: QuestionRelay, options: Options) {
    super({ ...options, sessionIdGenerator: () => id, keepAliveMs: SESSION_POLICY.checkIntervalMs });
    this.#id = id;
    this.#relay = relay;
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (isJSONRPCRequest(message)) return super.send(await this.#ask(message), options);
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled')
      return super.send(message, options);
    const requestId = message.params?.requestId as string | number;
    this.#stopWaiting(requestId);
    const params = { ...message.params, requestId: this.#prefix + requestId };
    return super.send({ ...message, params }, options);
  }

  /** The response under the id that the server gave its request; undefined if another node asked, which then gets it. */
  async ownResponse(response: ClientResponse): Promise<ClientResponse | undefined> {
    const sentId = String(response.id);
    const id = [...this.#questions.keys()].find((each) => this.#prefix + each === sentId);
    if (id === undefined) {
      await this.#relay.forward(this.#id, sentId, response);
      return undefined;
    }
    this.#stopWaiting(id);
    return { ...response, id };
  }

  override async close(): Promise<void> {
    for (const id of [...this.#questions.keys()]) this.#stopWaiting(id);
    await super.close();
  }

  async #ask(request: JSONRPCRequest): Promise<JSONRPCRequest> {
    const { id } = request;
    const sentId = this.#prefix + id;
    const onAnswer = (result: Record<string, unknown>) => {
      this.#stopWaiting(id);
      this.onmessage?.({ jsonrpc: '2.0', id, result });
    };
    this.#questions.set(id, await this.#relay.expect(this.#id, sentId, onAnswer));
    return { ...request, id: sentId };
  }

  #stopWaiting(id: string | number): void {
    this.#questions.get(id)?.();
    this.#questions.delete(id);
  }
}

/** A message that answers a request of the server. */
export function clientResponseOf(message: unknown): ClientResponse | undefined {
  if (typeof message !== 'object' || message === null || 'method' in message || !('id' in message))
    return undefined;
  const isResponse = 'result' in message || 'error' in message;
  return isResponse && message.id !== null ? (message as ClientResponse) : undefined;
}
