import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Resolve } from './system-resolve.ts';

/** One HTTP request, as it is sent. */
export interface Exchange {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export interface ExchangeOptions {
  resolve: Resolve;
  /** Throws if this address must not be connected to. */
  assertAddress(address: string): void;
  maxBytes: number;
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  /** Lower-case names, the first value of each. */
  headers: Record<string, string>;
  body: Uint8Array;
  truncated: boolean;
}

const MAX_HEADER_BYTES = 32_768;
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * Sends one request on its own connection. The name is resolved once, every address is checked, and the socket connects
 * to one of these addresses, which prevents DNS rebinding.
 */
export async function exchange(outgoing: Exchange, options: ExchangeOptions): Promise<HttpResponse> {
  const { url, method, headers, body } = outgoing;
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = secure ? httpsRequest : httpRequest;
    const request = send(url, {
      method,
      headers: { ...headers, 'accept-encoding': ACCEPT_ENCODING },
      agent,
      lookup: checkedLookup(options),
      signal: options.signal,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.once('socket', (socket) => checkPeer(socket, options.assertAddress, reject));
    // Protocol upgrades are not supported.
    request.once('upgrade', (_message, socket) => socket.destroy(new Error('unexpected upgrade')));
    request.end(body);
  });
  try {
    return await readResponse(incoming, options.maxBytes);
  } finally {
    incoming.destroy();
    agent.destroy();
  }
}

function checkedLookup({ resolve, assertAddress, signal }: ExchangeOptions): LookupFunction {
  return (host, { all }, done) => {
    resolve(host, signal)
      .then((addresses) => {
        if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        // One internal address is enough to refuse: a name with public and internal addresses is suspicious.
        for (const { address } of addresses) assertAddress(address);
        if (all) done(null, [...addresses]);
        else done(null, addresses[0]!.address, addresses[0]!.family);
      })
      .catch((thrown: NodeJS.ErrnoException) => done(thrown, all ? [] : ''));
  };
}

/** Checks the address that was actually connected to, before any byte is sent. */
function checkPeer(
  socket: Socket,
  assertAddress: (address: string) => void,
  reject: (error: unknown) => void,
) {
  socket.prependOnceListener('connect', () => {
    try {
      assertAddress(socket.remoteAddress ?? '');
    } catch (thrown) {
      reject(thrown);
      socket.destroy();
    }
  });
}

async function readResponse(incoming: IncomingMessage, maxBytes: number): Promise<HttpResponse> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(incoming.headersDistinct)) headers[name] = values?.[0] ?? '';
  const decoder = DECODERS[headers['content-encoding']?.trim().toLowerCase() ?? ''];
  if (decoder) {
    delete headers['content-encoding'];
    delete headers['content-length'];
  }
  const source: Readable = decoder ? decoded(incoming, decoder()) : incoming;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break; // also stops a decompression bomb
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return { status: incoming.statusCode ?? 0, headers, body, truncated: size > maxBytes };
}

function decoded(incoming: IncomingMessage, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  incoming.once('error', (error) => decoder.destroy(error));
  incoming.once('close', () => {
    if (!incoming.complete) decoder.destroy(new Error('the body is incomplete'));
  });
  return incoming.pipe(decoder);
}
