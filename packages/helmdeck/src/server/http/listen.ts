import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { getRequestListener, RequestError } from '@hono/node-server';
import { AppError, ERRORS, errorEnvelope, toAppError } from '../../errors.ts';
import type { Server } from '../build.ts';
import { type Config, SERVER_FILE } from '../config/config.ts';
import { createTickBatching } from './tick-batching.ts';

/** A page of text pasted into a search must reach it: beyond this Node answers by itself, and tersely. */
const MAX_HEADER_BYTES = 262_144;
const KEEP_ALIVE_MS = 65_000;
const CLOSE_GRACE_MS = 5_000;
const TIDY_MS = 50;

export interface Listening {
  url: string;
  close(): Promise<void>;
}

/** Opens the socket and leaves the address where the CLI finds it. */
export async function listen(server: Server, config: Config): Promise<Listening> {
  const batched = createTickBatching();
  const http = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES },
    getRequestListener((request, env) => batched(() => server.app.fetch(request, env)), {
      hostname: config.host,
      errorHandler: refuseRequest,
    }),
  );
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
  const file = join(config.dataDir, SERVER_FILE);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return {
    url,
    async close() {
      rmSync(file, { force: true });
      const ended = new Promise((resolve) => http.close(resolve));
      http.closeIdleConnections();
      const impatient = setTimeout(() => http.closeAllConnections(), CLOSE_GRACE_MS);
      // A stream that ends leaves its connection idle, and its client in no hurry to hang up.
      const tidying = setInterval(() => http.closeIdleConnections(), TIDY_MS);
      await server.close();
      await ended;
      clearInterval(tidying);
      clearTimeout(impatient);
    },
  };
}

/** Answers what never became a request, such as one with a malformed Host header, like every other failure. */
function refuseRequest(thrown: unknown): Response {
  const error =
    thrown instanceof RequestError
      ? new AppError('invalid_input', 'The address or the Host header of the request is malformed.', {
          hint: 'Send the name or address of the server as Host, and a path that begins with a slash.',
        })
      : toAppError(thrown);
  const requestId = randomUUID();
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), {
    status: ERRORS[error.code].http,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId },
  });
}
