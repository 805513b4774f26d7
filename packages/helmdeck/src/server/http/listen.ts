import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { getRequestListener, RequestError } from '@hono/node-server';
import { AppError, ERRORS, errorEnvelope, toAppError } from '../../errors.ts';
import { hasDotSegment } from '../../surfaces/http/router.ts';
import type { Server } from '../build.ts';
import { type Config, SERVER_FILE } from '../config/config.ts';
import { allowLongUploads } from './long-uploads.ts';
import { trackRequests } from './requests-under-way.ts';
import { createTickBatching } from './tick-batching.ts';

// Opens the server's socket: Node's HTTP server, with tick batching in front of the app.

/** Enough for a page of text pasted into a search. For larger headers Node itself responds, without an error body. */
const MAX_HEADER_BYTES = 262_144;
const KEEP_ALIVE_MS = 65_000;
/** How long requests under way may take after a signal; then runs are cancelled. */
const DRAIN_MS = 15_000;
/** How long the remaining requests may take after that; then their connections are cut. Both together fit into 30 s. */
const CLOSE_GRACE_MS = 5_000;

export interface Listening {
  url: string;
  /** Drains: answers what is under way, ends streams, then closes the socket and the store. */
  close(): Promise<void>;
}

/** Opens the socket of the server, and writes its address to the data folder, for the CLI. */
export async function listen(server: Server, config: Config): Promise<Listening> {
  const batched = createTickBatching();
  const requests = trackRequests();
  const serve = getRequestListener(
    async (request, env) => {
      if (hasDotSegment(env.incoming.url ?? '')) return errorResponse(DOT_SEGMENT);
      const response = await batched(() => server.app.fetch(request, env));
      requests.beforeHeaders(env.outgoing as ServerResponse);
      return response;
    },
    { hostname: config.host, errorHandler: malformedRequest },
  );
  const http = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (incoming, outgoing) => {
    requests.begin(outgoing);
    beforeRequest(incoming);
    return serve(incoming, outgoing);
  });
  const beforeRequest = allowLongUploads(http);
  await new Promise<void>((resolve, reject) => {
    http.on('error', reject);
    http.listen(config.port, config.host, resolve);
  });
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  const { port } = http.address() as { port: number };
  const host = config.host.includes(':')
    ? `[${config.host}]`
    : config.host === '0.0.0.0'
      ? '127.0.0.1'
      : config.host;
  const url = `http://${host}:${port}`;
  const removeServerFile = writeServerFile(config, url);
  return {
    url,
    async close() {
      removeServerFile();
      server.drain();
      requests.closeConnections();
      // Still listening: a load balancer learns from /readyz, and what it sends until then is served.
      await requests.untilQuiet(DRAIN_MS);
      const closed = new Promise((resolve) => http.close(resolve));
      await server.stopRuns();
      await requests.untilQuiet(CLOSE_GRACE_MS);
      http.closeAllConnections();
      await closed;
      await server.close();
    },
  };
}

/** Writes server.json; the returned function removes it, unless another server has written its own since. */
function writeServerFile(config: Config, url: string): () => void {
  // The data folder is not this server's own: it keeps nothing there, and commands could not share its database.
  if (config.db === 'memory:') return () => {};
  const file = join(config.dataDir, SERVER_FILE);
  const text = `${JSON.stringify({ url, pid: process.pid })}\n`;
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
  return () => {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file, { force: true });
  };
}

const DOT_SEGMENT = new AppError('invalid_input', 'The path has a "." or ".." segment.', {
  hint: 'Send the path of a route as documented; in a key write each slash as %2F.',
});

/** The error response for input that cannot become a Request, such as one with a malformed Host header. */
function malformedRequest(thrown: unknown): Response {
  const error =
    thrown instanceof RequestError
      ? new AppError('invalid_input', 'The URL or the Host header of the request is malformed.', {
          hint: 'Send the host name or address of the server as Host, and a path that begins with a slash.',
        })
      : toAppError(thrown);
  return errorResponse(error);
}

function errorResponse(error: AppError): Response {
  const requestId = randomUUID();
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), {
    status: ERRORS[error.code].http,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId },
  });
}
