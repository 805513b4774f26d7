import { setTimeout as pause } from 'node:timers/promises';
import { ERRORS, type ErrorEnvelope, errorEnvelope, toAppError } from '../../errors.ts';
import type { Connection, Terminal } from './deps.ts';
import { eventData, linesOf, type Message, ownVersion, standardHeaders } from './stdio-messages.ts';

const PARSE_ERROR = -32700;
/** How long answers that are on their way may take after the client has said its last word. */
const LAST_ANSWERS_MS = 5_000;
const RECONNECT_MS = 1_000;
const ACCEPT = 'application/json, text/event-stream';

/** Carries MCP messages between standard streams and a server, whichever protocol era they are of. Ends with the input. */
export async function proxyStdio(connection: Connection, path: string, terminal: Terminal): Promise<void> {
  const proxy = createProxy(connection, path, (line) => void terminal.out.write(`${line}\n`));
  try {
    for await (const line of linesOf(terminal.in)) proxy.take(line);
  } finally {
    await proxy.end();
  }
}

function createProxy(connection: Connection, path: string, write: (line: string) => void) {
  const ended = new AbortController();
  /** Requests on their way, by id, so that a cancelled one can be let go. */
  const pending = new Map<unknown, AbortController>();
  const working = new Set<Promise<void>>();
  let session: string | undefined;
  let version: string | undefined;
  /** What opened the session, to open another one when the server has lost it. */
  let opener: Message | undefined;
  let opening: Promise<unknown> = Promise.resolve();

  const post = (message: Message, signal: AbortSignal) => {
    const legacy = ownVersion(message) === undefined && message.method !== 'initialize';
    const headers = {
      'content-type': 'application/json',
      accept: ACCEPT,
      ...(legacy && session !== undefined ? { 'mcp-session-id': session } : {}),
      ...(legacy && version !== undefined ? { 'mcp-protocol-version': version } : {}),
      ...standardHeaders(message),
    };
    return connection.fetch(path, { method: 'POST', headers, body: JSON.stringify(message), signal });
  };

  /** Hands on what came back; the answer to `initialize` also tells which protocol it will be. */
  async function handOn(
    response: Response,
    signal: AbortSignal,
    hears: (message: Message) => void,
  ): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body) {
      for await (const data of eventData(response.body, signal)) hears(JSON.parse(data) as Message);
    } else if (type.startsWith('application/json')) {
      const answer = (await response.json()) as Message | Message[];
      for (const message of Array.isArray(answer) ? answer : [answer]) hears(message);
    } else await response.body?.cancel();
  }

  async function open(message: Message, hears: (message: Message) => void): Promise<void> {
    const response = await post(message, ended.signal);
    if (!response.ok) return refuse(message, response);
    session = response.headers.get('mcp-session-id') ?? undefined;
    opener = message;
    await handOn(response, ended.signal, (answer) => {
      if (typeof answer.result?.protocolVersion === 'string') version = answer.result.protocolVersion;
      hears(answer);
    });
    if (session !== undefined) void followStream(session);
  }

  /** What the server says of itself comes through a stream of its own. */
  async function followStream(of: string): Promise<void> {
    while (!ended.signal.aborted && session === of) {
      try {
        const headers = { accept: 'text/event-stream', 'mcp-session-id': of };
        const response = await connection.fetch(path, { headers, signal: ended.signal });
        if (!response.ok) return void (await response.body?.cancel());
        await handOn(response, ended.signal, (message) => write(JSON.stringify(message)));
      } catch {
        // The server may be on its way back.
      }
      await pause(RECONNECT_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {});
    }
  }

  async function reopen(): Promise<void> {
    await open(opener!, () => {});
    const response = await post({ ...envelope(), method: 'notifications/initialized' }, ended.signal);
    await response.body?.cancel();
  }

  async function refuse(message: Message, response: Response): Promise<void> {
    const body = (await response.json().catch(() => ({}))) as Message & Partial<ErrorEnvelope>;
    if (message.method === undefined || message.id === undefined) return;
    if (typeof body.error === 'object') return write(JSON.stringify({ ...body, id: message.id }));
    const known = body.error !== undefined && body.error in ERRORS ? (body as ErrorEnvelope) : undefined;
    fail(message, known ?? errorEnvelope(toAppError(undefined)));
  }

  function fail(message: Message, problem: ErrorEnvelope): void {
    if (message.method === undefined || message.id === undefined) return;
    const error = { code: ERRORS[problem.error].jsonRpc, message: problem.message, data: problem };
    write(JSON.stringify({ ...envelope(), id: message.id, error }));
  }

  async function forward(message: Message): Promise<void> {
    if (message.method === 'initialize' && ownVersion(message) === undefined) {
      opening = open(message, (answer) => write(JSON.stringify(answer)));
      return void (await opening);
    }
    await opening.catch(() => {});
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ended.signal]);
    if (message.method !== undefined && message.id !== undefined) pending.set(message.id, stop);
    try {
      const sentIn = session;
      let response = await post(message, signal);
      if (response.status === 404 && sentIn !== undefined && opener && ownVersion(message) === undefined) {
        await response.body?.cancel();
        // The server was restarted. Several messages may find out at once; the first opens for all.
        if (session === sentIn) {
          session = undefined;
          opening = reopen();
        }
        await opening;
        response = await post(message, signal);
      }
      if (!response.ok) return await refuse(message, response);
      await handOn(response, signal, (answer) => write(JSON.stringify(answer)));
    } finally {
      pending.delete(message.id);
    }
  }

  function take(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
      if (typeof message !== 'object' || message === null) throw new SyntaxError();
    } catch {
      const error = { code: PARSE_ERROR, message: 'Parse error: this line is not JSON' };
      write(JSON.stringify({ ...envelope(), id: null, error }));
      return;
    }
    // The newer protocol has no such message over HTTP: letting go of the answer says it.
    if (message.method === 'notifications/cancelled' && ownVersion(message) !== undefined) {
      pending.get(message.params?.requestId)?.abort();
      return;
    }
    const work: Promise<void> = forward(message)
      .catch((thrown: unknown) => {
        const cancelled = thrown instanceof Error && thrown.name === 'AbortError';
        if (!cancelled) fail(message, errorEnvelope(toAppError(thrown)));
      })
      .finally(() => working.delete(work));
    working.add(work);
  }

  return {
    take,
    async end(): Promise<void> {
      const late = pause(LAST_ANSWERS_MS, undefined, { signal: ended.signal }).catch(() => {});
      await Promise.race([Promise.all(working), late]);
      ended.abort();
      if (session === undefined) return;
      const headers = { 'mcp-session-id': session };
      await connection.fetch(path, { method: 'DELETE', headers }).catch(() => {});
    },
  };
}

const envelope = () => ({ jsonrpc: '2.0' as const });
