import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, type SqliteDriver, useWriteAheadLog } from './driver.ts';
import { createGroupCommit, type GroupCommitHooks } from './group-commit.ts';
import { createLogSync, type LogSync } from './wal-sync.ts';

let folder: string;
let db: SqliteDriver;
let log: LogSync;
let commits: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-commit-'));
  const path = join(folder, 'test.db');
  db = openSqlite(path);
  useWriteAheadLog(db);
  db.exec('CREATE TABLE words (word TEXT)');
  log = createLogSync(path);
  commits = 0;
});
afterEach(() => {
  log.close();
  db.close();
  rmSync(folder, { recursive: true });
});

const silent: GroupCommitHooks = {
  beforeBegin() {},
  begun() {},
  leavesOut: () => false,
  beforeCommit() {},
  ended: () => commits++,
  synced() {},
  committed() {},
  rolledBack() {},
  syncFailed() {},
};
const put = (word: string) => db.run('INSERT INTO words VALUES (?)', word);
const words = () => db.all<{ word: string }>('SELECT word FROM words').map(({ word }) => word);

describe('a write', () => {
  it('waits for the others of its turn, unless it has come alone for a while', async () => {
    const { write } = createGroupCommit(db, log, silent);
    const lone = write(() => put('lone'));
    expect(commits).toBe(0);
    await lone;
    for (let count = 0; count < 20; count++) {
      await write(() => put('again'));
      await nextTurn();
    }
    commits = 0;
    const early = write(() => put('early'));
    expect(commits).toBe(1);
    await early;
  });

  it('that turns out not to be alone is the only one of its turn with a transaction of its own', async () => {
    const { write, drained } = createGroupCommit(db, log, silent);
    for (let count = 0; count < 20; count++) {
      await write(() => put('lone'));
      await nextTurn();
    }
    const pair = () => Promise.all([write(() => put('one')), write(() => put('other'))]);
    commits = 0;
    await pair();
    expect(commits).toBe(2);
    await pair();
    expect(commits).toBe(3);
    await drained();
    expect(words()).toHaveLength(24);
  });
});

describe('a transaction that is left open', () => {
  /** What came on the shorter way, and what of it is in the open transaction. */
  function withRows(...rows: string[]) {
    let waiting = [...rows];
    const hooks = {
      ...silent,
      begun: () => waiting.splice(0).forEach(put),
      rolledBack: () => {
        waiting = [...rows];
      },
    };
    return {
      ...createGroupCommit(db, log, hooks),
      add: (row: string) => waiting.push(row) && rows.push(row),
    };
  }

  it('is the next write’s, and committed with it', async () => {
    const { write, prepare, isOpen, add } = withRows('first');
    prepare();
    add('second');
    prepare();
    expect([isOpen(), words(), commits]).toEqual([true, ['first', 'second'], 0]);
    await write(() => put('third'));
    expect([isOpen(), words(), commits]).toEqual([false, ['first', 'second', 'third'], 1]);
  });

  it('is written anew when SQLite undid it, as it does after some errors of the disk', () => {
    const { prepare, settle, isOpen } = withRows('first', 'second');
    prepare();
    db.run('ROLLBACK');
    settle();
    expect([isOpen(), words(), commits]).toEqual([false, ['first', 'second'], 1]);
  });

  it('takes with it what a refused write of the same transaction undoes, and brings it back', async () => {
    const { write, prepare } = withRows('first');
    prepare();
    const refused = write(() => db.run('INSERT INTO nowhere VALUES (1)'));
    await expect(refused).rejects.toThrow();
    await write(() => put('next'));
    expect(words()).toEqual(['first', 'next']);
  });

  it('waits for nobody: while another program writes there is none', () => {
    const other = openSqlite(join(folder, 'test.db'));
    other.run('BEGIN IMMEDIATE');
    const { prepare, settle, isOpen } = withRows('first');
    prepare();
    expect(isOpen()).toBe(false);
    other.run('ROLLBACK');
    other.close();
    settle();
    expect(words()).toEqual(['first']);
  });
});
