import type { ServerResponse } from 'node:http';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';

// Line separators of Unicode are no line ends in server-sent events, but some clients split there. JSON may escape them.
const SEPARATORS = /[\u0085\u2028\u2029]/g;
const SEPARATOR_BYTES = ['\u0085', '\u2028', '\u2029'].map((separator) => Buffer.from(separator));

/** JSON for a `data:` line of server-sent events. */
export function eventJson(value: unknown): string {
  return escapeSeparators(JSON.stringify(value));
}

function escapeSeparators(json: string): string {
  return json.replace(SEPARATORS, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for events that were encoded elsewhere; a chunk never ends within a character. */
function escapeInBytes(chunk: Uint8Array): Uint8Array {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (!SEPARATOR_BYTES.some((separator) => bytes.includes(separator))) return chunk;
  return Buffer.from(escapeSeparators(bytes.toString('utf8')));
}

const EVENT_BUFFER = Object.freeze({
  /** What may wait for a client that reads too slowly; above it the stream is cut, and the client reconnects. */
  maxStreamBytes: 8 * 1_048_576,
  /** The same for all streams of a caller together: above it the one whose client has not read for longest is cut. */
  maxCallerBytes: 16 * 1_048_576,
});

interface OpenStream {
  bufferedBytes(): number;
  /** Since when something waits for the client. */
  waitingSinceMs: number;
  cut(): void;
}

/** Relays a response; one that is not an event stream is returned unchanged. */
export type RelayEvents = (
  caller: Caller,
  response: Response,
  outgoing: ServerResponse | undefined,
) => Response;

/** Relays event streams, with separators escaped and with a limit on what is buffered for clients that do not read. */
export function createEventRelay(): RelayEvents {
  const streams = new Map<string, Set<OpenStream>>();

  function keepWithinBudget(own: Set<OpenStream>, written: OpenStream): void {
    if (written.bufferedBytes() > EVENT_BUFFER.maxStreamBytes) written.cut();
    const waiting = [...own].filter((each) => each.bufferedBytes() > 0);
    let total = waiting.reduce((sum, each) => sum + each.bufferedBytes(), 0);
    if (total <= EVENT_BUFFER.maxCallerBytes) return;
    for (const each of waiting.sort((a, b) => a.waitingSinceMs - b.waitingSinceMs)) {
      total -= each.bufferedBytes();
      each.cut();
      if (total <= EVENT_BUFFER.maxCallerBytes) return;
    }
  }

  return (caller, response, outgoing) => {
    const { headers, status } = response;
    if (!headers.get('content-type')?.startsWith('text/event-stream')) return response;
    // Read only now: it turns a response whose body is a string into a stream, which is much slower to send.
    const { body } = response;
    if (!body) return response;
    const name = namespaceOf(caller).toString('latin1');
    const own = streams.get(name) ?? new Set();
    streams.set(name, own);
    const relayed = relay(body, outgoing, {
      onOpen: (stream) => own.add(stream),
      onWrite: (stream) => keepWithinBudget(own, stream),
      onEnd(stream) {
        own.delete(stream);
        if (own.size === 0 && streams.get(name) === own) streams.delete(name);
      },
    });
    return new Response(relayed, { status, headers });
  };
}

interface RelayEvent {
  onOpen(stream: OpenStream): void;
  onWrite(stream: OpenStream): void;
  onEnd(stream: OpenStream): void;
}

function relay(
  source: ReadableStream<Uint8Array>,
  outgoing: ServerResponse | undefined,
  { onOpen, onWrite, onEnd }: RelayEvent,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let end = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stream: OpenStream = {
          bufferedBytes: () => -controller.desiredSize! + (outgoing?.writableLength ?? 0),
          waitingSinceMs: 0,
          cut() {
            end();
            // Either frees what is buffered: with its connection closed, the stream is cancelled.
            if (outgoing) outgoing.destroy();
            else controller.error(new Error('the client reads too slowly'));
            void reader.cancel().catch(() => {});
          },
        };
        let open = true;
        end = () => {
          open = false;
          onEnd(stream);
        };
        onOpen(stream);
        // Reads ahead of the client: the source cannot tell how much is waiting.
        void (async () => {
          for (;;) {
            const { done, value } = await reader.read();
            if (!open) return;
            if (done) break;
            if (stream.bufferedBytes() <= 0) stream.waitingSinceMs = performance.now();
            controller.enqueue(escapeInBytes(value));
            onWrite(stream);
          }
          end();
          controller.close();
        })().catch(() => {
          if (!open) return;
          end();
          controller.error(new Error('the stream broke off'));
        });
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
