import type { Readable } from 'node:stream';

/** As much of a JSON-RPC message as the way through needs. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
  error?: unknown;
}

const VERSION_IN_MESSAGE = 'io.modelcontextprotocol/protocolVersion';
/** Methods whose subject stands in a header of its own, and the field it is copied from. */
const NAMED_BY: Record<string, 'name' | 'uri'> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Whether a message is of the protocol without sessions, in which each says its version. */
export function ownVersion(message: Message): string | undefined {
  const version = message.params?._meta?.[VERSION_IN_MESSAGE];
  return typeof version === 'string' ? version : undefined;
}

/** Headers that the newer protocol wants beside each message. */
export function standardHeaders(message: Message): Record<string, string> {
  const version = ownVersion(message);
  if (version === undefined || message.method === undefined) return {};
  const field = NAMED_BY[message.method];
  const name = field && message.params?.[field];
  return {
    'mcp-protocol-version': version,
    'mcp-method': message.method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** A header holds visible ASCII; anything else goes as base64. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

const MAX_LINE_CHARS = 16 * 1_048_576;

/** Lines of a stream; one without an end in sight is an error, not a reason to run out of memory. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let waiting = '';
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (waiting + chunk).split('\n');
    waiting = lines.pop()!;
    if (waiting.length > MAX_LINE_CHARS) throw new RangeError('a message is too long');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (waiting.trim() !== '') yield waiting;
}

/** The data of server-sent events, one by one, until the stream ends or is no longer wanted. */
export async function* eventData(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let waiting = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (waiting + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      waiting = events.pop()!;
      for (const event of events) {
        const data = [...event.matchAll(/^data: ?(.*)$/gm)].map((match) => match[1]).join('\n');
        if (data !== '') yield data;
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
