import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startCheckpointer } from '../../packages/helmdeck/src/stores/sqlite/checkpointer.ts';
import { openSqlite } from '../../packages/helmdeck/src/stores/sqlite/driver.ts';
import { createGroupCommit, FULL_GROUP } from '../../packages/helmdeck/src/stores/sqlite/group-commit.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

let server: TestServer;
const folders: string[] = [];
afterEach(async () => {
  await server?.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<void> {
  server = await testServer({
    env: { HELMDECK_MEMORY_KEY: '7e'.repeat(32), HELMDECK_RATE_LIMIT: 'off', ...env },
  });
}

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-abuse-'));
  folders.push(folder);
  return join(folder, 'abuse.db');
}

async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await server.call('alice', method, `/api/v1/memory${path}`, body, headers);
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('ndjson') ? {} : JSON.parse(text);
  return { status: response.status, text, json };
}

async function storeMany(count: number, make: (index: number) => object): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const facts = Array.from({ length: Math.min(500, count - from) }, (_, index) => make(from + index));
    expect((await call('POST', '/store/batch', { facts })).status).toBe(200);
  }
}

describe('expensive requests', () => {
  // Normalising this many combining marks would take minutes; the test would time out.
  const marks = `a${'\u0301\u0323'.repeat(150_000)}`;

  it.each([
    ['a key', '/store', { key: marks, value: 'v' }, 'key_too_long'],
    ['a tag', '/store', { key: 'k', value: 'v', tags: [marks] }, 'bad_tag'],
    ['a scope', '/forget', { scope: `key:${marks}` }, 'unknown_scope'],
  ])('%s of 300,000 combining marks is rejected before normalisation', async (_what, path, body, reason) => {
    await start();
    const { status, json } = await call('POST', path, body);
    expect([status, json.reason]).toEqual([400, reason]);
  });

  it.each(['/facts', '/search'])('%s with hundreds of words searches for the first ones', async (path) => {
    await start();
    await storeMany(1, () => ({ key: 'k', value: 'deploy via konflux' }));
    const foundWith = async (words: string) => {
      const { status, text } = await call('GET', `${path}?q=${words}`);
      expect(status).toBe(200);
      return text.includes('konflux');
    };
    const others = Array.from({ length: 600 }, (_, index) => `w${index}`).join('+');
    expect(await foundWith(`konflux+${'konflux+'.repeat(400)}`), 'repeated words count once').toBe(true);
    expect(await foundWith(`${others}+konflux`), 'a word after the others').toBe(false);
  });
});

describe('paged lists and exports', () => {
  it.each(['key', 'created', 'expires', 'updated'])(
    'in a list sorted by %s, every fact is on exactly one page',
    async (sort) => {
      await start();
      const ttl = (index: number) => 3600 + ((index * 37) % 701) * 100;
      await storeMany(700, (index) => ({
        key: `k/${(index * 53) % 700}`,
        value: 'v',
        ttl_seconds: ttl(index),
      }));
      const seen: { key: string; expires_at: string }[] = [];
      let cursor = '';
      do {
        const { json } = await call('GET', `/facts?sort=${sort}&limit=9${cursor && `&cursor=${cursor}`}`);
        seen.push(...json.facts);
        cursor = json.next_cursor ?? '';
      } while (cursor);
      expect(new Set(seen.map(({ key }) => key)).size).toBe(700);
      expect(seen).toHaveLength(700);
      if (sort === 'key') expect(seen.map(({ key }) => key)).toEqual(seen.map(({ key }) => key).sort());
      if (sort === 'expires') {
        const times = seen.map(({ expires_at }) => expires_at);
        expect(times).toEqual(times.toSorted());
      }
    },
  );

  it('an export contains facts whose TTL was renewed while it ran', async () => {
    await start({ HELMDECK_DB: file() });
    await storeMany(1500, (index) => ({ key: `k/${index}`, value: 'v '.repeat(200) }));
    const response = await server.call('alice', 'GET', '/api/v1/memory/export');
    const reader = response.body!.getReader();
    let text = Buffer.from((await reader.read()).value!).toString();
    expect((await call('PATCH', '/facts/k%2F1499', { ttl_seconds: 7200 })).status).toBe(200);
    expect((await call('PATCH', '/facts/k%2F0', { ttl_seconds: 7200 })).status).toBe(200);
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += Buffer.from(next.value).toString();
    const keys = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).key);
    expect(new Set(keys).size).toBe(1500);
  });
});

describe('forget requests with concurrent writers', () => {
  it('a fact that is overwritten without the tag survives a concurrent forget of that tag', async () => {
    await start();
    await storeMany(1, () => ({ key: 'hot', value: 'old', tags: ['temp'] }));
    await storeMany(800, (index) => ({ key: `k/${index}`, value: 'v', tags: ['temp'] }));
    const forgetting = call('POST', '/forget', { scope: 'tag:temp' });
    const stored = await call('POST', '/store', { key: 'hot', value: 'new' });
    expect(stored.status).toBe(200);
    expect((await forgetting).json.deleted).toBeGreaterThanOrEqual(800);
    const hot = await call('GET', '/facts/hot');
    expect([hot.status, hot.json.value]).toEqual([200, 'new']);
  });

  it.each(['all', 'tag:t', 'key:k/1'])(
    'forgetting %s during an erasure never causes a server error',
    async (scope) => {
      await start();
      for (let round = 0; round < 10; round++) {
        await storeMany(60, (index) => ({ key: `k/${index}`, value: 'v', tags: ['t'] }));
        const answers = await Promise.all([
          call('POST', '/forget', { scope }),
          call('POST', '/forget', { scope: 'erase' }),
          call('POST', '/forget', { scope }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      }
    },
  );

  it('after everything was forgotten, a request with a used Idempotency-Key stores the fact again', async () => {
    await start();
    const fact = { key: 'k', value: 'v' };
    await call('POST', '/store', fact, { 'idempotency-key': 'once' });
    await call('POST', '/forget', { scope: 'all' });
    expect((await call('POST', '/store', fact, { 'idempotency-key': 'once' })).json.created).toBe(true);
    expect((await call('GET', '/facts/k')).status).toBe(200);
  });
});

const nothing = () => {};
const hooks = {
  beforeBegin: nothing,
  beforeCommit: nothing,
  beforeAcknowledge: nothing,
  onDurable: nothing,
  onFailure: nothing,
  onStopped: nothing,
};

/** A WAL whose syncs end when the test resolves them. */
function blockedWal() {
  const waiting: (() => void)[] = [];
  const sync = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { wal: { sync, close: nothing }, waiting };
}

describe('commit failures and limits', () => {
  it.each([1, 3])(
    '%i write(s) are rejected if fdatasync fails, and all later ones too, because the next sync proves nothing',
    async (count) => {
      const db = openSqlite(file());
      let broken = true;
      const sync = async () => {
        if (broken) throw new Error('EIO: i/o error, fdatasync');
      };
      let stops = 0;
      const commits = createGroupCommit(db, { sync, close: nothing }, { ...hooks, onStopped: () => stops++ });
      const write = () => Promise.allSettled(Array.from({ length: count }, () => commits.write(nothing)));
      for (const outcome of await write()) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { code: 'memory_unavailable', reason: 'not_durable' },
        });
      }
      expect(stops).toBe(1);
      broken = false;
      for (const outcome of await write())
        expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'sync_failed' } });
      expect(stops).toBe(1);
      db.close();
    },
  );

  it('a write that arrives during a sync is committed in the next group, and drained waits for it', async () => {
    const db = openSqlite(file());
    const { wal, waiting } = blockedWal();
    const commits = createGroupCommit(db, wal, hooks);
    const done: number[] = [];
    const write = (n: number) => commits.write(() => n).then((value) => done.push(value));
    const first = [write(1), write(2)];
    await expect.poll(() => waiting.length).toBe(1);
    const later = write(3);
    expect(done).toEqual([]);
    waiting[0]!();
    await Promise.all(first);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!();
    await commits.drained();
    await later;
    expect(done).toEqual([1, 2, 3]);
    db.close();
  });

  it('a full group is committed during the sync of the previous group, and acknowledged after a sync of its own', async () => {
    const db = openSqlite(file());
    const { wal, waiting } = blockedWal();
    const commits = createGroupCommit(db, wal, hooks);
    let committed = 0;
    let acknowledged = 0;
    const write = () => commits.write(() => committed++).then(() => acknowledged++);
    const writes = [write(), write()];
    await expect.poll(() => waiting.length).toBe(1);
    for (let count = 0; count < FULL_GROUP; count++) writes.push(write());
    await expect.poll(() => committed).toBe(FULL_GROUP + 2);
    expect(acknowledged).toBe(0);
    waiting[0]!();
    await expect.poll(() => waiting.length).toBe(2);
    expect(acknowledged).toBe(2);
    waiting[1]!();
    await commits.drained();
    await Promise.all(writes);
    expect(acknowledged).toBe(FULL_GROUP + 2);
    db.close();
  });

  it('the quota of facts holds for 200 facts stored at once', async () => {
    await start({ HELMDECK_QUOTA_FACTS: '10' });
    const facts = Array.from({ length: 200 }, (_, index) => ({ key: `k/${index}`, value: 'v' }));
    const { json } = await call('POST', '/store/batch', { facts });
    const stored = json.results.filter((result: { created?: boolean }) => result.created);
    expect(stored).toHaveLength(10);
    expect((await call('GET', '/facts?limit=200')).json.facts).toHaveLength(10);
  });

  it('a job that throws is rejected, and the other jobs of its transaction are committed', async () => {
    const db = openSqlite(file());
    db.exec('CREATE TABLE t (n INTEGER)');
    const commits = createGroupCommit(db, { sync: async () => {}, close: nothing }, hooks);
    const insert = (n: number) => () => db.run('INSERT INTO t VALUES (?)', n);
    const outcomes = await Promise.allSettled([
      commits.write(insert(1)),
      commits.write(() => {
        insert(2)();
        throw new RangeError('a number too large');
      }),
      commits.write(insert(3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(db.all('SELECT n FROM t').map((row) => (row as { n: number }).n)).toEqual([1, 3]);
    db.close();
  });

  it('a checkpoint worker that cannot open its file returns false, and close does not hang', async () => {
    const checkpointer = startCheckpointer(join(tmpdir(), 'no such folder', 'x.db'), nothing, (work) =>
      work(),
    );
    expect(await checkpointer.truncate()).toBe(false);
    await checkpointer.close();
  });

  it('a checkpoint worker does not create a database file that is missing, and does not delete its WAL', async () => {
    const path = file();
    writeFileSync(`${path}-wal`, 'of a database that was moved away');
    const checkpointer = startCheckpointer(path, nothing, (work) => work());
    expect(await checkpointer.truncate()).toBe(false);
    await checkpointer.close();
    expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([false, true]);
  });

  it('/readyz returns 503 after the database file was deleted under the server', async () => {
    const db = file();
    await start({ HELMDECK_DB: db });
    expect((await server.call(undefined, 'GET', '/readyz')).status).toBe(200);
    rmSync(db);
    const answer = await server.call(undefined, 'GET', '/readyz');
    expect([answer.status, ((await answer.json()) as { memory: { reason: string } }).memory.reason]).toEqual([
      503,
      'file_gone',
    ]);
  });
});
