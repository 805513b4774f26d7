import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

const env = (db: string) => ({ HELMDECK_DB: db, HELMDECK_MEMORY_KEY: 'a'.repeat(64) });
let folder: string;
let original: string;
let copies = 0;
let db: string;
let server: TestServer | undefined;

// The file is created once; every test changes and opens its own copy.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-tampered-'));
  original = join(folder, 'original.db');
  const first = await testServer({ env: env(original) });
  for (const [subject, key, value] of [
    ['ada', 'victim', 'first truth'],
    ['ada', 'victim', 'the truth'],
    ['ada', 'other', 'another fact'],
    ['bob', 'victim', 'of bob'],
  ]) {
    await first.call(subject, 'POST', '/api/v1/memory/store', { key, value, category: key });
  }
  await first.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  db = join(folder, `copy${copies++}.db`);
  copyFileSync(original, db);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Changes the file with plain SQL, as an attacker with access to the disk can. */
function tamper(sql: string): number {
  const file = new DatabaseSync(db);
  const { changes } = file.prepare(sql).run();
  file.close();
  return Number(changes);
}
const start = async () => {
  server = await testServer({ env: env(db) });
};
const get = (subject: string, path: string) => server!.call(subject, 'GET', `/api/v1/memory${path}`);
const json = async (subject: string, path: string) =>
  (await (await get(subject, path)).json()) as Record<string, unknown>;

// `seq` is the order of writes within a namespace.
const VICTIM = `(SELECT seq FROM rows WHERE kind = 'fact' ORDER BY seq LIMIT 1)`;
/** SQL for the column with the byte at this position (from 1) replaced by a different one. */
const changed = (column: string, at: number) =>
  `cast(substr(${column}, 1, ${at - 1}) || iif(substr(${column}, ${at}, 1) = x'00', x'01', x'00') || substr(${column}, ${at + 1}) AS BLOB)`;

const ROW_CHANGES: [string, string][] = [
  ['a changed body', `body = ${changed('body', 21)}`],
  ['an empty body', `body = x''`],
  ['a body that is text', `body = 'hello'`],
  ['a body that is a number', 'body = 5'],
  [
    'the body of another fact',
    `body = (SELECT body FROM rows WHERE kind = 'fact' ORDER BY seq DESC LIMIT 1)`,
  ],
  ['the body of its older version', `body = (SELECT body FROM rows WHERE kind = 'version' LIMIT 1)`],
  ['a different revision', 'rev = rev + 1'],
  ['a time beyond the safe integers', 'created = 4611686018427387904'],
  ['a time that is text', `updated = 'noon'`],
  ['a different created time', 'created = created - 1'],
  ['a different updated time', 'updated = updated + 1'],
  ['a later expiry', 'expires = expires + 86400000'],
  ['no expiry', 'expires = NULL'],
  [
    'the category of another fact',
    `grp = (SELECT grp FROM rows WHERE kind = 'fact' ORDER BY seq DESC LIMIT 1)`,
  ],
  ['no category', 'grp = NULL'],
  ['a longer category', `grp = cast(grp || x'00' AS BLOB)`],
  ['a category that is text', `grp = 'hello, world 16.'`],
];

/** The seq of ada's fact "victim", the only one with an older version. */
function victimSeq(): string {
  const file = new DatabaseSync(db);
  const parents = file
    .prepare(
      `SELECT seq FROM rows WHERE kind = 'fact' AND id IN (SELECT grp FROM rows WHERE kind = 'version')`,
    )
    .all();
  file.close();
  expect(parents).toHaveLength(1);
  return String(parents[0]!.seq);
}

describe('rows changed on disk', () => {
  it('the statement that changes a row matches exactly one row', () => {
    expect(tamper(`UPDATE rows SET rev = rev WHERE seq = ${VICTIM}`)).toBe(1);
  });

  it.each(ROW_CHANGES)(
    'a fact whose row was changed to %s is never shown, breaks no list, is counted as unreadable, and can be stored again',
    async (_name, change) => {
      const seq = victimSeq();
      expect(tamper(`UPDATE rows SET ${change} WHERE seq = ${seq}`)).toBe(1);
      await start();
      const one = await get('ada', '/facts/victim');
      expect(one.status).toBe(503);
      expect(await one.json()).toMatchObject({ error: 'memory_unavailable', reason: 'unreadable_row' });
      for (const path of [
        '/facts',
        '/facts?sort=key',
        '/facts?sort=created',
        '/facts?sort=expires',
        '/export',
        '/facets',
        '/mine',
        '/context',
      ]) {
        const list = await get('ada', path);
        expect(list.status, path).toBe(200);
        const text = await list.text();
        expect(text, path).toMatch(/other/);
        expect(text, path).not.toMatch(/victim|truth/);
      }
      expect(await json('ada', '/stats')).toMatchObject({ unreadable_rows: 1 });
      expect(await json('bob', '/stats')).toMatchObject({ unreadable_rows: 0 });
      expect(await json('bob', '/facts/victim')).toMatchObject({ value: 'of bob' });
      const again = await server!.call('ada', 'POST', '/api/v1/memory/store', {
        key: 'victim',
        value: 'new',
      });
      expect(again.status).toBe(200);
      expect(await again.json()).toMatchObject({ created: true, version: 1 });
      expect(await json('ada', '/facts/victim')).toMatchObject({ value: 'new' });
      expect((await json('ada', '/facts/victim/history')).versions).toHaveLength(1);
      expect(await json('ada', '/stats')).toMatchObject({ unreadable_rows: 0 });
    },
  );

  it.each([
    ['a different kind', `kind = 'note'`],
    ['the kind of the cache', `kind = 'cache'`],
    ['a kind that does not exist', `kind = 'zzz'`],
    ['a different id', `id = randomblob(16)`],
    ['a longer id', `id = cast(id || x'0000' AS BLOB)`],
    ['an id of a thousand bytes', `id = cast(id || zeroblob(1000) AS BLOB)`],
    ['an empty id', `id = x''`],
  ])('a fact whose row was changed to %s is shown nowhere and breaks no list', async (_name, change) => {
    expect(tamper(`UPDATE rows SET ${change} WHERE seq = ${victimSeq()}`)).toBe(1);
    await start();
    expect([404, 503]).toContain((await get('ada', '/facts/victim')).status);
    for (const path of ['/facts', '/context', '/mine', '/export', '/facets']) {
      const list = await get('ada', path);
      expect(list.status, path).toBe(200);
      expect(await list.text()).not.toMatch(/victim|truth/);
    }
    expect((await get('ada', '/stats')).status).toBe(200);
    const again = await server!.call('ada', 'POST', '/api/v1/memory/store', {
      key: 'victim',
      value: 'new',
    });
    expect(again.status).toBe(200);
    expect(await json('ada', '/facts/victim')).toMatchObject({ value: 'new' });
  });

  it.each(['rev = 4611686018427387904', `rev = 'many'`, 'rev = -4611686018427387904'])(
    'a fact whose revision is not a valid number (%s) breaks no list and can be forgotten',
    async (change) => {
      expect(tamper(`UPDATE rows SET ${change} WHERE seq = ${victimSeq()}`)).toBe(1);
      await start();
      expect((await get('ada', '/facts/victim')).status).toBe(503);
      expect((await json('ada', '/facts')).facts).toHaveLength(1);
      expect(await json('ada', '/stats')).toMatchObject({ unreadable_rows: 1 });
      const forget = await server!.call('ada', 'POST', '/api/v1/memory/forget', { scope: 'facts' });
      expect(await forget.json()).toEqual({ scope: 'facts', deleted: 2 });
      expect((await get('ada', '/facts/victim')).status).toBe(404);
    },
  );

  it("a fact moved to another caller's namespace is shown to neither caller", async () => {
    tamper(`UPDATE rows SET nsno = (SELECT max(no) FROM namespaces) WHERE kind = 'fact'`);
    await start();
    const seen = (await (await get('ada', '/facts')).text()) + (await (await get('bob', '/facts')).text());
    expect(seen).not.toMatch(/truth|another fact/);
  });

  it('a fact whose row was changed can be forgotten', async () => {
    tamper(`UPDATE rows SET rev = rev + 1 WHERE seq = ${victimSeq()}`);
    await start();
    expect(await (await server!.call('ada', 'DELETE', '/api/v1/memory/facts/victim')).json()).toEqual({
      deleted: 1,
    });
    expect((await get('ada', '/facts/victim')).status).toBe(404);
    expect(await json('ada', '/stats')).toMatchObject({ unreadable_rows: 0 });
  });
});

describe('older versions changed on disk', () => {
  it.each(['body = zeroblob(100)', 'rev = 2', 'created = 1'])(
    'an older version that was changed on disk (%s) is omitted from the history',
    async (change) => {
      tamper(`UPDATE rows SET ${change} WHERE kind = 'version'`);
      await start();
      expect((await json('ada', '/facts/victim/history')).versions).toMatchObject([{ value: 'the truth' }]);
      const old = await get('ada', '/facts/victim?version=1');
      expect(old.status).toBe(503);
      expect(await old.json()).toMatchObject({ reason: 'unreadable_row' });
    },
  );
});

describe('namespace records changed on disk', () => {
  const ADA = `(SELECT nsno FROM rows WHERE seq = `;

  it.each([
    ['a changed byte', `blob = ${changed('blob', 41)}`],
    ['a changed flag', `blob = cast(x'01' || substr(blob, 2) AS BLOB)`],
    ['an empty record', `blob = x''`],
    ['a text', `blob = 'hello'`],
    ["the system's record", 'blob = (SELECT blob FROM namespaces WHERE ns = zeroblob(16))'],
    [
      "another caller's record",
      'blob = (SELECT blob FROM namespaces AS other WHERE other.no <> namespaces.no AND other.ns <> zeroblob(16))',
    ],
  ])('a tampered namespace record (%s) makes only that memory unavailable', async (_name, change) => {
    const no = `${ADA}${victimSeq()})`;
    expect(tamper(`UPDATE namespaces SET ${change} WHERE no = ${no}`)).toBe(1);
    await start();
    for (const path of ['/facts', '/facts/victim', '/stats', '/export']) {
      const answer = await get('ada', path);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ error: 'memory_unavailable' });
    }
    const store = await server!.call('ada', 'POST', '/api/v1/memory/store', { key: 'x', value: 'y' });
    expect(store.status, 'the record is not overwritten').toBe(503);
    expect(await json('bob', '/facts/victim')).toMatchObject({ value: 'of bob' });
  });

  it('a damaged directory key turns memory off instead of creating a new directory', async () => {
    tamper(`UPDATE rows SET body = zeroblob(100) WHERE kind = 'directory'`);
    await start();
    const ready = await server!.call(undefined, 'GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ memory: { reason: 'directory_damaged' } });
  });
});
