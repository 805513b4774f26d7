import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findViolation, type KeyState, type Operation } from './check-history.ts';
import { checkLinearizability } from './record-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-linear-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const op = (calledAt: number, returnedAt: number, what: string, apply: Operation['apply']): Operation => ({
  calledAt,
  returnedAt,
  what,
  apply,
});
const store = (from: number, to: number, value: string, version: number) =>
  op(from, to, `store ${value}`, (before) =>
    (before?.version ?? 0) + 1 === version ? { value, version } : 'impossible',
  );
const get = (from: number, to: number, seen: KeyState) =>
  op(from, to, `get ${seen?.value}`, (before) => (before?.value === seen?.value ? before : 'impossible'));

describe('the linearizability checker', () => {
  it('the checker accepts concurrent operations that have an order, and refuses a stale read, a lost update and a value from the future', () => {
    const a = { value: 'a', version: 1 };
    expect(findViolation([store(0, 9, 'a', 1), get(1, 2, undefined), get(3, 4, a)])).toBeUndefined();
    expect(
      findViolation([store(0, 5, 'a', 1), store(1, 6, 'b', 2), get(7, 8, { value: 'b', version: 2 })]),
    ).toBeUndefined();
    expect(findViolation([store(0, 1, 'a', 1), store(2, 3, 'b', 2), get(4, 5, a)])).toBeDefined();
    expect(findViolation([store(0, 1, 'a', 1), store(2, 3, 'b', 1)])).toBeDefined();
    expect(findViolation([get(0, 1, a), store(2, 3, 'a', 1)])).toBeDefined();
  });
});

it('concurrent operations on SQLite are linearizable', async () => {
  const result = await checkLinearizability(join(folder, 'linear.db'), 1, 1_000);
  expect(result.violations).toEqual([]);
  expect(result.operations).toBeGreaterThan(50);
});
