import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ChildServer, startChild } from '../child-server.ts';
import { compileDiskShim, failReads, shimmedDisk } from './shimmed-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-eio-'));
const library = compileDiskShim(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FACTS = 300;
const BATCH = 60;
let running: ChildServer | undefined;
afterEach(() => running?.kill());
const get = (server: ChildServer, path: string) => server.call('ada', 'GET', `/api/v1/memory${path}`);
const store = (server: ChildServer, key: string) =>
  server.call('ada', 'POST', '/api/v1/memory/store', { key, value: `value of ${key} `.repeat(50) });

/** A server on a database that is larger than SQLite's page cache, started again so that nothing is cached. */
async function startWithFacts(db: string): Promise<ChildServer> {
  const first = await startChild(shimmedDisk(library!, db));
  for (let from = 0; from < FACTS; from += BATCH) {
    const facts = Array.from({ length: BATCH }, (_, n) => ({
      key: `k/${from + n}`,
      value: 'v '.repeat(6_000),
    }));
    const { status } = await first.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
    expect(status).toBe(200);
  }
  await first.stop();
  running = await startChild(shimmedDisk(library!, db));
  return running;
}

describe.skipIf(!library)('reads that fail with EIO (skipped without a C compiler)', () => {
  it('while reads fail they are told as io_error, never as damage, and once they work again nothing is locked out', async () => {
    const db = join(folder, 'eio.db');
    const server = await startWithFacts(db);
    failReads(db, true);
    const refused = await Promise.all([
      get(server, '/facts/k/7'),
      get(server, '/facts'),
      store(server, 'k/8'),
    ]);
    const ready = await fetch(`${server.url}/readyz`);
    failReads(db, false);
    const reasons = refused.map(({ status, json }) => [status, json.reason]);
    expect(reasons).toEqual([
      [503, 'io_error'],
      [503, 'io_error'],
      [503, 'io_error'],
    ]);
    expect(await ready.text()).not.toContain('damaged');
    for (let n = 0; n < FACTS; n++) expect((await get(server, `/facts/k/${n}`)).status).toBe(200);
    expect(((await get(server, '/facts?limit=200')).json.facts as unknown[]).length).toBe(200);
    expect((await get(server, '/search?q=value')).status).toBe(200);
    expect((await store(server, 'k/8')).status).toBe(200);
    expect((await get(server, '/stats')).json).toMatchObject({ unreadable_rows: 0 });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
  });

  it('a read that fails once is retried and succeeds', async () => {
    const db = join(folder, 'once.db');
    const server = await startWithFacts(db);
    failReads(db, true);
    const reads = Promise.all([get(server, '/facts/k/250'), get(server, '/facts?limit=200')]);
    await sleep(40);
    failReads(db, false);
    for (const { status, json } of await reads) expect([status, json.reason]).toEqual([200, undefined]);
    await server.stop();
  });
});
