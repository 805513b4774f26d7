import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/engine/pack/pack.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callTool, connectClient, PROTOCOLS, type Protocol, until } from '../e2e/mcp/clients.ts';

const MIB = 1_048_576;
const SEPARATORS = 'a\u2028b\u2029c\u0085d';
const ACCEPT = { accept: 'application/json, text/event-stream' };

const largePack = definePack({
  name: 'test.large',
  version: 'v1',
  description: 'Returns a megabyte.',
  input: z.object({}),
  output: z.object({ text: z.string() }),
  handler: async () => ({ text: 'x'.repeat(MIB) }),
});

const endlessPack = definePack({
  name: 'test.endless',
  version: 'v1',
  description: 'Runs until it is cancelled.',
  input: z.object({}),
  output: z.object({}),
  handler: ({ signal }) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

let server: TestServer;
beforeAll(async () => {
  server = await testServer({
    socket: true,
    packs: [largePack, endlessPack],
    env: { HELMDECK_RATE_LIMIT: 'off' },
  });
});
afterAll(() => server.close());

const rpc = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
const large = (id: number) => rpc(id, 'tools/call', { name: 'test_large', arguments: {} });

/** Sends a request without a socket: no buffer reads ahead of the test. */
async function inProcess(subject: string, method: string, path: string, body?: object): Promise<Response> {
  const headers = {
    ...ACCEPT,
    authorization: `Bearer ${await server.token(subject)}`,
    'content-type': 'application/json',
  };
  const init = { method, headers, body: body && JSON.stringify(body) };
  return server.app.fetch(new Request(`http://x${path}`, init));
}

/** A stream over HTTP+SSE, and where to post its messages. */
async function openStream(subject: string) {
  const response = await inProcess(subject, 'GET', '/api/v1/mcp/sse');
  const reader = response.body!.getReader();
  const [, target] = /data: (\S+)/.exec(Buffer.from((await reader.read()).value!).toString('utf8'))!;
  /** The bytes that wait; undefined if the stream was cut. */
  async function waiting(): Promise<number | undefined> {
    for (let bytes = 0; ; ) {
      // Everything that was buffered is available at once.
      const next = await Promise.race([
        reader.read().catch(() => undefined),
        new Promise<'nothing'>((resolve) => setTimeout(resolve, 50, 'nothing')),
      ]);
      if (next === undefined || (next !== 'nothing' && next.done)) return undefined;
      if (next === 'nothing') return bytes;
      bytes += next.value.length;
    }
  }
  const post = (id: number, message: object = large(id)) => inProcess(subject, 'POST', target!, message);
  return { post, waiting, reader };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 200));

describe('streams whose client does not read', () => {
  it('a stream is cut when more than 8 MiB wait for its client', async () => {
    const stream = await openStream('slow');
    for (let id = 0; id < 7; id++) expect((await stream.post(id)).status).toBe(202);
    await settled();
    expect(await stream.waiting()).toBeGreaterThan(7 * MIB);
    for (let id = 0; id < 9; id++) await stream.post(id);
    await settled();
    expect((await stream.post(9)).status, 'the session is gone').toBe(404);
    expect(await stream.waiting()).toBeUndefined();
  });

  it('at most 16 MiB wait for all streams of a caller together, and a stream that is read is not cut', async () => {
    const streams = await Promise.all(Array.from({ length: 40 }, () => openStream('hoarder')));
    const reading = await openStream('hoarder');
    let read = 0;
    const readAll = (async () => {
      for (let part = await reading.reader.read(); !part.done; part = await reading.reader.read())
        read += part.value.length;
    })();
    for (const stream of streams) await stream.post(1);
    for (let id = 0; id < 20; id++) {
      expect((await reading.post(id)).status).toBe(202);
      await until(() => read > (id + 1) * MIB);
    }
    const left = (await Promise.all(streams.map((stream) => stream.waiting()))).filter(
      (bytes) => bytes !== undefined,
    );
    expect(left.length).toBeGreaterThan(10);
    expect(left.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(17 * MIB);
    const other = await openStream('neighbour');
    await other.post(1);
    await settled();
    expect(await other.waiting(), 'other callers are not affected').toBeGreaterThan(MIB);
    await Promise.allSettled([...streams, reading, other].map(({ reader }) => reader.cancel()));
    await readAll;
  });

  it('a caller has at most 64 requests under way over HTTP+SSE, whatever the number of streams', async () => {
    const [one, two] = [await openStream('busy'), await openStream('busy')];
    const endless = (id: number) => rpc(id, 'tools/call', { name: 'test_endless', arguments: {} });
    for (let id = 0; id < 32; id++)
      for (const stream of [one, two]) expect((await stream.post(id, endless(id))).status).toBe(202);
    const refused = await two.post(99, endless(99));
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited', hint: 'Wait for responses first.' });
    await one.reader.cancel();
    await expect.poll(async () => (await two.post(99, endless(99))).status).toBe(202);
    await two.reader.cancel();
  });

  it('the connection of a stream that is cut is closed, although its client reads nothing', async () => {
    const { hostname, port } = new URL(server.url);
    const authorization = `Bearer ${await server.token('deaf')}`;
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/v1/mcp/sse HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
    let opening = '';
    while (!opening.includes('sessionId='))
      opening += await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.pause();
    const [, target] = /data: (\S+)/.exec(opening)!;
    let status = 202;
    // Kernel and socket take some megabytes before anything waits in the server.
    for (let id = 0; id < 100 && status === 202; id++)
      status = (await server.call('deaf', 'POST', target!, large(id))).status;
    expect(status).toBe(404);
    socket.on('error', () => {}).resume();
    await new Promise((resolve) => socket.once('close', resolve));
  });
});

describe.each(PROTOCOLS)('line separators of Unicode over %s', (protocol) => {
  it('line separators in a fact reach the client unchanged', async () => {
    const subject = `separated-${protocol}`;
    await server.call(subject, 'POST', '/api/v1/memory/store', { key: 'k', value: SEPARATORS });
    const client = await connectClient(server, protocol, subject);
    const { structured } = await callTool(client, 'memory_recall', { key: 'k' });
    expect(structured).toMatchObject({ results: [{ value: SEPARATORS }] });
    await client.close();
  });
});

it.each(['/api/v1/mcp', '/api/v1/mcp/qmd'])(
  'line separators are escaped in the raw events of %s',
  async (path) => {
    const value = `find ${SEPARATORS}`;
    await server.call('raw', 'POST', '/api/v1/memory/store', { key: 'k', value });
    const qmd = path.endsWith('qmd');
    const params = qmd
      ? { name: 'get', arguments: { file: 'facts/k' } }
      : { name: 'memory_recall', arguments: { key: 'k' } };
    const answers = [
      await (await server.call('raw', 'POST', path, rpc(1, 'tools/call', params), ACCEPT)).text(),
    ];
    const stream = await inProcess('raw', 'GET', `${path}/sse`);
    const reader = stream.body!.getReader();
    const [, target] = /data: (\S+)/.exec(Buffer.from((await reader.read()).value!).toString('utf8'))!;
    await inProcess('raw', 'POST', target!, rpc(1, 'tools/call', params));
    answers.push(Buffer.from((await reader.read()).value!).toString('utf8'));
    await reader.cancel();
    for (const answer of answers) {
      expect(answer).toMatch(/^event: message\ndata: /);
      expect(answer).not.toMatch(/[\u2028\u2029\u0085]/);
      expect(answer).toContain('a\\u2028b\\u2029c\\u0085d');
    }
  },
);

describe.each([...PROTOCOLS, 'events'] as const)('a revoked token over %s', (way: Protocol | 'events') => {
  it('nothing is told to a stream after its token was revoked', async () => {
    const subject = `revoked-${way}`;
    const minted = await server.call(subject, 'POST', '/api/v1/tokens', { ttl_seconds: 3600 });
    const { token, jti } = (await minted.json()) as { token: string; jti: string };
    const told: string[] = [];
    let close = async () => {};
    if (way === 'events') {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}/api/v1/memory/events`, { headers });
      const reader = response.body!.getReader();
      await reader.read(); // the comment at the start
      close = async () => {
        const { done, value } = await reader.read();
        if (!done) told.push(String(value));
      };
    } else {
      const client = await connectClient(server, way, subject, { token });
      const uri = 'helmdeck://my-memory';
      client.setNotificationHandler('notifications/resources/updated', () => void told.push(uri));
      if (way === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
      close = () => client.close();
    }
    const { changes, directory } = server.memory!.parts;
    const hasListener = () => changes.hasListeners(directory.idOf({ subject }));
    expect(hasListener()).toBe(true);
    await server.memory!.tokens.revoke(jti);
    await server.call(subject, 'POST', '/api/v1/memory/store', { key: 'secret/project', value: 'v' });
    expect(hasListener(), 'the stream has ended').toBe(false);
    await close();
    expect(told).toEqual([]);
  });
});
