import type { Readable } from 'node:stream';

/** The fields of a JSON-RPC message that the proxy reads. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
  error?: unknown;
}

const VERSION_IN_MESSAGE = 'io.modelcontextprotocol/protocolVersion';
/** Methods that need the header Mcp-Name, and the parameter it is copied from. */
const NAMED_BY: Record<string, 'name' | 'uri'> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The protocol version of a message; only messages of the protocol without sessions have one. */
export function ownVersion(message: Message): string | undefined {
  const version = message.params?._meta?.[VERSION_IN_MESSAGE];
  return typeof version === 'string' ? version : undefined;
}

/** The headers that the newer protocol requires with each message. */
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

/** Headers can contain only visible ASCII; other text is encoded as base64. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

const MAX_LINE_CHARS = 16 * 1_048_576;

/** The lines of a stream; throws on an endless line before memory runs out. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let partial = '';
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop()!;
    if (partial.length > MAX_LINE_CHARS) throw new RangeError('a message is too long');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (partial.trim() !== '') yield partial;
}

/** The data of server-sent events, one by one, until the stream ends or the signal is aborted. */
export async function* eventData(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let partial = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (partial + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      partial = events.pop()!;
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
