import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import type { Secret } from '../../vault/vault.ts';
import { type Allowlist, createEgressPolicy, parseAllowlist } from './egress-policy.ts';
import { createGuardedFetch, FETCH_LIMITS, type GuardedFetchOptions } from './guarded-fetch.ts';

type Handler = (asked: IncomingMessage, answer: ServerResponse, body: string) => void;
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(
  handler: Handler,
  address = '127.0.0.1',
): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer(async (incoming, answer) => {
    asked.push(incoming);
    let body = '';
    for await (const chunk of incoming) body += chunk;
    handler(incoming, answer, body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}`, asked };
}

const SECRETS: Record<string, Omit<Secret, 'name' | 'createdMs' | 'updatedMs'>> = {
  token: {
    value: 's3cr3t-t0ken-value',
    hosts: [],
    places: ['header', 'header:x', 'header:x-odd', 'url', 'body'],
  },
  bound: { value: 'bound-value-123', hosts: ['api.example.com'], places: ['header'] },
  local: { value: 'l0cal-bound-value-456', hosts: ['127.0.0.1'], places: ['header'] },
};
const fetchWith = (more: Partial<GuardedFetchOptions> = {}, allowlist = '127.0.0.1') =>
  createGuardedFetch({
    policy: createEgressPolicy(parseAllowlist(allowlist) as Allowlist),
    secret: async (name) => {
      const found = SECRETS[name];
      return found && { ...found, name, createdMs: 0, updatedMs: 0 };
    },
    userAgent: 'helmdeck-test',
    ...more,
  });
const problemOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof AppError ? `${thrown.code} ${thrown.reason}` : thrown;
};
const textOf = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();
const DENIED = 'invalid_input egress_denied';

describe('guarded fetch', () => {
  it('a fetch sends method, headers and body and returns status, first header values and bytes', async () => {
    const { url, asked } = await serve((_asked, answer, body) => {
      answer.writeHead(
        201,
        [
          ['Content-Type', 'text/plain'],
          ['X-Twice', 'first'],
          ['X-Twice', 'second'],
          ['Set-Cookie', 'session=1'],
          ['Keep-Alive', 'timeout=5'],
        ].flat(),
      );
      answer.end(`got ${body}`);
    });
    const answer = await fetchWith()(`${url}/a?b=c`, {
      method: 'post',
      headers: { 'X-One': '1', 'Content-Type': 'text/plain' },
      body: 'hello',
    });
    expect(answer).toMatchObject({ status: 201, truncated: false });
    expect(textOf(answer)).toBe('got hello');
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-twice': 'first' });
    expect(Object.keys(answer.headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/cookie|keep-alive|connection|transfer/)]),
    );
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/a?b=c' });
    expect(asked[0]!.headers).toMatchObject({ 'x-one': '1', 'user-agent': 'helmdeck-test', accept: '*/*' });
  });

  it('a fetch with a connection header, an invalid value or an invalid method is refused', async () => {
    const { url, asked } = await serve((_asked, answer) => answer.end());
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Proxy-Auth', 'a b', ''])
      expect(await problemOf(fetchWith()(url, { headers: { [name]: 'x' } })), name).toBe(
        'invalid_input bad_header',
      );
    for (const value of ['a\r\nb: c', 'a\0', '\u{1f600}'])
      expect(await problemOf(fetchWith()(url, { headers: { x: value } }))).toBe('invalid_input bad_header');
    for (const method of ['CONNECT', 'TRACE', 'GET /', ''])
      expect(await problemOf(fetchWith()(url, { method }))).toBe('invalid_input bad_method');
    for (const bad of ['', 'x', '/relative', `http://x/${'y'.repeat(9000)}`])
      expect(await problemOf(fetchWith()(bad))).toBe('invalid_input bad_url');
    expect(asked).toEqual([]);
  });

  it('compressed bodies are decoded', async () => {
    const text = 'packed '.repeat(1000);
    const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const [encoding, pack] of Object.entries(packers)) {
      const { url } = await serve((_asked, answer) => {
        answer.writeHead(200, { 'content-encoding': encoding }).end(pack(text));
      });
      const answer = await fetchWith()(url);
      expect(textOf(answer)).toBe(text);
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.headers).not.toHaveProperty('content-length');
    }
  });

  it('a body over maxBytes is truncated, compressed or not', async () => {
    const { url } = await serve((asked, answer) => {
      const long = Buffer.alloc(3_000_000, 'x');
      if (asked.url === '/packed') answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(long));
      else answer.end(long);
    });
    for (const path of ['/', '/packed']) {
      const answer = await fetchWith()(url + path, { maxBytes: 1000 });
      expect(answer).toMatchObject({ status: 200, truncated: true });
      expect(answer.body).toHaveLength(1000);
    }
    const exact = await fetchWith()(url, { maxBytes: 3_000_000 });
    expect(exact).toMatchObject({ truncated: false });
  });

  it('a fetch times out without a response, with a slow body and with an endless body', async () => {
    const { url } = await serve((asked, answer) => {
      if (asked.url === '/silent') return;
      answer.writeHead(200);
      const drip = setInterval(() => answer.write('x'), 20);
      answer.once('close', () => clearInterval(drip));
    });
    for (const path of ['/silent', '/dripping']) {
      const started = performance.now();
      expect(await problemOf(fetchWith()(url + path, { timeoutMs: 150 }))).toBe('timeout fetch_timeout');
      expect(performance.now() - started, 'not after the time for all').toBeLessThan(FETCH_LIMITS.timeoutMs);
    }
  });

  it('a fetch times out when the DNS look-up hangs', async () => {
    const resolve = () => new Promise<never>(() => {});
    const work = fetchWith({ resolve })('http://slow-name.example/', { timeoutMs: 100 });
    expect(await problemOf(work)).toBe('timeout fetch_timeout');
  });

  it('the timeout covers the whole redirect chain', async () => {
    const { url, asked } = await serve((_asked, answer) => {
      setTimeout(() => answer.writeHead(302, { location: '/again' }).end(), 80);
    });
    expect(await problemOf(fetchWith()(url, { timeoutMs: 200 }))).toBe('timeout fetch_timeout');
    expect(asked.length).toBeLessThan(5);
  });

  it('a fetch ends when its signal is aborted', async () => {
    const { url } = await serve(() => {});
    const controller = new AbortController();
    const waiting = fetchWith()(url, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a refused or broken connection fails with handler_failed', async () => {
    const { url } = await serve((asked, answer) => {
      if (asked.url === '/broken') answer.writeHead(200, { 'content-length': '100' }).write('half');
      if (asked.url === '/unpackable') answer.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
      if (asked.url === '/broken') setTimeout(() => answer.destroy(), 20);
    });
    expect(await problemOf(fetchWith()(`${url}/broken`))).toBe('handler_failed network');
    expect(await problemOf(fetchWith()(`${url}/unpackable`))).toBe('handler_failed network');
    expect(await problemOf(fetchWith()('http://127.0.0.1:1/'))).toBe('handler_failed network');
    const failed = await fetchWith({ resolve: async () => [] })('http://nowhere.example/secret-path').catch(
      (error: Error) => error.message,
    );
    expect(failed).toContain('ENOTFOUND');
    expect(failed).not.toMatch(/nowhere|secret/);
  });
});

describe('the egress guard', () => {
  it('internal names are refused before any DNS look-up', async () => {
    let lookups = 0;
    const fetch = fetchWith({
      resolve: async () => {
        lookups++;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    for (const url of [
      'http://localhost/',
      'http://x.local/',
      'http://a.internal/',
      'file:///etc/passwd',
      'http://127.0.0.2/',
    ])
      expect(await problemOf(fetch(url)), url).toBe(DENIED);
    expect(lookups).toBe(0);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a mapped address', ['::ffff:127.0.0.2']],
    ['a public and a private one', ['93.184.216.34', '192.168.0.1']],
    ['an allowed and a forbidden one', ['127.0.0.1', '::1']],
    ['something that is not an address', ['example']],
  ])('a name that resolves to %s is refused', async (_what, addresses) => {
    const { asked } = await serve((_asked, answer) => answer.end());
    const resolve = async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    expect(await problemOf(fetchWith({ resolve })('http://rebind.example/'))).toBe(DENIED);
    expect(asked).toEqual([]);
  });

  it('a name is resolved once and the socket connects to that address, despite DNS rebinding', async () => {
    const { url, asked } = await serve((_asked, answer) => answer.end('right'));
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
    let lookups = 0;
    const resolve = async () => [{ address: answers[lookups++]!, family: 4 }];
    const port = new URL(url).port;
    expect(textOf(await fetchWith({ resolve })(`http://rebind.example:${port}/`))).toBe('right');
    expect(lookups).toBe(1);
    expect(asked[0]!.headers.host).toBe(`rebind.example:${port}`);
    expect(await problemOf(fetchWith({ resolve })(`http://rebind.example:${port}/`))).toBe(DENIED);
    expect(asked).toHaveLength(1);
  });

  it('redirects to forbidden addresses are refused in every notation and with every status', async () => {
    const inside = await serve((_asked, answer) => answer.end('inside'), '127.0.0.2');
    const port = new URL(inside.url).port;
    const targets = [
      inside.url,
      `http://2130706434:${port}/`,
      `http://0x7f.2:${port}/`,
      `//127.0.0.2:${port}/`,
      `http://[::ffff:127.0.0.2]:${port}/`,
      `http://localhost:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      'http://user:pass@127.0.0.1/',
      'gopher://127.0.0.1/',
    ];
    for (const location of targets) {
      for (const status of [301, 302, 303, 307, 308]) {
        const { url } = await serve((_asked, answer) => answer.writeHead(status, { location }).end());
        expect(await problemOf(fetchWith()(url)), location).toBe(DENIED);
      }
    }
    const name = await serve((_asked, answer) =>
      answer.writeHead(302, { location: 'http://evil.example/' }).end(),
    );
    const resolve = async (host: string) => [
      { address: host === 'evil.example' ? '127.0.0.2' : '127.0.0.1', family: 4 },
    ];
    expect(await problemOf(fetchWith({ resolve })(name.url))).toBe(DENIED);
    expect(inside.asked).toEqual([]);
  });

  it('a trusted origin is not guarded, but its redirects are', async () => {
    const inside = await serve((_asked, answer) => answer.end('inside'), '127.0.0.2');
    const { url } = await serve((asked, answer) => {
      if (asked.url === '/in') answer.writeHead(302, { location: inside.url }).end();
      else answer.end('trusted');
    });
    const fetch = fetchWith({ trustedOrigin: new URL(url).origin }, '');
    expect(textOf(await fetch(url))).toBe('trusted');
    expect(await problemOf(fetch(`${url}/in`))).toBe(DENIED);
    expect(await problemOf(fetchWith({}, '')(url))).toBe(DENIED);
    expect(inside.asked).toEqual([]);
  });

  it('TLS connects to the checked address with the requested server name', async () => {
    const greetings: Buffer[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (greeting) => {
        greetings.push(greeting);
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = `https://name.example:${port}/`;
    expect(await problemOf(fetchWith({ resolve })(url))).toBe('handler_failed network');
    expect(greetings).toHaveLength(1);
    expect(greetings[0]![0]).toBe(22); // a TLS handshake
    expect(greetings[0]!.includes('name.example')).toBe(true);
    await new Promise((closed) => server.close(closed));
  });
});

describe('redirects', () => {
  it('five redirects are followed and a sixth fails', async () => {
    const { url, asked } = await serve((incoming, answer) => {
      const left = Number(incoming.url!.slice(1));
      if (left > 0) answer.writeHead(302, { location: `/${left - 1}` }).end();
      else answer.end('there');
    });
    expect(textOf(await fetchWith()(`${url}/${FETCH_LIMITS.maxRedirects}`))).toBe('there');
    expect(await problemOf(fetchWith()(`${url}/6`))).toBe('handler_failed too_many_redirects');
    expect(asked).toHaveLength(6 + 6);
  });

  it('a redirect turns a POST into a GET or keeps it, depending on the status', async () => {
    const { url, asked } = await serve((incoming, answer, body) => {
      const status = Number(incoming.url!.slice(1));
      if (status > 0) answer.writeHead(status, { location: '/' }).end();
      else answer.end(`${incoming.method} ${body}`);
    });
    const post = async (status: number, method = 'POST') =>
      textOf(
        await fetchWith()(`${url}/${status}`, {
          method,
          body: 'b',
          headers: { 'content-type': 'text/plain' },
        }),
      );
    expect([await post(301), await post(302), await post(303)]).toEqual(['GET ', 'GET ', 'GET ']);
    expect(asked.at(-1)!.headers).not.toHaveProperty('content-type');
    expect([await post(307), await post(308)]).toEqual(['POST b', 'POST b']);
    expect(await post(302, 'PUT')).toBe('PUT b');
  });

  it('credentials follow a redirect within an origin and are dropped across origins', async () => {
    const far = await serve((_asked, answer) => answer.end());
    const near = await serve((incoming, answer) => {
      const location = incoming.url === '/far' ? far.url : '/end';
      if (incoming.url === '/end') answer.end();
      else answer.writeHead(302, { location }).end();
    });
    const headers = {
      Authorization: 'Bearer x',
      Cookie: 'a=b',
      'X-Api-Key': 'k',
      'Private-Token': 't',
      'X-Plain': 'kept',
      'X-Odd': '${vault:token}',
    };
    await fetchWith()(`${near.url}/near`, { headers });
    expect(near.asked.at(-1)!.headers).toMatchObject({
      authorization: 'Bearer x',
      'x-odd': SECRETS.token!.value,
    });
    await fetchWith()(`${near.url}/far`, { headers });
    const arrived = far.asked[0]!.headers;
    expect(arrived).toMatchObject({ 'x-plain': 'kept' });
    for (const name of ['authorization', 'cookie', 'x-api-key', 'private-token', 'x-odd'])
      expect(arrived).not.toHaveProperty(name);
  });

  it('a redirect does not send a secret in the body to another origin', async () => {
    const far = await serve((_asked, answer) => answer.end());
    const near = await serve((_asked, answer) => answer.writeHead(307, { location: far.url }).end());
    const send = (body: string) => fetchWith()(near.url, { method: 'POST', body });
    expect(await problemOf(send('k=${vault:token}'))).toBe(DENIED);
    expect(far.asked).toEqual([]);
    expect((await send('k=plain')).status).toBe(200);
  });
});

describe('secrets', () => {
  const secret = SECRETS.token!.value;

  it('secrets are filled into the request and scrubbed from the response', async () => {
    const { url, asked } = await serve((incoming, answer, body) => {
      answer.writeHead(200, {
        'x-echo': String(incoming.headers.authorization),
        'content-type': 'application/json',
      });
      answer.end(JSON.stringify({ url: incoming.url, headers: incoming.headers, body }));
    });
    const answer = await fetchWith()(`${url}/?k=\${vault:token}`, {
      method: 'POST',
      headers: { Authorization: 'Bearer ${vault:token}', 'Content-Type': 'application/json' },
      body: '{"k":"${vault:token}"}',
    });
    expect(asked[0]!.url).toBe(`/?k=${secret}`);
    expect(asked[0]!.headers.authorization).toBe(`Bearer ${secret}`);
    expect(JSON.stringify(answer.headers) + textOf(answer)).not.toContain(secret);
    expect(answer.headers['x-echo']).toBe('Bearer [vault:token]');
    expect(JSON.parse(textOf(answer)).url).toBe('/?k=[vault:token]');
  });

  it('a truncated response contains no beginning of a secret', async () => {
    const { url } = await serve((incoming, answer) =>
      answer.end(`padding ${incoming.headers.authorization} end`),
    );
    for (let maxBytes = 10; maxBytes < 40; maxBytes++) {
      const answer = await fetchWith()(url, { headers: { Authorization: '${vault:token}' }, maxBytes });
      expect(textOf(answer)).not.toMatch(/s3c/);
    }
  });

  it('a request with a secret and a range header is refused', async () => {
    const { url, asked } = await serve((incoming, answer) =>
      answer.writeHead(206).end(String(incoming.headers.authorization).slice(5)),
    );
    const headers = { Authorization: '${vault:token}', Range: 'bytes=5-' };
    expect(await problemOf(fetchWith()(url, { headers }))).toBe('invalid_input bad_header');
    expect(asked).toEqual([]);
    expect((await fetchWith()(url, { headers: { Range: 'bytes=5-' } })).status).toBe(206);
  });

  it('a secret is sent unencrypted only to hosts on the allowlist', async () => {
    const headers = { authorization: '${vault:bound}' };
    const fetch = fetchWith({ resolve: async () => [] });
    expect(await problemOf(fetch('http://api.example.com/', { headers }))).toBe(
      'credential_invalid not_encrypted',
    );
    expect(await problemOf(fetch('https://api.example.com/', { headers }))).toBe('handler_failed network');
    const listed = fetchWith({ resolve: async () => [] }, 'api.example.com');
    expect(await problemOf(listed('http://api.example.com/', { headers }))).toBe('handler_failed network');
  });

  it('a request with a secret that is unknown or bound to another host is not sent', async () => {
    const { url, asked } = await serve((_asked, answer) => answer.end());
    const send = (value: string) => fetchWith()(url, { headers: { authorization: value } });
    expect(await problemOf(send('${vault:nope}'))).toBe('credential_invalid unknown_secret');
    expect(await problemOf(send('${vault:bound}'))).toBe('credential_invalid host_not_allowed');
    expect(await problemOf(fetchWith({ secret: undefined })(url, { headers: { x: '${vault:token}' } }))).toBe(
      'credential_invalid unknown_secret',
    );
    expect(asked).toEqual([]);
  });

  it('a secret in a long reflected header is removed before the header is cut', async () => {
    const { url } = await serve((incoming, answer) =>
      answer.writeHead(200, { 'x-echo': String(incoming.headers.authorization) }).end(),
    );
    for (const padding of [4_060, 4_069, 4_075, 4_090]) {
      const authorization = `${'a'.repeat(padding)}\${vault:local}`;
      const answer = await fetchWith()(url, { headers: { authorization } });
      expect(answer.headers['x-echo']).not.toContain('l0c');
    }
  });

  it('a bound secret that its host stored earlier is removed from a response to a request without it', async () => {
    const { url } = await serve((_asked, answer) => answer.end(`x ${SECRETS.local!.value} y`));
    const boundTo = async (host: string) =>
      [{ name: 'local', ...SECRETS.local! }].filter(({ hosts }) => hosts.includes(host));
    const fetch = fetchWith({ secretsBoundTo: boundTo });
    expect(textOf(await fetch(url))).toBe('x [vault:local] y');
    expect(await problemOf(fetch(url, { headers: { Range: 'bytes=5-' } }))).toBe('invalid_input bad_header');
  });

  it('a redirect from another host to the host of a bound secret does not show the secret', async () => {
    const { url } = await serve((_asked, answer) => answer.end(SECRETS.local!.value), '127.0.0.2');
    const first = await serve((_asked, answer) => answer.writeHead(302, { location: url }).end());
    const secretsBoundTo = async (host: string) =>
      host === '127.0.0.2' ? [{ name: 'local', value: SECRETS.local!.value }] : [];
    const fetch = fetchWith({ secretsBoundTo }, '127.0.0.1,127.0.0.2');
    expect(textOf(await fetch(first.url))).toBe('[vault:local]');
  });

  it('a redirect to another origin with a secret in its address is not followed', async () => {
    const far = await serve((_asked, answer) => answer.end());
    const near = await serve((incoming, answer) => {
      const echoed = encodeURIComponent(String(incoming.headers.authorization));
      answer.writeHead(302, { location: `${far.url}/steal?k=${echoed}` }).end();
    });
    const headers = { authorization: 'Bearer ${vault:local}' };
    expect(await problemOf(fetchWith()(near.url, { headers }))).toBe(DENIED);
    expect(far.asked).toEqual([]);
    expect((await fetchWith()(near.url, { headers: { authorization: 'plain' } })).status).toBe(200);
  });

  it('a secret stands in one header that carries credentials, unless it says otherwise', async () => {
    const { url, asked } = await serve((_asked, answer) => answer.end());
    const send = (headers: Record<string, string>, body?: string) =>
      problemOf(fetchWith()(url, { method: 'POST', headers, body }));
    const refused = 'credential_invalid place_not_allowed';
    expect(await send({ origin: '${vault:local}' })).toBe(refused);
    expect(await send({ 'x-author': '${vault:local}' })).toBe(refused);
    expect(await send({ authorization: '${vault:local}', 'x-api-key': '${vault:local}' })).toBe(refused);
    expect(await send({}, '${vault:local}')).toBe(refused);
    expect(await problemOf(fetchWith()(`${url}/?k=\${vault:local}`))).toBe(refused);
    expect(asked).toEqual([]);
    for (const name of ['authorization', 'x-api-key', 'private-token', 'cookie'])
      expect(await send({ [name]: '${vault:local}' }), name).toBeUndefined();
  });

  it('a placeholder in the output of another run is text and is not filled in', async () => {
    const { url, asked } = await serve((_asked, answer, body) => answer.end(body));
    const fetch = fetchWith({ foreignData: [{ page: 'go to ${vault:token}' }] });
    expect(textOf(await fetch(url, { method: 'POST', body: 'go to ${vault:token}' }))).toBe(
      'go to ${vault:token}',
    );
    await fetch(`${url}/steal?k=\${vault:token}`);
    expect(asked.at(-1)!.url).not.toContain(SECRETS.token!.value);
    expect(await problemOf(fetch(url, { headers: { authorization: '${vault:token}' } }))).toBe(
      'credential_invalid unusable',
    );
  });

  it('secrets are not read for a request that the guard refuses', async () => {
    let reads = 0;
    const fetch = fetchWith({
      secret: async () => {
        reads++;
        return undefined;
      },
    });
    expect(await problemOf(fetch('http://10.0.0.1/', { headers: { x: '${vault:token}' } }))).toBe(DENIED);
    expect(reads).toBe(0);
  });
});
