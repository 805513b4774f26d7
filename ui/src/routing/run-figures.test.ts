import { describe, expect, it } from 'vitest';
import type { ActivityPart, RecentRun } from '../api/generated/rest.ts';
import { gridStep } from './chart-grid.ts';
import { figuresOf, problemsOf, slotsOf, withoutQuestions } from './run-figures.ts';

const NOW_MS = Date.UTC(2026, 10, 16, 8, 30);
const bucket = (at: string, runs: number, cached: number, outcomes: Record<string, number>) => ({
  at,
  runs,
  cached,
  outcomes,
  by_id: [],
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
  const part = (id: string, outcomes: Record<string, number>, findings?: ActivityPart['findings']) =>
    ({ kind: 'pack', id, runs: 1, cached: 0, outcomes, findings }) as ActivityPart;
  const of = (...by_id: ActivityPart[]) => ({ ...bucket('2026-11-16T00:00:00.000Z', 1, 0, {}), by_id });

  it('findings are counted by pack and code, so that the latest pack with a code is not blamed for the others', () => {
    const problems = problemsOf([
      of(part('release.check_links', { handler_failed: 30 })),
      of(
        part('release.check_links', { handler_failed: 3, ok: 9 }),
        part('github.list_issues', { handler_failed: 1 }),
        part('release.write_notes', { ok: 2 }, [{ code: 'title_long', count: 2 }]),
      ),
    ]);
    expect(problems.map(({ id, code, count }) => [id, code, count])).toEqual([
      ['release.check_links', 'handler_failed', 33],
      ['release.write_notes', 'title_long', 2],
      ['github.list_issues', 'handler_failed', 1],
    ]);
  });

  it('questions to "What should I use?" do not count as runs', () => {
    const asked = of(part('helmdeck.route', { ok: 1 }), part('release.write_notes', { ok: 1 }));
    expect(withoutQuestions([{ ...asked, runs: 2, outcomes: { ok: 2 } }])).toMatchObject([
      { runs: 1, outcomes: { ok: 1 }, by_id: [{ id: 'release.write_notes' }] },
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
