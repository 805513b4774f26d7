import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack } from '../pack/pack.ts';

let clock: ReturnType<typeof fakeClock>;
let server: TestServer;

const pack = (name: string) =>
  definePack({
    name,
    version: 'v1',
    description: 'For a test.',
    input: z.looseObject({ fail: z.string().optional() }),
    output: z.looseObject({}),
    handler({ input }) {
      if (input.fail !== undefined)
        throw new AppError('handler_failed', input.fail, { hint: 'Correct the link.' });
      return input.lint ? { findings: [{ code: 'title_long', severity: 'warning' }] } : {};
    },
  });

beforeEach(async () => {
  clock = fakeClock(Date.UTC(2026, 0, 1, 12));
  server = await testServer({
    now: clock.now,
    packs: [pack('test.one'), pack('test.two')],
    env: { HELMDECK_RATE_LIMIT: 'off' },
  });
});
afterEach(() => server.close());

const run = (name: string, input: object = {}) =>
  runPack(server, 'ada', `test.${name}`, input).catch(() => undefined);
interface Records {
  runs: { key: string; id: string; outcome: string; error?: object; version?: string }[];
  next_cursor?: string;
}
const records = async (query = '', subject = 'ada') =>
  (await (await server.call(subject, 'GET', `/api/v1/memory/run-records${query}`)).json()) as Records;
const ids = async (query: string) => (await records(query)).runs.map(({ id }) => id);

describe('run records over REST', () => {
  it('a failed run is listed with the message and the hint of its error', async () => {
    await run('one', { persona: 'technical', fail: 'One of three links does not answer.' });
    expect((await records()).runs).toEqual([
      expect.objectContaining({
        kind: 'pack',
        id: 'test.one',
        version: 'v1',
        outcome: 'handler_failed',
        learn_inputs: { persona: 'technical' },
        error: { message: 'One of three links does not answer.', hint: 'Correct the link.' },
      }),
    ]);
  });

  it('the message of a failed run is not recorded if it holds a credential', async () => {
    await run('one', { fail: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789 was refused' });
    const [failed] = (await records()).runs;
    expect(failed).toMatchObject({ outcome: 'handler_failed' });
    expect(failed).not.toHaveProperty('error');
  });

  it('runs are filtered by pack, by outcome or finding, by time and by key', async () => {
    await run('one', { fail: 'no' });
    await run('two', { lint: true });
    clock.advance(3_600_000);
    await run('two', { fail: 'no' });
    expect(await ids('?pack=test.two')).toEqual(['test.two', 'test.two']);
    expect(await ids('?pipeline=test.two')).toEqual([]);
    expect(await ids('?code=handler_failed')).toEqual(['test.two', 'test.one']);
    expect(await ids('?code=title_long&pack=test.two')).toEqual(['test.two']);
    expect(await ids('?from=2026-01-01T12:30:00Z')).toEqual(['test.two']);
    expect(await ids('?to=2026-01-01T12:30:00Z&pack=test.one')).toEqual(['test.one']);
    expect(await ids('?failed=1')).toEqual(['test.two', 'test.one']);
    const { key } = (await records('?pack=test.one')).runs[0]!;
    expect(await ids(`?key=${encodeURIComponent(key)}`)).toEqual(['test.one']);
    expect(await records('', 'bob')).toEqual({ runs: [] });
  });

  it('pages of runs follow each other without a gap or a repetition, also with a filter', async () => {
    for (let n = 0; n < 5; n++) {
      await run('one');
      await run('two');
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await records(`?pack=test.one&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.runs.map(({ key }) => key));
      cursor = page.next_cursor;
    } while (cursor);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it('activity says which pack failed and which pack reported a finding, per bucket', async () => {
    await run('one', { fail: 'no' });
    await run('one', { fail: 'no' });
    await run('two', { lint: true });
    const answer = await server.call('ada', 'GET', '/api/v1/memory/activity?bucket=hour');
    expect(((await answer.json()) as { buckets: object[] }).buckets).toEqual([
      {
        at: expect.any(String),
        runs: 3,
        cached: 0,
        outcomes: { handler_failed: 2, ok: 1 },
        by_id: [
          { kind: 'pack', id: 'test.one', runs: 2, cached: 0, outcomes: { handler_failed: 2 } },
          {
            kind: 'pack',
            id: 'test.two',
            runs: 1,
            cached: 0,
            outcomes: { ok: 1 },
            findings: [{ code: 'title_long', severity: 'warning', count: 1 }],
          },
        ],
      },
    ]);
  });
});
