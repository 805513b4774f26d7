import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Serves the built site on loopback, to look at it and to test it. */
export async function serve(folder: string, port: number): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = pathOf(request.url!);
    if (path === undefined) return response.writeHead(400).end();
    const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
    const isInside = file.startsWith(folder + sep);
    if (!isInside || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  console.log(`Serving the site at ${url}`);
  return { url, server };
}

/** The decoded path of a request; undefined if it cannot be decoded. */
function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(`http://site${url}`).pathname);
  } catch {
    return undefined;
  }
}
