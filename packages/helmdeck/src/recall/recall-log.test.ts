import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../memory/crypto/sealed.ts';
import { createMemory } from '../memory/memory.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { RECALL_LOG_POLICY, type RecallView } from './recall-log.ts';

const PASSWORD = 'correct horse';
const clock = fakeClock();
let server: TestServer;
const start = (env: Record<string, string> = {}) =>
  testServer({
    now: clock.now,
    env: { HELMDECK_RATE_LIMIT: 'off', HELMDECK_ADMIN_PASSWORD: PASSWORD, ...env },
  });
beforeEach(async () => {
  server = await start();
  await call('POST', '/memory/store', { key: 'deploy/tool', value: 'We deploy with Konflux' });
  await call('POST', '/memory/store', { key: 'drink', value: 'Ada drinks tea' });
});
afterEach(() => server.close());

async function call<T>(method: string, path: string, body?: unknown, subject = 'ada'): Promise<T> {
  const response = await server.call(subject, method, `/api/v1${path}`, body);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}
const ask = (query: string) => call('POST', '/packs/helmdeck.memory_recall', { query });
const list = async (query = '', subject?: string) =>
  (await call<{ recalls: RecallView[] }>('GET', `/memory/recalls${query}`, undefined, subject)).recalls;
const questions = (recalls: RecallView[]) => recalls.map(({ question }) => question);

describe('the recall log', () => {
  it('lists what an agent asked, what it was given and how long that took, newest first', async () => {
    await ask('how do we deploy');
    clock.advance(1_000);
    await call('GET', '/memory/search?q=tea');
    expect(await list()).toEqual([
      {
        at: new Date(clock.now()).toISOString(),
        question: 'tea',
        took_ms: expect.any(Number),
        source: expect.objectContaining({ surface: 'rest' }),
        facts: [{ key: 'drink', score: expect.any(Number) }],
        gone: 0,
      },
      expect.objectContaining({ question: 'how do we deploy', gone: 0 }),
    ]);
    expect(await list('', 'bob')).toEqual([]);
  });

  it('names the recalls that returned a fact', async () => {
    await ask('how do we deploy');
    await ask('tea');
    expect(questions(await list('?key=drink'))).toEqual(['tea']);
    expect(questions(await list('?key=unknown'))).toEqual([]);
    expect(questions(await list('?limit=1'))).toEqual(['tea']);
  });

  it('keeps a question that found nothing', async () => {
    await ask('quarterly tax forms');
    expect(await list()).toMatchObject([{ question: 'quarterly tax forms', facts: [], gone: 0 }]);
  });

  it('counts a forgotten fact and keeps nothing of it', async () => {
    await ask('how do we deploy');
    await list();
    await call('DELETE', '/memory/facts/deploy%2Ftool');
    expect(await list()).toMatchObject([{ facts: [], gone: 1 }]);
    const { directory, store } = server.memory!.parts;
    const runs = (await directory.runs.find({ subject: 'ada' }))!;
    const rows = await store.scan(runs.ns, { kinds: ['recall'], limit: 10 });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows.map((row) => open(runs, row)))).not.toMatch(/tool|Konflux/);
  });

  it.each(['facts', 'all', 'erase'])('forget %s deletes the log, recalls in RAM included', async (scope) => {
    await ask('first question');
    await list();
    await ask('second question');
    await call('POST', '/memory/forget', { scope });
    expect(await list()).toEqual([]);
  });

  it('does not keep a question that looks like a credential', async () => {
    await ask('what is ghp_abcdefghijklmnopqrstuvwxyz0123456789 for');
    expect(await list()).toMatchObject([{ question: '' }]);
  });

  it('has neither the searches of a person in the web UI nor those of an admin in the memory of another', async () => {
    const login = { username: 'admin', password: PASSWORD };
    const signedIn = await server.call(undefined, 'POST', '/api/v1/auth/session', login);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { host: '127.0.0.1:3000', cookie, 'sec-fetch-site': 'same-origin' };
    const get = async (path: string) => {
      const response = await server.call(undefined, 'GET', `/api/v1/memory/${path}`, undefined, headers);
      expect(response.status).toBe(200);
      return response.json();
    };
    await get('search?q=tea');
    expect(await get('recalls')).toEqual({ recalls: [] });
    await get('search?q=tea&caller=ada');
    expect(await list()).toEqual([]);
  });

  it('is written once more if the first attempt fails', async () => {
    const { store } = server.memory!.parts;
    const apply = store.apply;
    store.apply = async (...args) => {
      store.apply = apply;
      throw new Error(`not now, ${args.length}`);
    };
    await ask('tea');
    expect(questions(await list())).toEqual(['tea']);
  });

  it('is bounded: by recalls in RAM, by rows, and by time', async () => {
    for (let n = 0; n < RECALL_LOG_POLICY.maxQueued + 5; n++) await ask(`question ${n}`);
    const kept = await list('?limit=200');
    expect(kept).toHaveLength(RECALL_LOG_POLICY.maxQueued);
    expect(kept.at(-1)!.question).toBe('question 5');
    const { recallLog, parts } = server.memory!;
    const memory = createMemory(parts, { subject: 'ada' });
    for (let n = 0; n < RECALL_LOG_POLICY.maxRows + 10; n++) {
      recallLog.add(memory.caller, { question: `row ${n}`, tookMs: 1, source: { surface: 'mcp' }, hits: [] });
      await parts.pending.drain();
    }
    const runs = (await parts.directory.runs.find(memory.caller))!;
    const rows = (await parts.store.usage(clock.now(), runs.ns)).find(({ kind }) => kind === 'recall')!.rows;
    expect(rows).toBeLessThanOrEqual(RECALL_LOG_POLICY.maxRows);
    expect(questions(await list('?limit=1'))).toEqual([`row ${RECALL_LOG_POLICY.maxRows + 9}`]);
    clock.advance(RECALL_LOG_POLICY.keepMs);
    expect(await list()).toEqual([]);
  });

  it('subscribers hear of a recall at once, without its question', async () => {
    const { parts } = server.memory!;
    const heard: unknown[] = [];
    const { ns } = await parts.directory.findOrCreate({ subject: 'ada' });
    parts.changes.subscribe(ns, (change) => heard.push(change));
    await ask('tea');
    expect(heard).toEqual([{ type: 'recall', atMs: clock.now() }]);
  });

  it('HELMDECK_RECALL_LOG=off records nothing', async () => {
    await server.close();
    server = await start({ HELMDECK_RECALL_LOG: 'off' });
    await call('POST', '/memory/store', { key: 'drink', value: 'Ada drinks tea' });
    await ask('tea');
    expect(await list()).toEqual([]);
  });
});
