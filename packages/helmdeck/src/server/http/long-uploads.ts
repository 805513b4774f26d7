import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

// Node gives a request five minutes to arrive as a whole. An import is read as fast as it is worked on, so it may take
// longer; it is cut only if nothing arrives for as long. Every other request keeps the limit of Node.

const LONG_UPLOAD = '/api/v1/memory/import';
const MAX_PAUSE_MS = 300_000;

/** What Node itself responds to a request that it cannot read, by the code of the error. */
const RESPONSES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Returns what must see every request before it is served. */
export function allowLongUploads(http: Server): (request: IncomingMessage) => void {
  const uploading = new WeakSet<Duplex>();
  http.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploading.has(socket)) return;
    if (error.code !== 'ECONNRESET' && socket.writable)
      socket.write(
        `HTTP/1.1 ${RESPONSES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`,
      );
    socket.destroy(error);
  });
  return (request) => {
    if (!request.url?.startsWith(LONG_UPLOAD)) return;
    const { socket } = request;
    uploading.add(socket);
    socket.setTimeout(MAX_PAUSE_MS);
    request.once('close', () => uploading.delete(socket));
  };
}
