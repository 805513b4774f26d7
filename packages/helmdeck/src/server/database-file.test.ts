import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../stores/sqlite/driver.ts';
import { findCorruption } from './database-file.ts';

it('damage to a database file is reported with the number of problems and the first of them', () => {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-corruption-'));
  const db = openSqlite(join(dir, 'helmdeck.db'));
  try {
    const insertInvalid = (table: string) =>
      db.exec(
        `PRAGMA ignore_check_constraints = ON; INSERT INTO ${table} VALUES (0); PRAGMA ignore_check_constraints = OFF;`,
      );
    db.exec('CREATE TABLE a (x CHECK (x > 0)); CREATE TABLE b (x CHECK (x > 0));');
    expect(findCorruption(db)).toBeUndefined();
    insertInvalid('a');
    expect(findCorruption(db)).toBe('1 problem, the first: CHECK constraint failed in a');
    insertInvalid('b');
    expect(findCorruption(db)).toMatch(/^2 problems, the first: CHECK constraint failed/);
  } finally {
    db.close();
    rmSync(dir, { recursive: true });
  }
});
