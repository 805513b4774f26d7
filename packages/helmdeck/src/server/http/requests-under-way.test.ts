import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { trackRequests } from './requests-under-way.ts';

const LONG_ENOUGH_TO_BE_QUIET_MS = 300;

async function startRequest() {
  const requests = trackRequests();
  const http = createServer((_request, response) => requests.begin(response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  await once(http, 'listening');
  const received = once(http, 'request');
  const abort = new AbortController();
  const answer = fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { signal: abort.signal });
  const [, response] = (await received) as [unknown, ServerResponse];
  let isQuiet = false;
  const quiet = requests.untilQuiet(600_000).then(() => {
    isQuiet = true;
  });
  await delay(LONG_ENOUGH_TO_BE_QUIET_MS);
  return { requests, answer, abort, response, quiet, isQuiet: () => isQuiet };
}

it('a server is quiet once the response to its last request was sent, not before', async () => {
  const { answer, response, quiet, isQuiet } = await startRequest();
  expect(isQuiet()).toBe(false);
  response.end('done');
  expect(await (await answer).text()).toBe('done');
  await quiet;
});

it('a request whose client went away is no longer under way', async () => {
  const { answer, abort, quiet, isQuiet } = await startRequest();
  expect(isQuiet()).toBe(false);
  abort.abort();
  await expect(answer).rejects.toThrow();
  await quiet;
});

it('a response that was under way when the server began to drain ends its connection', async () => {
  const { requests, answer, response } = await startRequest();
  requests.closeConnections();
  requests.beforeHeaders(response);
  response.end('done');
  expect((await answer).headers.get('connection')).toBe('close');
});
