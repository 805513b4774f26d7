import { describe, expect, it } from 'vitest';
import type { Defaults, RecentRun } from '../api/generated/rest.ts';
import { gridStep } from './chart-grid.ts';
import { figuresOf, problemsOf, slotsOf } from './run-figures.ts';

const NOW_MS = Date.UTC(2026, 10, 16, 8, 30);
const bucket = (at: string, runs: number, cached: number, outcomes: Record<string, number>) => ({
  at,
  runs,
  cached,
  outcomes,
});
const BUCKETS = [
  bucket('2026-11-10T00:00:00.000Z', 4, 0, { ok: 4 }),
  bucket('2026-11-15T00:00:00.000Z', 5, 2, { ok: 4, timeout: 1 }),
  bucket('2026-11-16T00:00:00.000Z', 5, 1, { ok: 2, succeeded: 1, timeout: 1, cancelled: 1 }),
];
const run = (id: string, fields: Partial<RecentRun>): RecentRun => ({
  kind: 'pack',
  key: `${id}/${Math.random()}`,
  id,
  outcome: 'ok',
  at_unix: NOW_MS / 1000 - 60,
  ...fields,
});

describe('runs over time', () => {
  it('runs over time have a slot for every day, including days without runs', () => {
    const slots = slotsOf(BUCKETS, '7d', NOW_MS);
    expect(slots.map(({ fresh, cached, failed }) => [fresh, cached, failed])).toEqual([
      [4, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [2, 2, 1],
      [2, 1, 2],
    ]);
  });

  it('runs over time are compared with the previous period if there are records of it', () => {
    const slots = slotsOf(BUCKETS, '7d', NOW_MS);
    const before = [{ atMs: 0, fresh: 7, cached: 0, failed: 0 }];
    expect(figuresOf(slots, before, [])).toMatchObject({ runs: 14, cached: 3, failed: 3, growth: 1 });
    expect(figuresOf(slots, undefined, []).growth).toBeUndefined();
    expect(figuresOf(slots, [], []).growth).toBeUndefined();
  });

  it('the time that the cache saved is estimated from the usual duration of the same pack', () => {
    const recent = [
      run('a', { duration_ms: 100 }),
      run('a', { duration_ms: 4, cached: true }),
      run('b', { duration_ms: 9, cached: true }),
      run('a', { duration_ms: 900, at_unix: 0 }),
    ];
    expect(figuresOf(slotsOf(BUCKETS, '7d', NOW_MS), undefined, recent)).toMatchObject({
      savedMs: 96,
      medianMs: 9,
    });
  });
});

describe('findings', () => {
  it('findings and failures are listed most frequent first, with the pack of their latest occurrence', () => {
    const defaults: Defaults = {
      scope: '',
      fetched_at: '',
      packs: [],
      pipelines: [],
      common_findings: [{ code: 'title_long', occurrence_count: 9, pack: 'a', last_seen_unix: 0 }],
      recent: [run('slow', { outcome: 'timeout' })],
    };
    expect(problemsOf(BUCKETS, defaults).map(({ code, count, pack }) => [code, count, pack])).toEqual([
      ['title_long', 9, 'a'],
      ['timeout', 2, 'slow'],
      ['cancelled', 1, undefined],
    ]);
  });
});

describe('grid lines', () => {
  it.each([
    [0, 1],
    [3, 1],
    [21, 6],
    [65, 20],
    [81, 25],
    [4_100, 1_500],
  ])('grid lines for a maximum of %i are %i apart', (highest, step) => expect(gridStep(highest)).toBe(step));
});
