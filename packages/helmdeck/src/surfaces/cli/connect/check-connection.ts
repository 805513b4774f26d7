import { spawn } from 'node:child_process';
import { AppError, type ErrorEnvelope } from '../../../errors.ts';
import { eventData, linesOf, type Message } from '../stdio-messages.ts';
import type { DesiredConnection } from './client.ts';
import { mcpLaunch, mcpVariables } from './clients/json-client.ts';

const CHECK_TIMEOUT_MS = 20_000;
const PROTOCOL = '2025-11-25';

/** What a client sees when it connects. */
export interface ConnectionCheck {
  protocol: string;
  tools: string[];
}

type RpcResponse = Message & { result?: { serverInfo?: { name?: string }; tools?: { name: string }[] } };
/** Sends a message; resolves with the response to a request, and with undefined after a notification. */
type SendMessage = (message: object) => Promise<RpcResponse | undefined>;

/** Connects as the client will: `initialize`, then `tools/list`. */
export async function checkConnection(
  desired: DesiredConnection,
  options: { startsServers: boolean; environment: NodeJS.ProcessEnv; version: string },
): Promise<ConnectionCheck> {
  const ended = new AbortController();
  const timeout = setTimeout(() => ended.abort(), CHECK_TIMEOUT_MS);
  try {
    const send = options.startsServers
      ? stdioSender(desired, options.environment, ended.signal)
      : httpSender(desired, ended.signal);
    return await handshake(send, options.version);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw failed(
      ended.signal.aborted ? 'it did not respond in time' : String((thrown as Error).message),
      thrown,
    );
  } finally {
    clearTimeout(timeout);
    ended.abort();
  }
}

async function handshake(send: SendMessage, version: string): Promise<ConnectionCheck> {
  const clientInfo = { name: 'helmdeck-connect', version };
  const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const opened = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  if (opened?.result?.serverInfo?.name !== 'helmdeck')
    throw failed('the server at this address is not Helmdeck');
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const listed = await send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
  const tools = listed?.result?.tools?.map(({ name }) => name) ?? [];
  if (tools.length === 0) throw failed('it offers no tools');
  return { protocol: String(opened.result.protocolVersion), tools };
}

function httpSender({ address, token }: DesiredConnection, signal: AbortSignal): SendMessage {
  let session: string | undefined;
  return async (message) => {
    const response = await fetch(address, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL }),
      },
      body: JSON.stringify(message),
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    if (!response.ok) throw failed(`it responds with status ${response.status}${await reasonOf(response)}`);
    return readRpcResponse(response, signal);
  };
}

async function readRpcResponse(response: Response, signal: AbortSignal): Promise<RpcResponse | undefined> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return (await response.json()) as RpcResponse;
  if (!type.startsWith('text/event-stream') || !response.body) {
    await response.body?.cancel();
    return undefined;
  }
  for await (const data of eventData(response.body, signal)) {
    const message = JSON.parse(data) as RpcResponse;
    if (message.id !== undefined) return message;
  }
  return undefined;
}

async function reasonOf(response: Response): Promise<string> {
  const envelope = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>;
  return typeof envelope.message === 'string' ? `: ${envelope.message}` : '';
}

function stdioSender(
  desired: DesiredConnection,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): SendMessage {
  const { command, args } = mcpLaunch(desired);
  const env = { ...environment, ...mcpVariables(desired) };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], signal });
  const gone = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  });
  gone.catch(() => {});
  child.stdin.on('error', () => {});
  const lines = linesOf(child.stdout);
  return async (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    if (!('id' in message)) return undefined;
    const { value, done } = await Promise.race([lines.next(), gone]);
    return done ? undefined : (JSON.parse(value as string) as RpcResponse);
  };
}

function failed(why: string, cause?: unknown): AppError {
  return new AppError('memory_unavailable', `The connection was tested and does not work: ${why}.`, {
    reason: 'check_failed',
    hint: 'Nothing was changed. "helmdeck doctor" finds problems.',
    cause,
  });
}
