import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { allowLongUploads } from './long-uploads.ts';

const LIMIT_MS = 200;

/** Sends half a body, waits for longer than the limit, and sends the rest. */
async function sendSlowly(path: string): Promise<number> {
  const http = createServer(
    { requestTimeout: LIMIT_MS, headersTimeout: LIMIT_MS, connectionsCheckingInterval: 20 },
    (request, response) => {
      beforeRequest(request);
      request.on('error', () => {}); // of the request that is cut
      request.resume().on('end', () => response.end());
    },
  );
  const beforeRequest = allowLongUploads(http);
  http.listen(0, '127.0.0.1');
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  await new Promise((ready) => http.once('listening', ready));
  const { port } = http.address() as AddressInfo;
  const request = httpRequest({ port, host: '127.0.0.1', path, method: 'POST' });
  const status = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject);
  });
  request.write('first half');
  await Promise.race([status, delay(LIMIT_MS * 8)]);
  request.end();
  return status;
}

it('an import may arrive for longer than other requests', async () => {
  expect(await sendSlowly('/api/v1/memory/import?format=auto')).toBe(200);
});

it('any other request that does not arrive in time is answered 408', async () => {
  expect(await sendSlowly('/api/v1/memory/store')).toBe(408);
});
