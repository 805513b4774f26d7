import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importResponse } from '../../packages/helmdeck/src/surfaces/rest/schemas/move-schemas.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, textOf, type Who } from '../support/every-route.ts';

const ADMIN: Who = { subject: 'root', scopes: ['admin'] };
const EVENTS = { method: 'GET', path: '/api/v1/memory/events' };
const IMPORT = '/api/v1/memory/import';
const NDJSON = { 'content-type': 'application/x-ndjson' };

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

/** Whether the changes of a caller have a listener. */
async function hasListener(subject: string): Promise<boolean> {
  const { changes, directory } = server.memory!.parts;
  return changes.hasListeners((await directory.findOrCreate({ subject })).ns);
}

const until = (met: () => Promise<boolean>) => expect.poll(met, { interval: 10 }).toBe(true);

/** Calls the app without a socket: no buffer reads ahead of the test. */
async function inProcess(subject: string, method = 'GET'): Promise<Response> {
  const authorization = `Bearer ${await server.token(subject)}`;
  return server.app.fetch(new Request(`http://x${EVENTS.path}`, { method, headers: { authorization } }));
}

describe('the event stream', () => {
  it('a HEAD request for the event stream gets its headers and registers no listener', async () => {
    for (const request of [
      inProcess,
      (who: string, method: string) => server.call(who, method, EVENTS.path),
    ]) {
      const answer = await request('header', 'HEAD');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      expect(await answer.text()).toBe('');
      expect(await hasListener('header')).toBe(false);
    }
  });

  it('an event stream ends when more than 64 KiB wait for its reader', async () => {
    const stream = await inProcess('sleeper');
    const { changes, directory } = server.memory!.parts;
    const { ns } = await directory.findOrCreate({ subject: 'sleeper' });
    const emit = () => changes.emit(ns, { type: 'store', kind: 'fact', key: 'k'.repeat(500), atMs: 0 });
    for (let count = 0; count < 100; count++) emit();
    expect(await hasListener('sleeper')).toBe(true);
    for (let count = 0; count < 10_000; count++) emit();
    expect(await hasListener('sleeper')).toBe(false);
    const text = await stream.text();
    expect(text.length).toBeGreaterThan(65_536);
    expect(text.length).toBeLessThan(65_536 + 1_000);
  });

  it('line separators of Unicode are escaped in the event stream', async () => {
    const reader = (await inProcess('separated')).body!.getReader();
    const { changes, directory } = server.memory!.parts;
    const { ns } = await directory.findOrCreate({ subject: 'separated' });
    await reader.read();
    changes.emit(ns, { type: 'store', kind: 'fact', key: 'a\u2028b\u2029c\u0085d', atMs: 0 });
    const event = Buffer.from((await reader.read()).value!).toString('utf8');
    expect(event).toContain('"key":"a\\u2028b\\u2029c\\u0085d"');
    await reader.cancel();
  });

  it('an event stream whose reader keeps up carries any amount of events', async () => {
    const reader = (await inProcess('reader')).body!.getReader();
    const { changes, directory } = server.memory!.parts;
    const { ns } = await directory.findOrCreate({ subject: 'reader' });
    await reader.read();
    for (let count = 0; count < 1_000; count++) {
      changes.emit(ns, { type: 'store', kind: 'fact', key: 'k'.repeat(500), atMs: 0 });
      expect((await reader.read()).done).toBe(false);
    }
    await reader.cancel();
    expect(await hasListener('reader')).toBe(false);
  });

  it('a caller may open 16 event streams at once, and another one after closing one', async () => {
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => callAs(server, { subject: 'many' }, EVENTS)),
    );
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const refused = await callAs(server, { subject: 'many' }, EVENTS);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    const other = await callAs(server, { subject: 'other' }, EVENTS);
    expect(other.status).toBe(200);
    const tenant = await callAs(server, { subject: 'many', tenant: 'acme' }, EVENTS);
    expect(tenant.status).toBe(200);
    const watching = await callAs(server, ADMIN, { ...EVENTS, path: `${EVENTS.path}?caller=many` });
    expect(watching.status).toBe(200);
    await streams[0]!.body!.cancel();
    await until(async () => {
      const again = await callAs(server, { subject: 'many' }, EVENTS);
      if (again.status === 200) streams.push(again);
      else await again.body!.cancel();
      return again.status === 200 || streams.length > 16;
    });
    for (const stream of [...streams.slice(1), other, tenant, watching]) await stream.body!.cancel();
    await until(async () => !(await hasListener('many')));
  });

  it('a stalled event stream counts against the limit of 16 until its socket is closed', async () => {
    const { hostname, port } = new URL(server.url);
    const authorization = `Bearer ${await server.token('stalled')}`;
    const sockets = Array.from({ length: 16 }, () => connect(Number(port), hostname));
    // Each has its stream before another one is tried, which would take the place of the last. None is read any further.
    await Promise.all(
      sockets.map((socket) => {
        socket.write(`GET ${EVENTS.path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
        return once(socket, 'readable');
      }),
    );
    const { changes, directory } = server.memory!.parts;
    const { ns } = await directory.findOrCreate({ subject: 'stalled' });
    const status = async () => {
      const answer = await callAs(server, { subject: 'stalled' }, EVENTS);
      await answer.body!.cancel();
      return answer.status;
    };
    expect(await status()).toBe(429);
    for (let round = 0; round < 4_000 && changes.hasListeners(ns); round++) {
      for (let count = 0; count < 100; count++)
        changes.emit(ns, { type: 'store', kind: 'fact', key: 'k'.repeat(500), atMs: 0 });
      await delay(0);
    }
    expect(changes.hasListeners(ns), 'nothing more is buffered for them').toBe(false);
    expect(await status()).toBe(429);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await status()) === 200);
  });

  it("only admins may open another caller's event stream, and that is audited", async () => {
    const path = `${EVENTS.path}?caller=watched`;
    expect((await callAs(server, { subject: 'ada' }, { ...EVENTS, path })).status).toBe(403);
    const stream = await callAs(server, ADMIN, { ...EVENTS, path });
    const body = { key: 'seen', value: 'x' };
    await callAs(server, { subject: 'watched' }, { method: 'POST', path: '/api/v1/memory/store', body });
    const reader = stream.body!.getReader();
    let received = '';
    while (!received.includes('"key":"seen"'))
      received += Buffer.from((await reader.read()).value!).toString('utf8');
    await reader.cancel();
    expect((await server.memory!.audit.list(undefined, 1))[0]).toMatchObject({
      action: 'read',
      actor: 'root',
      target: 'watched',
      detail: EVENTS.path,
    });
    expect(await textOf(await callAs(server, ADMIN, EVENTS))).toContain(': connected');
  });
});

describe('an import', () => {
  const line = (key: string) => JSON.stringify({ key, value: 'x' });
  const lines = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join('\n');
  const send = async (subject: string, body: string, query = '') =>
    server.call(subject, 'POST', IMPORT + query, body, NDJSON);
  const report = async (answer: Response) => importResponse.parse(await answer.json());

  it('an import reports at most 1,000 stored and 1,000 other lines, failures first, and counts all of them', async () => {
    const stored = await report(
      await send(
        'mover',
        lines(1_500, (index) => `{"key":"k${index}","value":"x"}`),
      ),
    );
    expect(stored).toMatchObject({ stored: 1_500, failed: 0, lines_omitted: 500 });
    expect(stored.lines).toHaveLength(1_000);
    const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 86_400_000).toISOString();
    const fixed = lines(1_200, (index) => JSON.stringify({ key: `f${index}`, value: 'x', expires_at: soon }));
    await send('mover', fixed);
    const mixed = await report(await send('mover', `${fixed}\n${lines(300, () => 'no')}\n${line('late')}`));
    expect(mixed).toMatchObject({ unchanged: 1_200, failed: 300, lines_omitted: 500 });
    const of = (status: string) => mixed.lines.filter((each) => each.status === status);
    expect(of('failed')).toHaveLength(300);
    expect(of('unchanged')).toHaveLength(700);
    const numbers = mixed.lines.map((each) => each.line);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const few = await report(await send('mover', 'no'));
    expect(few).not.toHaveProperty('lines_omitted');
  });

  it('an import stops after 10,000 failed lines, and its response says how many facts were stored', async () => {
    const body = `{"key":"good","value":"x"}\n${lines(500_000, () => 'x'.repeat(20))}`;
    const answer = await send('broken', body);
    expect(answer.status).toBe(400);
    const envelope = (await answer.json()) as { message: string };
    expect(envelope).toMatchObject({ error: 'invalid_input', reason: 'too_many_failures' });
    expect(envelope.message).toContain('1 were stored');
    expect((await server.call('broken', 'GET', '/api/v1/memory/facts/good')).status).toBe(200);
    const dry = await send('broken', body, '?dry_run=1');
    expect(((await dry.json()) as { message: string }).message).toContain('would have been stored');
    const most = await report(
      await send(
        'broken',
        lines(9_999, () => 'x'),
      ),
    );
    expect(most).toMatchObject({ failed: 9_999, lines_omitted: 8_999 });
  });

  it.each(['bad', ''])('an import of 9,000 lines "%s" yields to the event loop', async (text) => {
    const body = lines(9_000, () => text);
    const request = new Request(`http://x${IMPORT}`, {
      method: 'POST',
      headers: { ...NDJSON, authorization: `Bearer ${await server.token('hog')}` },
      body: `${body}\n${line('end')}`,
    });
    let ticks = 0;
    let over = false;
    const count = () => {
      ticks++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    expect((await server.app.fetch(request)).status).toBe(200);
    over = true;
    expect(ticks).toBeGreaterThan(100);
  });

  it('an empty import is 400 whatever its Content-Type, and a non-empty one of another type is 415', async () => {
    const authorization = `Bearer ${await server.token('nobody')}`;
    const upload = (body: string | ReadableStream | undefined, headers: Record<string, string>) =>
      fetch(server.url + IMPORT, {
        method: 'POST',
        headers: { authorization, ...headers },
        body,
        duplex: 'half',
      } as RequestInit);
    const nothing = () => new ReadableStream({ start: (controller) => controller.close() });
    for (const headers of [{}, NDJSON, { 'content-type': 'text/csv' }]) {
      for (const body of [undefined, '', nothing()]) {
        const answer = await upload(body, headers as Record<string, string>);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: 'invalid_input' });
      }
    }
    for (const size of [1, 200_000]) {
      const answer = await upload(`${line('a')}\n`.repeat(size), { 'content-type': 'text/csv' });
      expect(answer.status).toBe(415);
      expect(await answer.json()).toMatchObject({ error: 'unsupported_media_type' });
    }
  });
});
