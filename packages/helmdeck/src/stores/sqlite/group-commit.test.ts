import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreConflict } from '../../memory/store.ts';
import { openSqlite, type SqliteDriver, useWriteAheadLog } from './driver.ts';
import { createGroupCommit, type GroupCommitHooks } from './group-commit.ts';
import { createWalSync, type WalSync } from './wal-sync.ts';

let folder: string;
let db: SqliteDriver;
let wal: WalSync;
let events: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-commit-'));
  const path = join(folder, 'test.db');
  db = openSqlite(path);
  useWriteAheadLog(db);
  db.exec('CREATE TABLE words (word TEXT)');
  wal = createWalSync(path);
  events = [];
});
afterEach(() => {
  wal.close();
  db.close();
  rmSync(folder, { recursive: true });
});

const hooks: GroupCommitHooks = {
  beforeBegin: () => events.push('begin'),
  beforeCommit: () => events.push('commit'),
  beforeAcknowledge: () => {},
  onDurable: (writes) => events.push(`durable ${writes}`),
  onFailure: () => events.push('failure'),
  onStopped: () => events.push('stopped'),
};
const put = (word: string) => db.run('INSERT INTO words VALUES (?)', word);
const words = () => db.all<{ word: string }>('SELECT word FROM words').map(({ word }) => word);

describe('group commit', () => {
  it('group commit puts the writes of one tick into one transaction and one sync', async () => {
    const { write } = createGroupCommit(db, wal, hooks);
    await Promise.all(['one', 'two', 'three'].map((word) => write(() => put(word))));
    expect(words()).toEqual(['one', 'two', 'three']);
    expect(events).toEqual(['begin', 'commit', 'durable 3']);
  });

  it('group commit queues writes that arrive during a sync and commits them as the next group', async () => {
    let duringSync = () => {};
    const slow: WalSync = {
      ...wal,
      sync() {
        duringSync();
        return wal.sync();
      },
    };
    const { write, drained } = createGroupCommit(db, slow, hooks);
    let second: Promise<unknown> | undefined;
    duringSync = () => {
      second ??= Promise.all([write(() => put('two')), write(() => put('three'))]);
    };
    await write(() => put('one'));
    await second;
    await drained();
    expect(words()).toEqual(['one', 'two', 'three']);
    expect(events).toEqual(['begin', 'commit', 'durable 1', 'begin', 'commit', 'durable 2']);
  });

  it('group commit rejects only the job whose precondition fails, and writes the rest of its group', async () => {
    const { write } = createGroupCommit(db, wal, hooks);
    const conflict = write(() => {
      throw new StoreConflict('rev');
    });
    const other = write(() => put('other'));
    await expect(conflict).rejects.toBeInstanceOf(StoreConflict);
    await other;
    expect(words()).toEqual(['other']);
    expect(events).toEqual(['begin', 'commit', 'durable 2']);
  });

  it('group commit starts a new group after the last one was acknowledged, and drained resolves in between', async () => {
    const { write, drained } = createGroupCommit(db, wal, hooks);
    await drained();
    for (const word of ['one', 'two']) {
      await write(() => put(word));
      await drained();
    }
    expect(words()).toEqual(['one', 'two']);
    expect(events.filter((event) => event === 'begin')).toHaveLength(2);
  });
});
