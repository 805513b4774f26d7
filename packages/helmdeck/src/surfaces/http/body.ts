import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { incomingOf, requestHeader } from './request-context.ts';

/** Reads request bodies: size limit, media type, UTF-8 and JSON. */
export const MAX_BODY_BYTES = 1_048_576;

/** The JSON body of a request; an empty one is an error. */
export async function jsonBody(c: Context): Promise<unknown> {
  const bytes = await readBody(c);
  if (bytes.length === 0)
    throw new AppError('invalid_input', 'The body is empty; send a JSON object.', { reason: 'bad_type' });
  assertMediaType(c, 'application/json');
  return parseJson(bytes);
}

/** The same, but an empty body is `undefined`, whatever its media type. */
export async function optionalJsonBody(c: Context): Promise<unknown> {
  const bytes = await readBody(c);
  if (bytes.length === 0) return undefined;
  assertMediaType(c, 'application/json');
  return parseJson(bytes);
}

/** The whole body, rejected as soon as it is known to be too large. */
export function readBody(c: Context): Uint8Array | Promise<Uint8Array> {
  const declared = requestHeader(c, 'content-length');
  if (declared !== undefined && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  const incoming = incomingOf(c);
  if (!incoming) return c.req.arrayBuffer().then((buffer) => new Uint8Array(buffer));
  return incoming.readableLength === Number(declared) ? readBuffered(incoming) : readStream(incoming);
}

/** Small bodies arrive with the headers and are already buffered: read them synchronously. */
function readBuffered(incoming: IncomingMessage): Buffer {
  const body: Buffer | null = incoming.read();
  incoming.resume(); // lets the stream emit `end`
  return body ?? Buffer.alloc(0);
}

/** Reads from the socket: a web `Request` would copy each body twice into buffers that are expensive to make and free. */
function readStream(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;
    incoming.on('data', (chunk: Buffer) => {
      total += chunk.length;
      // Without Content-Length the size is known only while the body arrives.
      if (total > MAX_BODY_BYTES) reject(tooLarge());
      else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    incoming.on('error', () => reject(connectionEnded()));
  });
}

/** A body of any size, as it arrives. */
export async function* bodyChunks(c: Context): AsyncGenerator<Uint8Array> {
  // Not cancelled when the reader stops early: that would close the connection before the response.
  const chunks = c.req.raw.body?.values({ preventCancel: true });
  if (!chunks) return;
  try {
    yield* chunks;
  } catch {
    throw connectionEnded();
  }
}

/** The client is gone and never sees this error, but it must not be logged as a server error. */
const connectionEnded = () => new AppError('invalid_input', 'The connection ended before the body did.');

const tooLarge = () => new AppError('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);

export function assertMediaType(c: Context, expected: string): void {
  const type = requestHeader(c, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === expected || (expected === 'application/json' && type?.endsWith('+json'))) return;
  throw new AppError('unsupported_media_type', `The body must be ${expected}.`, {
    hint: `Send it with "Content-Type: ${expected}".`,
  });
}

export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes))
    throw new AppError('invalid_input', 'The body is not valid UTF-8.', { reason: 'bad_type' });
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new AppError('invalid_input', 'The body is not valid JSON.', { reason: 'bad_type' });
  }
}
