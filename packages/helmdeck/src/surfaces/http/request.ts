import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { AppError } from '../../errors.ts';

export const MAX_BODY_BYTES = 1_048_576;

/** Reads a header of a request by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

function socketOf(c: Context): IncomingMessage | undefined {
  return (c.env as { incoming?: IncomingMessage } | undefined)?.incoming;
}

/** A header of the request; from the socket where there is one, because a `Headers` object is dear to make. */
export function requestHeader(c: Context, name: string): string | undefined {
  const raw = socketOf(c);
  if (!raw) return c.req.header(name);
  const value = raw.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The whole body, refused as soon as it is known to be too large. */
export async function bodyBytes(c: Context): Promise<Uint8Array> {
  const declared = requestHeader(c, 'content-length');
  if (declared !== undefined && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  const raw = socketOf(c);
  if (!raw) return new Uint8Array(await c.req.arrayBuffer());
  return raw.readableLength === Number(declared) ? whatCame(raw) : fromSocket(raw);
}

/** A short body comes with its headers and is there already; to wait for the events that say so takes longer. */
function whatCame(raw: IncomingMessage): Buffer {
  const body: Buffer | null = raw.read();
  raw.resume(); // to its end
  return body ?? Buffer.alloc(0);
}

/** As it comes in: by way of a `Request` every body is copied twice, into buffers that are dear to make and to free. */
function fromSocket(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;
    raw.on('data', (chunk: Buffer) => {
      total += chunk.length;
      // Without a declared length this shows only while it comes in.
      if (total > MAX_BODY_BYTES) reject(tooLarge());
      else chunks.push(chunk);
    });
    raw.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    // Nobody waits for this answer; it only must not look like a failure of ours.
    raw.on('error', () => reject(new AppError('invalid_input', 'The connection ended before the body did.')));
  });
}

const tooLarge = () => new AppError('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);

/** The token of the Authorization header, if there is one. */
export function bearerOf(header: HeaderReader): string | undefined {
  const text = header('authorization');
  if (text === undefined) return undefined;
  const match = /^Bearer +(\S+) *$/i.exec(text);
  if (!match) throw new AppError('invalid_token', 'The Authorization header is not "Bearer <token>".');
  return match[1];
}

/** Without auth, a web page must not reach the server through the browser of the person at the machine. */
export function assertLocalPage(header: HeaderReader, loopback: boolean): void {
  const site = header('sec-fetch-site');
  // A browser sends no Origin with a form's GET, an image or a link, but always says that they come from elsewhere.
  const elsewhere = site === 'cross-site' || site === 'same-site';
  const host = header('host') ?? '';
  const origin = header('origin');
  const foreign = !isLocalName(host) || (origin !== undefined && hostOf(origin) !== host);
  if (elsewhere || (loopback && foreign)) {
    throw new AppError(
      'forbidden_origin',
      'Without auth, only local programs and pages of this server may call it.',
    );
  }
}

/** Whether a Host header names this machine; any other name may be one that a web page re-bound to it. */
export function isLocalName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

export function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** A sender's own request id is kept when it is harmless, so that logs on both sides can be joined. */
export function harmlessRequestId(given: string | undefined): string | undefined {
  return given !== undefined && /^[A-Za-z0-9_.-]{8,64}$/.test(given) ? given : undefined;
}
