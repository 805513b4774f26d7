import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../stores/in-memory/store.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { openDirectory } from './directory.ts';
import { createKeyring } from './keyring.ts';
import { holdsRuns, SYSTEM_NS } from './namespace-record.ts';

const OLD = 'a'.repeat(64);
const NEW = 'b'.repeat(64);
const now = () => Date.UTC(2026, 0, 1);
let folder: string;
let server: TestServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-directory-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Closes the running server and starts another on the same file. */
async function start(key?: string, previous?: string): Promise<TestServer> {
  await server?.close();
  server = await testServer({
    env: {
      HELMDECK_DB: join(folder, 'helmdeck.db'),
      ...(key === undefined ? {} : { HELMDECK_MEMORY_KEY: key }),
      ...(previous === undefined ? {} : { HELMDECK_MEMORY_KEY_PREVIOUS: previous }),
    },
  });
  return server;
}
const store = (subject: string) =>
  server!.call(subject, 'POST', '/api/v1/memory/store', { key: 'city', value: `of ${subject}` });
const read = async (subject: string) => {
  const answer = await server!.call(subject, 'GET', '/api/v1/memory/facts/city');
  return answer.status === 200 ? ((await answer.json()) as { value: string }).value : answer.status;
};
const ready = async () => {
  const answer = await server!.call(undefined, 'GET', '/readyz');
  return {
    status: answer.status,
    ...((await answer.json()) as { memory: { reason?: string; message?: string } }).memory,
  };
};

describe('a new memory key', () => {
  it('a new memory key opens everything while the old one is configured beside it; after the rotation the old one is not needed', async () => {
    await start(OLD);
    for (const subject of ['ada', 'bob', 'cyd']) await store(subject);
    await start(NEW, OLD);
    expect(await read('ada')).toBe('of ada');
    expect(await server!.memory!.parts.directory.rotate()).toMatchObject({ unreadable: 0, finished: true });
    await start(NEW);
    for (const subject of ['ada', 'bob', 'cyd']) expect(await read(subject)).toBe(`of ${subject}`);
    await start(OLD);
    expect(await ready()).toMatchObject({ status: 503, reason: 'wrong_key' });
  });

  it('the old memory key is found anywhere in the list of previous keys', async () => {
    await start(OLD);
    await store('ada');
    await start(NEW, `${'c'.repeat(64)}, ${OLD} ,${'d'.repeat(64)}`);
    expect(await read('ada')).toBe('of ada');
  });

  it('receipts signed under the old memory key still verify after a rotation', async () => {
    await start(OLD);
    await start(NEW, OLD);
    const { keys } = (await (
      await server!.call(undefined, 'GET', '/.well-known/helmdeck-receipts.json')
    ).json()) as {
      keys: object[];
    };
    expect(keys).toHaveLength(2);
  });

  it('existing and new callers can write during a rotation', async () => {
    await start(OLD);
    for (let index = 0; index < 20; index++) await store(`s${index}`);
    await start(NEW, OLD);
    await Promise.all(Array.from({ length: 30 }, (_, index) => store(`s${index}`)));
    await server!.memory!.parts.directory.rotate();
    await start(NEW);
    for (let index = 0; index < 30; index++) expect(await read(`s${index}`)).toBe(`of s${index}`);
  });
});

describe('the wrong memory key', () => {
  it('a wrong memory key turns memory off, says which key is missing, and overwrites nothing', async () => {
    await start(OLD);
    await store('ada');
    await server!.close();
    server = undefined;
    const before = readFileSync(join(folder, 'helmdeck.db'));
    await start(NEW);
    const state = await ready();
    expect(state).toMatchObject({ status: 503, state: 'off', reason: 'wrong_key' });
    expect(state.message).toContain(
      createKeyring({ current: Buffer.from(OLD, 'hex') }).currentId.toString('hex'),
    );
    expect(await (await store('ada')).json()).toMatchObject({
      error: 'memory_unavailable',
      reason: 'wrong_key',
    });
    await server!.close();
    server = undefined;
    expect(readFileSync(join(folder, 'helmdeck.db')).equals(before)).toBe(true);
    await start(OLD);
    expect(await read('ada')).toBe('of ada');
  });

  it.each(['xyz', 'a'.repeat(63), `${'a'.repeat(63)}g`])(
    'a malformed memory key turns memory off',
    async (key) => {
      await start(key);
      const state = await ready();
      expect(state).toMatchObject({ status: 503, reason: 'key_invalid' });
      expect(JSON.stringify(state)).not.toContain(key);
    },
  );

  it('a wrong key among the previous ones has no effect', async () => {
    await start(OLD);
    await store('ada');
    await start(OLD, NEW);
    expect(await read('ada')).toBe('of ada');
  });
});

describe('without a memory key', () => {
  it('without a memory key, a new file works until the process ends', async () => {
    await start();
    await store('ada');
    expect(await read('ada')).toBe('of ada');
    expect(server!.memory!.parts.directory.ephemeral).toBe(true);
  });

  it('without a memory key, rows of an earlier ephemeral key are swept and counted, and memory is on', async () => {
    await start();
    await store('ada');
    await start();
    expect((await ready()).status).toBe(200);
    expect(server!.memory!.parts.directory.orphansSwept).toBeGreaterThanOrEqual(1);
    expect(await read('ada')).toBe(404);
    expect((await store('ada')).status).toBe(200);
  });

  it('a file written under an ephemeral key can be opened with a configured one, which is required from then on', async () => {
    await start();
    await store('ada');
    await start(OLD);
    expect((await ready()).status).toBe(200);
    expect(server!.memory!.parts.directory.orphansSwept).toBeGreaterThanOrEqual(1);
    await store('bob');
    await start(OLD);
    expect(await read('bob')).toBe('of bob');
  });

  it('without a memory key, a file written under a configured key stays closed and unchanged', async () => {
    await start(OLD);
    await store('ada');
    await start();
    expect(await ready()).toMatchObject({ status: 503, reason: 'wrong_key' });
    expect((await store('ada')).status).toBe(503);
    await start(OLD);
    expect(await read('ada')).toBe('of ada');
  });
});

describe('the runs namespace of a caller', () => {
  const oldRing = createKeyring({ current: Buffer.from(OLD, 'hex') });
  const bothRing = createKeyring({ current: Buffer.from(NEW, 'hex'), previous: [Buffer.from(OLD, 'hex')] });
  const newRing = createKeyring({ current: Buffer.from(NEW, 'hex') });
  const ada = { subject: 'ada' };

  it('the runs namespace is created with the main one on first use, under another id and another key', async () => {
    const inMemory = createInMemoryStore({ now });
    const directory = await openDirectory(inMemory, oldRing, now);
    expect(await directory.runs.find(ada)).toBeUndefined();
    const runs = await directory.runs.findOrCreate(ada);
    const main = (await directory.find(ada))!;
    expect(runs.ns).toEqual(directory.runs.idOf(main.ns));
    expect(runs.ns.equals(main.ns)).toBe(false);
    expect(runs.encryption.equals(main.encryption)).toBe(false);
    expect(await directory.callerOf(runs.ns)).toEqual(ada);
    expect(directory.runs.idOf(directory.idOf({ subject: 'bob' })).equals(runs.ns)).toBe(false);
    const flags = async ({ ns }: { ns: Uint8Array }) => holdsRuns((await inMemory.getNamespace(ns))!);
    expect([await flags(main), await flags(runs)]).toEqual([false, true]);
  });

  it('the runs namespace is re-wrapped by a rotation and keeps its mark', async () => {
    const inMemory = createInMemoryStore({ now });
    const before = await (await openDirectory(inMemory, oldRing, now)).runs.findOrCreate(ada);
    const rotation = await (await openDirectory(inMemory, bothRing, now)).rotate();
    expect(rotation).toMatchObject({ total: 3, done: 3, unreadable: 0 });
    const after = (await (await openDirectory(inMemory, newRing, now)).runs.find(ada))!;
    expect(after.encryption.equals(before.encryption)).toBe(true);
    expect(holdsRuns((await inMemory.getNamespace(after.ns))!)).toBe(true);
  });
});

describe('the canary record', () => {
  it('a canary record with its plaintext flag flipped is reported as damaged, and nothing is swept', async () => {
    const inMemory = createInMemoryStore({ now });
    const ring = createKeyring({ current: randomBytes(32) });
    const directory = await openDirectory(inMemory, ring, now);
    await directory.findOrCreate({ subject: 'ada' });
    const record = (await inMemory.getNamespace(SYSTEM_NS))!;
    const flipped = Buffer.from(record.blob);
    flipped[0]! ^= 1;
    await inMemory.replaceNamespace(record, record.blob, flipped);
    await expect(openDirectory(inMemory, ring, now)).rejects.toMatchObject({ code: 'memory_unavailable' });
    expect((await inMemory.listNamespaces(10)).length).toBe(2);
  });

  it.each([1, 9, 30, 60])(
    'a canary record with byte %i changed is refused, and nothing changes',
    async (at) => {
      const inMemory = createInMemoryStore({ now });
      const ring = createKeyring({ current: randomBytes(32) });
      await openDirectory(inMemory, ring, now);
      const record = (await inMemory.getNamespace(SYSTEM_NS))!;
      const flipped = Buffer.from(record.blob);
      flipped[at]! ^= 0x10;
      await inMemory.replaceNamespace(record, record.blob, flipped);
      await expect(openDirectory(inMemory, ring, now)).rejects.toMatchObject({ code: 'memory_unavailable' });
      expect((await inMemory.getNamespace(SYSTEM_NS))!.blob).toEqual(new Uint8Array(flipped));
    },
  );
});
