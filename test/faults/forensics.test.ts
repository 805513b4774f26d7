import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tracesOf } from '../support/traces.ts';

const SECRET = 'forensics-secret-forensics-secret-32';
const MEMORY_KEY = '5ca1ab1e'.repeat(8);
/** Texts that occur nowhere else: each may only be on disk as ciphertext. */
const CANARIES = {
  value: 'CanaryValueZebra71',
  newValue: 'CanaryNewvalueOkapi72',
  key: 'canary-key-quagga-73',
  category: 'canary_category_dingo_74',
  newCategory: 'canary_category_gecko_75',
  tag: 'canary-tag-lemur-76',
  subject: 'canary-subject-ibis-77',
  tenant: 'canary-tenant-tapir-78',
  client: 'canary-client-skink-79',
  tokenName: 'canary-token-name-80',
  query: 'canary-query-newt-81',
  repeat: 'canary-idempotency-82',
  imported: 'canary-imported-moose-83',
  space: 'canary-space-civet-84',
};

/** Which of the texts are in which files of the folder. */
const traces = (folder: string, texts: Record<string, string> = CANARIES) => tracesOf(texts, folder);

let root: string;
let data: string;
let child: ChildProcess;
let url: string;
let token: string;

async function start() {
  const errors = openSync(join(root, 'server.log'), 'a');
  child = fork(join(import.meta.dirname, '../support/forensics-server.ts'), {
    execArgv: [],
    stdio: ['ignore', errors, errors, 'ipc'],
    env: {
      PATH: process.env.PATH,
      HELMDECK_DB: join(data, 'helmdeck.db'),
      HELMDECK_ADDR: '127.0.0.1:0',
      HELMDECK_MEMORY_KEY: MEMORY_KEY,
      HELMDECK_JWT_SECRET: SECRET,
      HELMDECK_LOG_LEVEL: 'trace',
    },
  });
  closeSync(errors);
  const died = once(child, 'exit').then(() => {
    throw new Error(
      `the server did not start: ${readFileSync(join(root, 'server.log'), 'utf8').slice(-500)}`,
    );
  });
  died.catch(() => undefined); // after the start, an exit is not an error
  const [{ url: listening }] = (await Promise.race([once(child, 'message'), died])) as [{ url: string }];
  url = listening;
}
async function command(what: object): Promise<{ swept: number }> {
  child.send(what);
  return ((await once(child, 'message')) as [{ swept: number }])[0];
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'helmdeck-forensics-'));
  data = join(root, 'data');
  mkdirSync(data);
  token = await new SignJWT({ tenant: CANARIES.tenant, client: CANARIES.client, jti: 'canary-jti' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('helmdeck')
    .setSubject(CANARIES.subject)
    .setExpirationTime('2d')
    .sign(new TextEncoder().encode(SECRET));
  await start();
});
afterAll(() => {
  if (child.connected) child.disconnect();
  child.kill();
  rmSync(root, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}
const KEY_PATH = `/api/v1/memory/facts/${CANARIES.key}`;
const FACT = { key: CANARIES.key, value: CANARIES.value, category: CANARIES.category, tags: [CANARIES.tag] };

async function expectNoTrace() {
  await command({ flush: true });
  const key = { memoryKey: MEMORY_KEY, token: token.split('.')[2]!, jwtSecret: SECRET };
  expect(traces(root)).toEqual([]);
  expect(traces(root, key)).toEqual([]);
  for (const secret of [MEMORY_KEY])
    expect(readFileSync(join(data, 'helmdeck.db')).includes(Buffer.from(secret, 'hex'))).toBe(false);
}

describe('tracesOf', () => {
  it.each(['utf8', 'utf16le', 'base64', 'base64url', 'hex'] as const)(
    'tracesOf finds a text in %s surrounded by other bytes',
    (encoding) => {
      const planted = mkdtempSync(join(tmpdir(), 'helmdeck-planted-'));
      for (const before of ['', 'x', 'xy', 'xyz']) {
        const text = `${before}${CANARIES.key} and more`;
        const bytes =
          encoding === 'utf16le' ? Buffer.from(text, encoding) : Buffer.from(text).toString(encoding);
        writeFileSync(
          join(planted, 'file'),
          Buffer.concat([Buffer.alloc(100, 1), Buffer.from(bytes as string), Buffer.alloc(9)]),
        );
        expect(traces(planted)).toEqual(['key in file']);
      }
      rmSync(planted, { recursive: true });
    },
  );
});

describe('plaintext on disk and in the log at level trace', () => {
  it('storing, also in a batch, by import and with an Idempotency-Key, leaves no plaintext on disk or in the log', async () => {
    const headers = { 'idempotency-key': CANARIES.repeat };
    expect((await call('POST', '/api/v1/memory/store', FACT, headers)).status).toBe(200);
    expect(
      (await call('POST', '/api/v1/memory/store/batch', { facts: [{ ...FACT, key: `${CANARIES.key}/b` }] }))
        .status,
    ).toBe(200);
    expect(
      (await call('POST', '/api/v1/memory/import', `{"key":"i","value":"${CANARIES.imported}"}\n`)).status,
    ).toBe(200);
    expect(
      (await call('POST', '/api/v1/tokens', { name: CANARIES.tokenName, client: CANARIES.client })).status,
    ).toBe(200);
    expect((await call('GET', KEY_PATH)).text, 'it was stored').toContain(CANARIES.value);
    expect(readdirSync(data).sort()).toEqual(
      expect.arrayContaining(['helmdeck.db', 'helmdeck.db-wal', 'server.json']),
    );
    await expectNoTrace();
  });

  it('an update and a patch leave no plaintext on disk or in the log', async () => {
    expect((await call('POST', '/api/v1/memory/store', { ...FACT, value: CANARIES.newValue })).status).toBe(
      200,
    );
    expect(
      (await call('PATCH', KEY_PATH, { category: CANARIES.newCategory, tags: [CANARIES.tag] })).status,
    ).toBe(200);
    await expectNoTrace();
  });

  it('reads and rejected requests that contain the texts leave none of them on disk or in the log', async () => {
    const q = encodeURIComponent(CANARIES.query);
    for (const path of [
      `?q=${q}`,
      `?prefix=${CANARIES.key}`,
      `?tag=${CANARIES.tag}`,
      `?limit=${q}`,
      `?cursor=${q}`,
      `?caller=${CANARIES.subject}`,
    ]) {
      expect((await call('GET', `/api/v1/memory/facts${path}`)).status).toBeLessThan(500);
    }
    for (const path of [
      `${KEY_PATH}/history`,
      `${KEY_PATH}?version=9`,
      `/${CANARIES.key}`,
      `/api/v1/${CANARIES.key}`,
      `${KEY_PATH}%ff`,
      `/api/v1/memory/search?q=${q}&tag=${CANARIES.tag}&category=${CANARIES.category}`,
      `/api/v1/memory/search?q=${CANARIES.value}&explain=1`,
      `/api/v1/memory/search?kinds=${q}&limit=${q}&caller=${CANARIES.subject}`,
      '/api/v1/memory/mine',
      '/api/v1/memory/context',
      '/api/v1/memory/export',
    ])
      await call('GET', path);
    await call('PUT', KEY_PATH);
    await call('POST', '/api/v1/memory/store', { ...FACT, [CANARIES.query]: 1 });
    await call('POST', '/api/v1/memory/store', { ...FACT, value: `password is ${CANARIES.value}!9` });
    await call('POST', '/api/v1/memory/store', { ...FACT, if_version: 77 });
    await call('POST', '/api/v1/memory/import', `{"key":"${CANARIES.key}", ${CANARIES.value}\n`);
    await call('POST', '/api/v1/memory/forget', { scope: CANARIES.query });
    await call('POST', '/api/v1/auth/login', { username: CANARIES.subject, password: CANARIES.value });
    await call('GET', '/api/v1/memory/facts', undefined, { authorization: `Bearer ${CANARIES.query}` });
    await call('GET', '/api/v1/memory/facts', undefined, {
      'x-request-id': 'a-fine-request-id',
      cookie: `x=${CANARIES.query}`,
    });
    await expectNoTrace();
    expect(readFileSync(join(root, 'server.log'), 'utf8'), 'there is a log').toContain(
      '/api/v1/memory/facts/{key}',
    );
  });

  it('a restart leaves no plaintext on disk or in the log', async () => {
    await command({ close: true });
    await once(child, 'exit');
    expect(traces(root)).toEqual([]);
    await start();
    expect((await call('GET', KEY_PATH)).text).toContain(CANARIES.newValue);
    await expectNoTrace();
  });

  it('forgetting leaves no plaintext on disk or in the log', async () => {
    expect((await call('POST', '/api/v1/memory/forget', { scope: `key:${CANARIES.key}/b` })).text).toContain(
      '"deleted":1',
    );
    expect((await call('POST', '/api/v1/memory/forget', { scope: `tag:${CANARIES.tag}` })).text).toContain(
      '"deleted":1',
    );
    await expectNoTrace();
  });

  it('expiry and the sweep leave no plaintext on disk or in the log', async () => {
    await call('POST', '/api/v1/memory/store', { ...FACT, ttl_seconds: 3600 });
    await call('POST', '/api/v1/memory/store', { ...FACT, value: CANARIES.newValue, ttl_seconds: 3600 });
    const stream = await fetch(`${url}/api/v1/memory/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { swept } = await command({ advanceMs: 3_601_000, sweep: true });
    expect(swept).toBeGreaterThanOrEqual(1);
    await stream.body!.cancel();
    expect((await call('GET', KEY_PATH)).status).toBe(404);
    await expectNoTrace();
  });

  it('an erased space leaves neither its key nor its rows, grants and names in any file', async () => {
    const admin = await new SignJWT({ tenant: CANARIES.tenant, scopes: ['admin'] })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('helmdeck')
      .setSubject(CANARIES.subject)
      .setExpirationTime('2d')
      .sign(new TextEncoder().encode(SECRET));
    const headers = { authorization: `Bearer ${admin}` };
    const made = await call('POST', '/api/v1/spaces', { slug: CANARIES.space }, headers);
    expect(made.status).toBe(201);
    for (const value of [CANARIES.value, CANARIES.newValue]) {
      const path = `/api/v1/memory/store?space=${CANARIES.space}`;
      expect((await call('POST', path, { ...FACT, value }, headers)).status).toBe(200);
    }
    const grants = `/api/v1/spaces/${CANARIES.space}/grants/${CANARIES.client}`;
    expect((await call('PUT', grants, { role: 'reader' }, headers)).status).toBe(200);
    await call('GET', `/api/v1/memory/search?q=${CANARIES.value}&spaces=*`, undefined, headers);
    await expectNoTrace();
    const file = new DatabaseSync(join(data, 'helmdeck.db'), { readOnly: true });
    const newest = 'SELECT no, blob FROM namespaces ORDER BY no DESC LIMIT 1';
    const { no, blob } = file.prepare(newest).get() as { no: number; blob: Uint8Array };
    const own = file.prepare('SELECT body FROM rows WHERE nsno = ?').all(no) as { body: Uint8Array }[];
    const named = file.prepare("SELECT body FROM rows WHERE kind LIKE 'space%'").all() as { body: Uint8Array }[];
    file.close();
    expect(own.length, 'a fact and its version').toBeGreaterThanOrEqual(2);
    expect(named.length, 'space, grants and alias').toBeGreaterThanOrEqual(4);
    const sealed = [blob, ...[...own, ...named].map(({ body }) => body)].map((bytes) =>
      Buffer.from(bytes).subarray(0, 48),
    );
    const stillThere = () =>
      readdirSync(data).filter((name) =>
        sealed.some((bytes) => readFileSync(join(data, name)).includes(bytes)),
      );
    expect(stillThere(), 'before').not.toEqual([]);
    const erased = await call('DELETE', `/api/v1/spaces/${CANARIES.space}`, undefined, headers);
    expect(erased.text).toContain('"receipt"');
    expect(stillThere(), 'after').toEqual([]);
    await expectNoTrace();
  });

  it('an erasure also removes the wrapped key and the ciphertext of the rows from all files', async () => {
    await call('POST', '/api/v1/memory/store', FACT);
    const file = new DatabaseSync(join(data, 'helmdeck.db'), { readOnly: true });
    const { no, blob } = file.prepare('SELECT no, blob FROM namespaces WHERE ns <> zeroblob(16)').get() as {
      no: number;
      blob: Uint8Array;
    };
    const bodies = file.prepare('SELECT body FROM rows WHERE nsno = ?').all(no) as { body: Uint8Array }[];
    file.close();
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    const sealed = [blob, ...bodies.map(({ body }) => body)].map((bytes) =>
      Buffer.from(bytes).subarray(0, 48),
    );
    const stillThere = () =>
      readdirSync(data).filter((name) =>
        sealed.some((bytes) => readFileSync(join(data, name)).includes(bytes)),
      );
    expect(stillThere(), 'before').not.toEqual([]);
    const erased = await call('POST', '/api/v1/memory/forget', { scope: 'erase' });
    expect(erased.text).toContain('"receipt"');
    expect(stillThere(), 'after').toEqual([]);
    await expectNoTrace();
  });

  it('a shutdown leaves no plaintext on disk or in the log', async () => {
    await command({ close: true });
    await once(child, 'exit');
    expect(traces(root)).toEqual([]);
  });
});
