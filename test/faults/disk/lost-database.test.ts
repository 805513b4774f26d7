import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/index.ts';

let folder: string;
let db: string;
let server: TestServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-lost-'));
  db = join(folder, 'lost.db');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const start = async (options: { newMemory?: boolean } = {}) => {
  server = await testServer({ env: { HELMDECK_DB: db, HELMDECK_MEMORY_KEY: 'a'.repeat(64) }, ...options });
};
const stop = async () => {
  await server!.close();
  server = undefined;
};
const store = async (key: string) => {
  const answer = await server!.call('ada', 'POST', '/api/v1/memory/store', { key, value: 'v' });
  return [answer.status, ((await answer.json()) as { reason?: string }).reason];
};
const problem = async () => {
  const answer = await server!.call(undefined, 'GET', '/readyz');
  return [answer.status, ((await answer.json()) as { memory: { reason?: string } }).memory.reason];
};

describe('a database file that is lost while the server runs', () => {
  const losses: [string, () => void][] = [
    ['the database was deleted', () => rmSync(db)],
    ['the WAL was deleted', () => rmSync(`${db}-wal`)],
    [
      'every file was deleted',
      () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(db + suffix);
      },
    ],
    [
      'the database was replaced by a copy',
      () => {
        copyFileSync(db, `${db}.copy`);
        renameSync(`${db}.copy`, db);
      },
    ],
  ];
  it.each(losses)('once %s, no write is acknowledged', async (_name, lose) => {
    await start();
    expect(await store('before')).toEqual([200, undefined]);
    lose();
    for (const key of ['first', 'second']) expect(await store(key)).toEqual([503, 'file_gone']);
    expect(await problem()).toEqual([503, 'file_gone']);
  });

  it('once a moved database file is back in its place, writes are acknowledged again', async () => {
    await start();
    await store('before');
    renameSync(db, `${db}.aside`);
    expect(await store('meanwhile')).toEqual([503, 'file_gone']);
    renameSync(`${db}.aside`, db);
    expect(await store('after')).toEqual([200, undefined]);
  });
});

describe('a database file that another program overwrites while the server runs', () => {
  const cp = (from: string, to: string) => expect(spawnSync('cp', [from, to]).status).toBe(0);
  const read = async (key: string) =>
    (await server!.call('ada', 'GET', `/api/v1/memory/facts/${key}`)).status;

  /** A server that has checkpointed `fact`, and a copy of its file from before that. */
  const startWithOlderCopy = async () => {
    await start();
    await store('early');
    await stop();
    cp(db, join(folder, 'older.db'));
    await start();
    await store('fact');
    await stop();
    await start();
    await store('latest');
    // Returns after a checkpoint: none runs while the test writes to the file.
    await server!.call('bob', 'POST', '/api/v1/memory/store', { key: 'key', value: 'v' });
    const erased = await server!.call('bob', 'POST', '/api/v1/memory/forget', {
      scope: 'erase',
      confirm: true,
    });
    expect(erased.status).toBe(200);
  };

  it('once an older copy was written over the file, nothing is acknowledged or read, and the copy stays as it is', async () => {
    await startWithOlderCopy();
    cp(join(folder, 'older.db'), db);
    expect(await store('refused')).toEqual([503, 'file_gone']);
    expect(await read('fact')).toBe(503);
    expect(await problem()).toEqual([503, 'file_gone']);
    await stop();
    expect(readFileSync(db).equals(readFileSync(join(folder, 'older.db')))).toBe(true);
    await start();
    expect(await problem()).toEqual([503, 'log_of_another_database']);
    await stop();
    rmSync(`${db}-wal`);
    await start();
    expect([await read('early'), await read('fact')]).toEqual([200, 404]);
  });

  it('once an older copy was written over the file and the WAL deleted, nothing is read, and closing leaves the copy as it is', async () => {
    await startWithOlderCopy();
    rmSync(`${db}-wal`);
    cp(join(folder, 'older.db'), db);
    expect(await store('refused')).toEqual([503, 'file_gone']);
    expect(await read('fact')).toBe(503);
    await stop();
    expect(readFileSync(db).equals(readFileSync(join(folder, 'older.db')))).toBe(true);
  });

  it('a server that only reads notices an overwritten file when it sweeps', async () => {
    await startWithOlderCopy();
    cp(join(folder, 'older.db'), db);
    await server!.janitor!.tidy();
    expect(await read('fact')).toBe(503);
  });

  it('a file of another size or of another program is noticed as well, also by readiness', async () => {
    await startWithOlderCopy();
    writeFileSync(join(folder, 'other'), 'not a database');
    cp(join(folder, 'other'), db);
    expect(await problem()).toEqual([503, 'file_gone']);
    await stop();
    expect(readFileSync(db, 'utf8')).toBe('not a database');
  });

  it('a file whose time alone was changed stays in use', async () => {
    await startWithOlderCopy();
    utimesSync(db, new Date(), new Date());
    expect(await store('touched')).toEqual([200, undefined]);
    expect(await problem()).toEqual([200, undefined]);
  });
});

describe('a database file that is lost before the start', () => {
  it.each(['', 'an empty file'])(
    'a start that finds a WAL, but no database (%s), is refused and changes nothing',
    async (empty) => {
      await start();
      await store('fact');
      copyFileSync(`${db}-wal`, join(folder, 'wal'));
      await stop();
      rmSync(`${db}.created`);
      if (empty) writeFileSync(db, '');
      else rmSync(db);
      copyFileSync(join(folder, 'wal'), `${db}-wal`);
      await start({ newMemory: true });
      expect(await problem()).toEqual([503, 'log_without_database']);
      expect(existsSync(db)).toBe(empty !== '');
      expect(readFileSync(`${db}-wal`).equals(readFileSync(join(folder, 'wal')))).toBe(true);
    },
  );

  it('a start without its database is refused if one was used here, until an operator asks for a new memory', async () => {
    await start();
    await store('fact');
    await stop();
    rmSync(db);
    for (let attempt = 0; attempt < 2; attempt++) {
      await start();
      expect(await problem()).toEqual([503, 'database_missing']);
      expect(await store('lost')).toEqual([503, 'database_missing']);
      expect(existsSync(db)).toBe(false);
      await stop();
    }
    await start({ newMemory: true });
    expect(await problem()).toEqual([200, undefined]);
    expect(await store('new')).toEqual([200, undefined]);
    await stop();
    await start();
    expect(await problem()).toEqual([200, undefined]);
  });

  it.each([
    ['an empty file', () => writeFileSync(db, '')],
    ['no file', () => {}],
  ])(
    'a start with %s is refused if snapshots or a token of an earlier database are there',
    async (_name, make) => {
      make();
      mkdirSync(join(folder, 'snapshots'));
      writeFileSync(join(folder, 'snapshots', `${'0'.repeat(32)}.snapshot`), 'x');
      await start();
      expect(await problem()).toEqual([503, 'database_missing']);
      await stop();
      rmSync(join(folder, 'snapshots'), { recursive: true });
      writeFileSync(join(folder, 'secrets.env'), 'HELMDECK_TOKEN=of-an-earlier-database\n');
      await start();
      expect(await problem()).toEqual([503, 'database_missing']);
    },
  );

  it('a second database in the folder of another one begins a memory, whatever snapshots and tokens are there', async () => {
    await start();
    await store('fact');
    await stop();
    mkdirSync(join(folder, 'snapshots'), { recursive: true });
    writeFileSync(join(folder, 'snapshots', `${'0'.repeat(32)}.snapshot`), 'x');
    db = join(folder, 'second.db');
    await start();
    expect(await problem()).toEqual([200, undefined]);
  });

  it('a first start with a key that "helmdeck init" made begins a memory', async () => {
    writeFileSync(join(folder, 'secrets.env'), `HELMDECK_MEMORY_KEY=${'a'.repeat(64)}\n`);
    await start();
    expect(await problem()).toEqual([200, undefined]);
  });
});

describe('a database file that was replaced beside its WAL', () => {
  const replace = async () => {
    await start();
    await store('before');
    copyFileSync(db, `${db}.copy`);
    await store('after');
    renameSync(`${db}.copy`, db);
  };

  it('a write that is refused because the file was replaced is not seen afterwards', async () => {
    await replace();
    expect(await store('refused')).toEqual([503, 'file_gone']);
    expect((await server!.call('ada', 'GET', '/api/v1/memory/facts/refused')).status).toBe(404);
  });

  it('the WAL of the earlier file is not replayed into the new one', async () => {
    await replace();
    linkSync(`${db}-wal`, `${db}-kept`); // as a killed process leaves it
    await stop();
    renameSync(`${db}-kept`, `${db}-wal`);
    await start();
    expect(await problem()).toEqual([503, 'log_of_another_database']);
    await stop();
    rmSync(`${db}-wal`);
    await start();
    expect(await problem()).toEqual([200, undefined]);
  });

  it('a copy of database and WAL in another folder opens', async () => {
    await start();
    await store('kept');
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    for (const suffix of ['', '-wal', '.files']) copyFileSync(db + suffix, join(copy, `lost.db${suffix}`));
    await stop();
    db = join(copy, 'lost.db');
    await start();
    expect((await server!.call('ada', 'GET', '/api/v1/memory/facts/kept')).status).toBe(200);
  });
});
