import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type ErrorEnvelope, errorEnvelope, toAppError } from '../../errors.ts';
import type { Connection, Terminal } from './deps.ts';
import { eventData, linesOf, type Message, ownVersion, standardHeaders } from './stdio-messages.ts';

const PARSE_ERROR = -32700;
/** How long pending responses may take after the input has ended. */
const SHUTDOWN_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 1_000;
const ACCEPT = 'application/json, text/event-stream';

type OnMessage = (message: Message) => void;

/** Forwards MCP messages between standard streams and a server, with or without sessions. Ends with the input. */
export async function proxyStdio(connection: Connection, path: string, terminal: Terminal): Promise<void> {
  const proxy = createProxy(connection, path, (message) => {
    terminal.out.write(`${JSON.stringify(message)}\n`);
  });
  try {
    for await (const line of linesOf(terminal.in)) proxy.receive(line);
  } finally {
    await proxy.close();
  }
}

/** The connection to the MCP server, with the session of the older protocol. */
interface McpSession {
  post(message: Message, signal: AbortSignal): Promise<Response>;
  /** Sends `initialize`; the response opens a session. */
  open(message: Message): Promise<void>;
  /** Waits until a session that is being opened is open, or has failed to open. */
  ready(): Promise<void>;
  /** The id of the session, if there is one. */
  id(): string | undefined;
  /** Opens a new session after the server lost `lostId`. */
  reopen(lostId: string): Promise<void>;
  close(): Promise<void>;
}

interface SessionOptions {
  connection: Connection;
  path: string;
  /** Receives every message of the server. */
  write: OnMessage;
  /** Receives a response that refuses `initialize`. */
  onRejected(message: Message, response: Response): Promise<void>;
  closed: AbortSignal;
}

function createSession({ connection, path, write, onRejected, closed }: SessionOptions): McpSession {
  let id: string | undefined;
  let version: string | undefined;
  /** The message that opened the session, to open another one if the server loses it. */
  let initialize: Message | undefined;
  let opening: Promise<void> = Promise.resolve();

  function post(message: Message, signal: AbortSignal): Promise<Response> {
    const isLegacy = ownVersion(message) === undefined && message.method !== 'initialize';
    const headers = {
      'content-type': 'application/json',
      accept: ACCEPT,
      ...(isLegacy && id !== undefined ? { 'mcp-session-id': id } : {}),
      ...(isLegacy && version !== undefined ? { 'mcp-protocol-version': version } : {}),
      ...standardHeaders(message),
    };
    return connection.fetch(path, { method: 'POST', headers, body: JSON.stringify(message), signal });
  }

  async function doOpen(message: Message, onMessage: OnMessage): Promise<void> {
    const response = await post(message, closed);
    if (!response.ok) return onRejected(message, response);
    id = response.headers.get('mcp-session-id') ?? undefined;
    initialize = message;
    await readMessages(response, closed, (each) => {
      if (typeof each.result?.protocolVersion === 'string') version = each.result.protocolVersion;
      onMessage(each);
    });
    if (id !== undefined) void followNotifications(id);
  }

  /** Notifications of the server come through a separate event stream. */
  async function followNotifications(sessionId: string): Promise<void> {
    while (!closed.aborted && id === sessionId) {
      try {
        const headers = { accept: 'text/event-stream', 'mcp-session-id': sessionId };
        const response = await connection.fetch(path, { headers, signal: closed });
        if (!response.ok) return void (await response.body?.cancel());
        await readMessages(response, closed, write);
      } catch {
        // The server may be restarting.
      }
      await sleep(RECONNECT_MS, undefined, { signal: closed, ref: false }).catch(() => {});
    }
  }

  async function doReopen(): Promise<void> {
    await doOpen(initialize!, () => {});
    const response = await post({ ...envelope(), method: 'notifications/initialized' }, closed);
    await response.body?.cancel();
  }

  return {
    post,
    open(message) {
      opening = doOpen(message, write);
      return opening;
    },
    ready: () => opening.catch(() => {}),
    id: () => id,
    async reopen(lostId) {
      // Several concurrent messages may find the session lost: only the first one opens a new session.
      if (id === lostId) {
        id = undefined;
        opening = doReopen();
      }
      await opening;
    },
    async close() {
      if (id === undefined) return;
      await connection.fetch(path, { method: 'DELETE', headers: { 'mcp-session-id': id } }).catch(() => {});
    },
  };
}

/** Reads the messages of a response, as JSON or as server-sent events. */
async function readMessages(response: Response, signal: AbortSignal, onMessage: OnMessage): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) {
    for await (const data of eventData(response.body, signal)) onMessage(JSON.parse(data) as Message);
  } else if (type.startsWith('application/json')) {
    const body = (await response.json()) as Message | Message[];
    for (const message of Array.isArray(body) ? body : [body]) onMessage(message);
  } else await response.body?.cancel();
}

function createProxy(connection: Connection, path: string, write: OnMessage) {
  const closed = new AbortController();
  const session = createSession({
    connection,
    path,
    write,
    onRejected: writeRejection,
    closed: closed.signal,
  });
  /** Pending requests by id, so that they can be cancelled. */
  const pending = new Map<unknown, AbortController>();
  const forwarding = new Set<Promise<void>>();

  /** Answers a request with an error; notifications and responses get none. */
  function writeError(message: Message, error: object): void {
    if (message.method === undefined || message.id === undefined) return;
    write({ ...envelope(), id: message.id, error } as Message);
  }

  const rpcError = (problem: ErrorEnvelope) => ({
    code: ERRORS[problem.error].jsonRpc,
    message: problem.message,
    data: problem,
  });

  /** Turns an HTTP error into a JSON-RPC error. */
  async function writeRejection(message: Message, response: Response): Promise<void> {
    const body = (await response.json().catch(() => ({}))) as Message & Partial<ErrorEnvelope>;
    if (message.method === undefined || message.id === undefined) return;
    if (typeof body.error === 'object') return write({ ...body, id: message.id } as Message);
    const known = body.error !== undefined && body.error in ERRORS ? (body as ErrorEnvelope) : undefined;
    writeError(message, rpcError(known ?? errorEnvelope(toAppError(undefined))));
  }

  /** Sends a message of a session again if the server has lost the session, for instance by a restart. */
  async function postInSession(message: Message, signal: AbortSignal): Promise<Response> {
    const sentIn = session.id();
    const response = await session.post(message, signal);
    if (response.status !== 404 || sentIn === undefined || ownVersion(message) !== undefined) return response;
    await response.body?.cancel();
    await session.reopen(sentIn);
    return session.post(message, signal);
  }

  async function forward(message: Message): Promise<void> {
    if (message.method === 'initialize' && ownVersion(message) === undefined) return session.open(message);
    await session.ready();
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closed.signal]);
    if (message.method !== undefined && message.id !== undefined) pending.set(message.id, stop);
    try {
      const response = await postInSession(message, signal);
      if (!response.ok) return await writeRejection(message, response);
      await readMessages(response, signal, write);
    } finally {
      pending.delete(message.id);
    }
  }

  return {
    /** Takes one line of the input. */
    receive(line: string): void {
      const message = parse(line);
      if (!message) {
        const error = { code: PARSE_ERROR, message: 'Parse error: this line is not JSON' };
        write({ ...envelope(), id: null, error } as Message);
        return;
      }
      // The newer protocol cancels over HTTP by closing the response, not by a message.
      if (message.method === 'notifications/cancelled' && ownVersion(message) !== undefined) {
        pending.get(message.params?.requestId)?.abort();
        return;
      }
      const work: Promise<void> = forward(message)
        .catch((thrown: unknown) => {
          const isCancelled = thrown instanceof Error && thrown.name === 'AbortError';
          if (!isCancelled) writeError(message, rpcError(errorEnvelope(toAppError(thrown))));
        })
        .finally(() => forwarding.delete(work));
      forwarding.add(work);
    },
    async close(): Promise<void> {
      const timeout = sleep(SHUTDOWN_TIMEOUT_MS, undefined, { signal: closed.signal }).catch(() => {});
      await Promise.race([Promise.all(forwarding), timeout]);
      closed.abort();
      await session.close();
    },
  };
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

const envelope = () => ({ jsonrpc: '2.0' as const });
