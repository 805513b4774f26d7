import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NamespaceRef } from '../../../packages/helmdeck/src/memory/store.ts';
import { findCorruption, readDatabaseFile } from '../../../packages/helmdeck/src/server/database-file.ts';
import { openSqlite } from '../../../packages/helmdeck/src/stores/sqlite/driver.ts';
import { findRow } from '../../../packages/helmdeck/src/stores/sqlite/rows.ts';
import { createWriter } from '../../../packages/helmdeck/src/stores/sqlite/writer.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/index.ts';

// One flipped byte in any file: every fact is there, or something says that one is not.

const FACTS = 60;
const KEY = 'a'.repeat(64);
const valueAt = (n: number) => `value ${n} `.repeat(1 + (n % 30)).trim();
let folder: string;
let original: string;
let copies = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-flip-'));
  original = join(folder, 'original.db');
  const server = await start(original);
  for (let n = 0; n < FACTS; n++)
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: `k/${n}`, value: valueAt(n) });
  copyFileSync(`${original}-wal`, join(folder, 'wal'));
  copyFileSync(original, join(folder, 'before-checkpoint'));
  await server.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const warnings: string[] = [];
function start(db: string, env: Record<string, string> = { HELMDECK_MEMORY_KEY: KEY }): Promise<TestServer> {
  warnings.length = 0;
  const ignore = () => {};
  const warn = (_fields: object, text: string) => warnings.push(text);
  const log = { isEnabled: () => false, debug: ignore, info: ignore, warn, error: ignore };
  return testServer({ env: { HELMDECK_DB: db, HELMDECK_RATE_LIMIT: 'off', ...env }, log });
}

function copyOf(from: string): string {
  const at = join(folder, `copy-${copies++}`);
  mkdirSync(at);
  copyFileSync(from, join(at, 'facts.db'));
  return join(at, 'facts.db');
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1 << (at % 8);
  writeFileSync(path, bytes);
}

/** Evenly spread positions, at a different offset in each page. */
const positions = (length: number, count: number) =>
  Array.from({ length: count }, (_, n) => Math.floor(((n + 0.37) * length) / count));

/** Positions in the last entries of an index, which is a single page here. */
function positionsInIndex(name: string): number[] {
  const db = new DatabaseSync(original, { readOnly: true });
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(name) as {
    rootpage: number;
  };
  const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
  db.close();
  return Array.from({ length: 6 }, (_, n) => rootpage * page_size - 10 - n * 31);
}

interface StoredId {
  nsno: number;
  id: Uint8Array;
}

/** An entry of `rows_by_id` begins with its length, the length of its header and the types of its three columns. */
const ENTRY_HEADER_BYTES = 5;

/** Whether a look-up of any of these ids returns an intact row with another id; damage that SQLite notices does not count. */
function misledId(path: string, rows: readonly StoredId[]): StoredId | undefined {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const find = db.prepare('SELECT id FROM rows WHERE nsno = ? AND id = ?');
    return rows.find(({ nsno, id }) => {
      const found = find.get(nsno, id) as { id: Uint8Array } | undefined;
      return (
        found &&
        rows.some((row) => Buffer.compare(row.id, found.id) === 0) &&
        Buffer.compare(found.id, id) !== 0
      );
    });
  } catch {
    return undefined;
  } finally {
    db.close();
  }
}

/** Flips a bit of an index entry such that SQLite returns another row for some id; returns what to ask for. */
function misleadSqlite(path: string): StoredId {
  const bytes = readFileSync(path);
  const intact = new DatabaseSync(path, { readOnly: true });
  const rows = intact.prepare('SELECT nsno, id FROM rows').all() as unknown as StoredId[];
  intact.close();
  for (const { id } of rows) {
    for (let place = bytes.indexOf(id); place !== -1; place = bytes.indexOf(id, place + 1)) {
      for (let bit = 0; bit < 8 * ENTRY_HEADER_BYTES; bit++) {
        const at = place - 1 - (bit >> 3);
        bytes[at]! ^= 1 << (bit & 7);
        writeFileSync(path, bytes);
        const misled = misledId(path, rows);
        if (misled) return misled;
        bytes[at]! ^= 1 << (bit & 7);
      }
    }
  }
  throw new Error('No bit of the index misleads SQLite.');
}

/** Reads every fact; the number of those that are missing, and of those that are told as unreadable. */
async function readAll(server: TestServer): Promise<{ missing: number; told: number }> {
  let missing = 0;
  let told = 0;
  for (let n = 0; n < FACTS; n++) {
    const answer = await server.call('ada', 'GET', `/api/v1/memory/facts/k/${n}`);
    const body = (await answer.json()) as { value?: string };
    if (answer.status === 200) expect(body, `k/${n}`).toMatchObject({ key: `k/${n}`, value: valueAt(n) });
    else if (answer.status === 404) missing++;
    else told++;
  }
  const list = await server.call('ada', 'GET', '/api/v1/memory/facts?limit=200');
  const { facts } = (await list.json()) as { facts?: unknown[] };
  if (list.status !== 200) told++;
  else missing = Math.max(missing, FACTS - facts!.length);
  return { missing, told };
}

async function unreadableRows(server: TestServer): Promise<number> {
  const answer = await server.call('ada', 'GET', '/api/v1/memory/stats');
  return answer.status === 200
    ? ((await answer.json()) as { unreadable_rows: number }).unreadable_rows
    : Number.POSITIVE_INFINITY;
}

describe('a flipped byte', () => {
  it('a server with a damaged index says so within the check after its start, and one with an intact file stays ready', async () => {
    const damaged = copyOf(original);
    const at = positionsInIndex('rows_by_id').find((position) => {
      const probe = copyOf(original);
      flip(probe, position);
      return readDatabaseFile(probe, findCorruption) !== undefined;
    });
    flip(damaged, at!);
    const env = { HELMDECK_MEMORY_KEY: KEY };
    const [broken, intact] = await Promise.all(
      [damaged, copyOf(original)].map((db) =>
        testServer({ env: { HELMDECK_DB: db, ...env }, checkFileAfterMs: 0 }),
      ),
    );
    onTestFinished(async () => {
      await broken!.close();
      await intact!.close();
    });
    const readiness = async (server: TestServer) => {
      const answer = await server.call(undefined, 'GET', '/readyz');
      return [answer.status, ((await answer.json()) as { memory: { reason?: string } }).memory.reason];
    };
    await expect.poll(() => readiness(broken!)).toEqual([503, 'damaged']);
    expect(await readiness(intact!)).toEqual([200, undefined]);
  });

  it('a damaged index entry that SQLite takes for another row is refused as damage: that row is neither returned nor deleted', async () => {
    const db = copyOf(original);
    const { nsno, id } = misleadSqlite(db);
    const driver = openSqlite(db);
    onTestFinished(() => driver.close());
    const damaged = expect.objectContaining({ reason: 'damaged' });
    expect(() => findRow(driver, nsno, id)).toThrow(damaged);
    const { ns, generation } = driver.get<NamespaceRef>(
      'SELECT ns, generation FROM namespaces WHERE no = ?',
      nsno,
    )!;
    const writer = createWriter(driver, Date.now);
    expect(() => writer.apply({ ns, generation }, [{ type: 'delete', id }])).toThrow(damaged);
  });

  it('a flipped byte in the database loses no fact silently: it is refused, counted, or found by the check of doctor and backups', async () => {
    const length = readFileSync(original).length;
    let affected = 0;
    for (const at of [
      ...positions(length, 30),
      ...positionsInIndex('rows_by_id'),
      ...positionsInIndex('rows_by_kind'),
    ]) {
      const db = copyOf(original);
      flip(db, at);
      let damage: string | undefined;
      try {
        damage = readDatabaseFile(db, findCorruption);
      } catch {
        damage = 'it cannot be opened';
      }
      const server = await start(db);
      try {
        if (server.memoryProblem) {
          expect([
            'damaged',
            'not_a_database',
            'canary_damaged',
            'directory_damaged',
            'later_schema',
            'wrong_key',
          ]).toContain(server.memoryProblem.reason);
          affected++;
          continue;
        }
        const { missing, told } = await readAll(server);
        if (missing > 0 && (await unreadableRows(server)) === 0)
          expect(damage, `byte ${at}: ${missing} facts are missing`).toBeDefined();
        if (missing + told > 0) affected++;
      } finally {
        await server.close();
      }
    }
    // How many depends on where the random ids of the rows put them.
    expect(affected).toBeGreaterThan(3);
  });

  it('a flipped byte in the WAL loses no fact without a warning', async () => {
    const wal = readFileSync(join(folder, 'wal'));
    let affected = 0;
    for (const at of [3, 13, 25, ...positions(wal.length, 12)]) {
      const db = copyOf(join(folder, 'before-checkpoint'));
      writeFileSync(`${db}-wal`, wal);
      flip(`${db}-wal`, at);
      const server = await start(db);
      try {
        const lost = server.memoryProblem !== undefined || (await readAll(server)).missing > 0;
        expect(lost, `byte ${at}`).toBe(lost && warnings.some((text) => text.includes('cannot be replayed')));
        if (lost) affected++;
      } finally {
        await server.close();
      }
    }
    // How many depends on where the random ids of the rows put them.
    expect(affected).toBeGreaterThan(3);
    const intact = copyOf(join(folder, 'before-checkpoint'));
    writeFileSync(`${intact}-wal`, wal);
    const server = await start(intact);
    expect(await readAll(server)).toEqual({ missing: 0, told: 0 });
    expect(warnings).toEqual([]);
    await server.close();
  });

  it('a flipped byte in the secrets file turns memory off or changes nothing', async () => {
    const line = `HELMDECK_MEMORY_KEY=${KEY}\n`;
    for (const at of positions(line.length, 14)) {
      const db = copyOf(original);
      writeFileSync(join(db, '..', 'secrets.env'), line);
      flip(join(db, '..', 'secrets.env'), at);
      const server = await start(db, {}).catch((thrown: Error) => thrown);
      if (server instanceof Error) {
        expect(server.message).toMatch(/HELMDECK_MEMORY_KEY/);
        continue;
      }
      if (server.memoryProblem) expect(['wrong_key', 'key_invalid']).toContain(server.memoryProblem.reason);
      else expect(await readAll(server)).toEqual({ missing: 0, told: 0 });
      await server.close();
      const again = await start(db);
      expect(await readAll(again), 'nothing was deleted').toEqual({ missing: 0, told: 0 });
      await again.close();
    }
  });
});
