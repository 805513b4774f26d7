import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChildServer, cpuOf, startServer } from './child-server.ts';
import { load } from './load.ts';
import { makeFact, makeQuestion } from './made-up-facts.ts';

// Measures what a request costs with the access token of an application that a person allowed, against the same request
// with a minted token of the same caller. Both in turn on one server, because only ratios compare across machines.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '7' },
  },
});
const [seconds, connections, rounds] = [options.seconds, options.connections, options.rounds].map(Number) as [
  number,
  number,
  number,
];
const FACTS = 100;
const PASSWORD = 'a password of this measurement';
const JSON_TYPE = { 'content-type': 'application/json' };

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-oauth-'));
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const server = await startServer('./helmdeck-server.ts', {
  HELMDECK_DB: join(folder, 'bench.db'),
  HELMDECK_ADDR: `127.0.0.1:${port}`,
  HELMDECK_PUBLIC_URL: origin,
  HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
  HELMDECK_JWT_SECRET: 'cd'.repeat(32),
  HELMDECK_ADMIN_USERNAME: 'bench',
  HELMDECK_ADMIN_PASSWORD: PASSWORD,
  HELMDECK_RATE_LIMIT: 'off',
  HELMDECK_LOG_LEVEL: 'warn',
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(origin + path, { method: 'POST', ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** The access token of an application, on the way that applications and people go. */
async function connectedToken(): Promise<string> {
  const redirectUri = 'http://localhost/callback';
  const registered = await send('/oauth/register', {
    headers: JSON_TYPE,
    body: JSON.stringify({ client_name: 'bench', redirect_uris: [redirectUri] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const headers = { ...JSON_TYPE, origin };
  const signedIn = await send('/api/v1/auth/session', {
    headers,
    body: JSON.stringify({ username: 'bench', password: PASSWORD }),
  });
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const code_verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/api/v1/mcp`,
    scope: 'memory:read memory:write packs:run',
  }).toString();
  const allowed = await send('/api/v1/oauth/consent', {
    headers: { ...headers, cookie },
    body: JSON.stringify({ query, decision: 'allow' }),
  });
  const { redirect_to } = (await allowed.json()) as { redirect_to: string };
  const code = new URL(redirect_to).searchParams.get('code')!;
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri: redirectUri,
    code_verifier,
  };
  const redeemed = await send('/oauth/token', { body: new URLSearchParams(form) });
  return ((await redeemed.json()) as { access_token: string }).access_token;
}

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function recall(token: string, n: number): string {
  const params = {
    name: 'memory_recall',
    arguments: { query: makeQuestion(n, FACTS), limit: 5 },
    _meta: META,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = [
    'POST /api/v1/mcp HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${VERSION}`,
    'mcp-method: tools/call',
    'mcp-name: memory_recall',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

interface Measured {
  name: string;
  token: string;
  perSecond: number[];
  cpuMicroseconds: number[];
}

async function measure(of: ChildServer, { token, perSecond, cpuMicroseconds }: Measured): Promise<void> {
  const before = await cpuOf(of);
  const result = await load(of.url, connections, seconds, (n) => recall(token, n));
  cpuMicroseconds.push(((await cpuOf(of)) - before) / (result.perSecond * seconds));
  perSecond.push(result.perSecond);
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

await send('/api/v1/memory/store/batch', {
  headers: { ...JSON_TYPE, authorization: `Bearer ${server.token}` },
  body: JSON.stringify({ facts: Array.from({ length: FACTS }, (_, n) => makeFact(n)) }),
});
const minted: Measured = { name: 'minted', token: server.token, perSecond: [], cpuMicroseconds: [] };
const oauth: Measured = { name: 'OAuth', token: await connectedToken(), perSecond: [], cpuMicroseconds: [] };
const both = [minted, oauth];
for (const each of both) await measure(server, each); // warm-up, discarded
for (const each of both) each.perSecond.length = each.cpuMicroseconds.length = 0;
// Their order alternates, so that what comes second is not always the same.
for (let round = 0; round < rounds; round++)
  for (const each of round % 2 === 0 ? both : both.toReversed()) await measure(server, each);

console.log('memory_recall with a token calls/s   CPU per call');
for (const { name, perSecond, cpuMicroseconds } of both)
  console.log(
    `${name.padEnd(26)} ${String(Math.round(median(perSecond))).padStart(7)} ${`${Math.round(median(cpuMicroseconds))} µs`.padStart(14)}`,
  );
const ratio = (of: (each: Measured) => number[]) =>
  median(of(oauth).map((each, at) => each / of(minted)[at]!)).toFixed(2);
console.log(
  `OAuth of minted            ${ratio((each) => each.perSecond).padStart(7)} ${ratio((each) => each.cpuMicroseconds).padStart(14)}`,
);
server.child.disconnect();
rmSync(folder, { recursive: true });
