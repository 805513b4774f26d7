import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

let server: TestServer;
let web: Server;
let url: string;

const PAGES: Record<string, (asked: IncomingMessage, answer: ServerResponse) => void> = {
  '/text': (_asked, answer) =>
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Grüße</p>'),
  '/latin': (_asked, answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/plain; charset=ISO-8859-1' })
      .end(Buffer.from('Grüße', 'latin1')),
  '/image': (_asked, answer) =>
    answer.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0, 1, 255])),
  '/untyped': (_asked, answer) => answer.writeHead(200).end('plain'),
  '/decorated': (_asked, answer) =>
    answer.writeHead(200, { 'content-type': 'Text/HTML; profile="a;b"; charset="utf-8";' }).end('x'),
  '/missing': (_asked, answer) => answer.writeHead(404, { 'set-cookie': 'a=b' }).end('no'),
  '/inside': (_asked, answer) => answer.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
  '/metadata': (_asked, answer) =>
    answer.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
  '/method': (asked, answer) => answer.end(asked.method),
  '/broken': (_asked, answer) => void answer.destroy(),
};

beforeAll(async () => {
  web = createServer((asked, answer) => PAGES[asked.url!]!(asked, answer));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  server = await testServer({ env: { HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1' } });
});
afterAll(async () => {
  await server.close();
  await new Promise((resolve) => web.close(resolve));
});

async function run(input: unknown, on = server) {
  const answer = await on.call('ada', 'POST', '/api/v1/packs/http.fetch', input);
  return { http: answer.status, ...((await answer.json()) as object) } as {
    http: number;
    error?: string;
    reason?: string;
    output?: { status: number; headers: Record<string, string>; body: string; encoding: string };
  };
}

describe('http.fetch', () => {
  it('http.fetch returns status, headers and text decoded from the page’s charset', async () => {
    expect((await run({ url: `${url}/text` })).output).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<p>Grüße</p>',
      truncated: false,
      encoding: 'utf-8',
    });
    expect((await run({ url: `${url}/latin` })).output).toMatchObject({ body: 'Grüße' });
    expect((await run({ url: `${url}/untyped` })).output).toMatchObject({ body: 'plain', encoding: 'utf-8' });
  });

  it.each([
    ['/text', 'text/html; charset=utf-8'],
    ['/latin', 'text/plain; charset=utf-8'],
    ['/untyped', 'text/plain; charset=utf-8'],
    ['/decorated', 'text/html; charset=utf-8'],
    ['/image', 'image/png'],
  ])('http.fetch returns a usable content type for the body of %s', async (path, content_type) => {
    expect((await run({ url: url + path })).output).toMatchObject({ content_type });
  });

  it('http.fetch returns binary bodies as base64', async () => {
    const { output } = await run({ url: `${url}/image` });
    expect(output).toMatchObject({
      encoding: 'base64',
      body: Buffer.from([0x89, 0, 1, 255]).toString('base64'),
    });
  });

  it('http.fetch returns error statuses as results, not as failures', async () => {
    const { http, output } = await run({ url: `${url}/missing` });
    expect(http).toBe(200);
    expect(output).toMatchObject({ status: 404, body: 'no' });
    expect(output!.headers).not.toHaveProperty('set-cookie');
  });

  it('http.fetch sends only the methods of its schema', async () => {
    expect((await run({ url: `${url}/method`, method: 'PATCH', body: 'x' })).output).toMatchObject({
      body: 'PATCH',
    });
    expect(await run({ url: `${url}/method`, method: 'TRACE' })).toMatchObject({
      http: 400,
      error: 'invalid_input',
    });
  });

  it.each([
    'http://localhost/',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://0x7f000002/',
    'file:///etc/passwd',
    'http://metadata.google.internal/',
  ])('http.fetch refuses %s', async (address) => {
    expect(await run({ url: address })).toMatchObject({
      http: 400,
      error: 'invalid_input',
      reason: 'egress_denied',
    });
  });

  it('http.fetch refuses redirects to internal addresses and fails if the connection breaks', async () => {
    for (const path of ['/inside', '/metadata'])
      expect(await run({ url: url + path })).toMatchObject({ http: 400, reason: 'egress_denied' });
    expect(await run({ url: `${url}/broken` })).toMatchObject({ http: 502, error: 'handler_failed' });
  });

  it('http.fetch refuses all internal networks without an allowlist', async () => {
    const closed = await testServer();
    expect(await run({ url: `${url}/text` }, closed)).toMatchObject({ http: 400, reason: 'egress_denied' });
    await closed.close();
  });

  it('http.fetch does not trust the origins that the operator configured for other packs', async () => {
    const trusting = await testServer({ env: { HELMDECK_GITHUB_API_URL: url } });
    expect(await run({ url: `${url}/text` }, trusting)).toMatchObject({ http: 400, reason: 'egress_denied' });
    await trusting.close();
  });
});
