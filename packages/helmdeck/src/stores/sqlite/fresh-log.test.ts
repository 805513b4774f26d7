import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KINDS } from '../../memory/entry.ts';
import { createFreshLog, type FreshRow, freshLogPath, readFreshLog } from './fresh-log.ts';

let folder: string;
let db: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-fresh-'));
  db = join(folder, 'test.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fresh(seq: number, bodyBytes = 300): FreshRow {
  const times = { createdMs: 1.5e12, updatedMs: 1.6e12, expiresMs: seq % 2 ? null : 1.7e12 };
  const row = {
    id: Buffer.alloc(16, seq),
    kind: 'fact',
    group: seq % 3 ? Buffer.alloc(16, 7) : null,
  } as const;
  const ref = { ns: Buffer.alloc(16, 9), generation: 2 ** 46 + 1 };
  return { ref, seq, row: { ...row, rev: 1, ...times, body: Buffer.alloc(bodyBytes, seq) } };
}

describe('the log of fresh rows', () => {
  it('gives back any rows as they were, in their order', () => {
    const bytes = (min: number, max: number) =>
      fc.uint8Array({ minLength: min, maxLength: max }).map((each) => Buffer.from(each));
    const moment = fc.integer({ min: 0, max: 8.64e15 });
    const anyRow = fc.record({
      ref: fc.record({ ns: bytes(1, 32), generation: fc.integer({ min: 1, max: 2 ** 47 }) }),
      row: fc.record({
        id: bytes(1, 32),
        kind: fc.constantFrom(...KINDS),
        group: fc.option(bytes(0, 32)),
        rev: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        createdMs: moment,
        updatedMs: moment,
        expiresMs: fc.option(moment),
        body: bytes(0, 9_000),
      }),
    });
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
        const numbered = rows.map((row, index) => ({ ...row, seq: index + 1 }));
        const log = createFreshLog(db);
        for (const row of numbered) expect(log.append(row)).toBe(true);
        expect(readFreshLog(db)).toEqual(numbered);
        log.remove();
      }),
      { numRuns: 30 },
    );
  });

  it('a record that was cut off by a crash, and what lies after it, counts for nothing', () => {
    const log = createFreshLog(db);
    for (const seq of [1, 2, 3]) log.append(fresh(seq));
    const whole = readFileSync(freshLogPath(db));
    for (const at of [4_096, 4_100, 4_110, 4_300]) {
      const cut = Buffer.from(whole);
      cut[at]! ^= 1;
      writeFileSync(freshLogPath(db), cut);
      expect(readFreshLog(db).map(({ seq }) => seq)).toEqual([1]);
    }
    writeFileSync(freshLogPath(db), whole.subarray(0, 4_200));
    expect(readFreshLog(db).map(({ seq }) => seq)).toEqual([1]);
    writeFileSync(freshLogPath(db), Buffer.alloc(0));
    expect(readFreshLog(db)).toEqual([]);
    log.remove();
  });

  it('begun anew, it shows nothing of the round before', () => {
    const log = createFreshLog(db);
    for (const seq of [1, 2, 3]) log.append(fresh(seq));
    log.restart();
    log.append(fresh(4));
    expect(readFreshLog(db).map(({ seq }) => seq)).toEqual([4]);
    log.remove();
    expect(existsSync(freshLogPath(db))).toBe(false);
  });

  it('is for its owner only, and never grows: what has no room goes another way', () => {
    const log = createFreshLog(db);
    expect(log.append(fresh(1, 70_000))).toBe(false);
    let kept = 0;
    while (log.append(fresh(kept + 1, 20_000))) kept++;
    expect(kept).toBeGreaterThan(20);
    expect(readFreshLog(db)).toHaveLength(kept);
    expect(statSync(freshLogPath(db)).size).toBe(2_097_152);
    expect(statSync(freshLogPath(db)).mode & 0o777).toBe(0o600);
    log.remove();
  });

  it('a write that failed is not found by the next start, even if its bytes had reached the file', () => {
    const log = createFreshLog(db);
    log.append(fresh(1));
    const write = fs.writeSync;
    let failures = 1;
    fs.writeSync = ((...args: Parameters<typeof write>) => {
      const written = write(...args);
      if (failures-- > 0) throw new Error('EIO: i/o error, write');
      return written;
    }) as typeof write;
    syncBuiltinESMExports();
    try {
      expect(log.append(fresh(2))).toBe(false);
    } finally {
      fs.writeSync = write;
      syncBuiltinESMExports();
    }
    expect(readFreshLog(db).map(({ seq }) => seq)).toEqual([1]);
    expect(log.append(fresh(3))).toBe(false);
    log.remove();
  });

  it('a file that cannot be written takes nothing and throws nothing', () => {
    mkdirSync(freshLogPath(db));
    const log = createFreshLog(db);
    expect(log.append(fresh(1))).toBe(false);
    rmSync(freshLogPath(db), { recursive: true });
    expect(log.append(fresh(2))).toBe(false);
  });
});
