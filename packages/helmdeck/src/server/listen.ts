import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import type { Server } from './build.ts';
import { type Config, SERVER_FILE } from './config.ts';

const KEEP_ALIVE_MS = 65_000;
const CLOSE_GRACE_MS = 5_000;

export interface Listening {
  url: string;
  close(): Promise<void>;
}

/** Opens the socket and leaves the address where the CLI finds it. */
export async function listen(server: Server, config: Config): Promise<Listening> {
  const http = await new Promise<HttpServer>((resolve, reject) => {
    const socket = serve({ fetch: server.app.fetch, hostname: config.host, port: config.port }, () =>
      resolve(socket as HttpServer),
    );
    socket.on('error', reject);
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
      await server.close();
      await ended;
      clearTimeout(impatient);
    },
  };
}
