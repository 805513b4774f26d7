import { spawn } from 'node:child_process';
import { AppError, type ErrorEnvelope } from '../../../errors.ts';
import { eventData, linesOf, type Message } from '../stdio-messages.ts';
import type { Wanted } from './client.ts';
import { mcpLaunch, mcpVariables } from './clients/json-client.ts';

const CHECK_MS = 20_000;
const PROTOCOL = '2025-11-25';

/** What a program will see when it connects. */
export interface Checked {
  protocol: string;
  tools: string[];
}

type Answer = Message & { result?: { serverInfo?: { name?: string }; tools?: { name: string }[] } };
/** Sends a message; gives the answer to a request, and nothing to a notification. */
type Ask = (message: object) => Promise<Answer | undefined>;

/** Connects as the program will: says hello, and asks for the tools. */
export async function checkConnection(
  wanted: Wanted,
  options: { startsServers: boolean; environment: NodeJS.ProcessEnv; version: string },
): Promise<Checked> {
  const ended = new AbortController();
  const late = setTimeout(() => ended.abort(), CHECK_MS);
  try {
    const ask = options.startsServers
      ? askProgram(wanted, options.environment, ended.signal)
      : askAddress(wanted, ended.signal);
    return await hello(ask, options.version);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw failed(
      ended.signal.aborted ? 'it did not answer in time' : String((thrown as Error).message),
      thrown,
    );
  } finally {
    clearTimeout(late);
    ended.abort();
  }
}

async function hello(ask: Ask, version: string): Promise<Checked> {
  const clientInfo = { name: 'helmdeck-connect', version };
  const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const opened = await ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  if (opened?.result?.serverInfo?.name !== 'helmdeck')
    throw failed('something else than Helmdeck answers there');
  await ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const listed = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
  const tools = listed?.result?.tools?.map(({ name }) => name) ?? [];
  if (tools.length === 0) throw failed('it offers no tools');
  return { protocol: String(opened.result.protocolVersion), tools };
}

function askAddress({ address, token }: Wanted, signal: AbortSignal): Ask {
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
    if (!response.ok) throw failed(`it answers ${response.status}${await reasonOf(response)}`);
    return answerIn(response, signal);
  };
}

async function answerIn(response: Response, signal: AbortSignal): Promise<Answer | undefined> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return (await response.json()) as Answer;
  if (!type.startsWith('text/event-stream') || !response.body) {
    await response.body?.cancel();
    return undefined;
  }
  for await (const data of eventData(response.body, signal)) {
    const message = JSON.parse(data) as Answer;
    if (message.id !== undefined) return message;
  }
  return undefined;
}

async function reasonOf(response: Response): Promise<string> {
  const envelope = (await response.json().catch(() => ({}))) as Partial<ErrorEnvelope>;
  return typeof envelope.message === 'string' ? `: ${envelope.message}` : '';
}

function askProgram(wanted: Wanted, environment: NodeJS.ProcessEnv, signal: AbortSignal): Ask {
  const { command, args } = mcpLaunch(wanted);
  const env = { ...environment, ...mcpVariables(wanted) };
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
    return done ? undefined : (JSON.parse(value as string) as Answer);
  };
}

function failed(why: string, cause?: unknown): AppError {
  return new AppError('memory_unavailable', `The connection was tried and does not work: ${why}.`, {
    reason: 'check_failed',
    hint: 'Nothing was changed. "helmdeck doctor" looks for what is wrong.',
    cause,
  });
}
