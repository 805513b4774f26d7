import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../../../testing/test-server.ts';
import type { CliDeps } from '../../deps.ts';
import { createCli } from '../../program.ts';

const DAY_MS = 86_400_000;
const QUESTION = 'Still true? [y]es, [e]dit, [f]orget, [s]kip, [q]uit: ';
const clock = fakeClock(Date.UTC(2026, 2, 3));
let server: TestServer;
let subject: string;
let subjects = 0;

beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());
beforeEach(() => {
  subject = `person ${++subjects}`;
});

const rest = (method: string, path: string, body?: object) =>
  server.call(subject, method, `/api/v1/memory${path}`, body);
const remember = (key: string, value: string, more: object = {}) =>
  rest('POST', '/store', { key, value, ...more });
const get = async (key: string) =>
  (await (await rest('GET', `/facts/${encodeURIComponent(key)}`)).json()) as Record<string, unknown>;

/** An answer to a question of a command, and what happens meanwhile. */
type Answer = string | (() => Promise<string>);

/** Runs a command; with answers on a terminal, where each question gets the next answer. */
async function run(argv: string[], answers?: Answer[]) {
  const isTTY = answers !== undefined;
  const streams = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
  let err = '';
  let answered = 0;
  const left = [...(answers ?? [])];
  streams.err.on('data', async (chunk: Buffer) => {
    err += stripVTControlCharacters(String(chunk));
    const questions = err.split(/\]uit: |New value: |\[y\/N\] /).length - 1;
    if (questions <= answered) return;
    answered = questions;
    const next = left.shift();
    await setImmediate(); // the line to be edited is written after its question
    if (next === undefined) streams.in.end();
    else streams.in.write(`${typeof next === 'string' ? next : await next()}\n`);
  });
  const deps = {
    terminal: {
      in: Object.assign(streams.in, { isTTY }),
      out: Object.assign(streams.out, { isTTY }),
      err: Object.assign(streams.err, { isTTY }),
    },
    version: '1',
    now: clock.now,
    scopes: [],
    defaultScopes: [],
    onInterrupt: () => () => {},
    variables: () => [],
    connect: async () => ({
      fetch: async (path: string, init: RequestInit = {}) =>
        server.call(subject, init.method ?? 'GET', path, init.body as string | undefined),
      close: async () => {},
    }),
  } as unknown as CliDeps;
  const code = await createCli(deps).run(argv);
  return { code, out: stripVTControlCharacters(String(streams.out.read() ?? '')), err, left };
}

describe('confirm', () => {
  it('confirm confirms a fact and says when it is due and expires', async () => {
    await remember('deploy/target', 'Hetzner', { ttl_seconds: 7200 });
    clock.advance(3_600_000);
    expect(await run(['confirm', 'deploy/target'])).toMatchObject({
      code: 0,
      out: 'Confirmed deploy/target  due for review in 30 days, expires in 2 hours\n',
    });
    expect(await get('deploy/target')).toMatchObject({
      version: 1,
      confirmed_at: new Date(clock.now()).toISOString(),
    });
    const { out } = await run(['confirm', 'deploy/target', '--ttl', '3h', '--json']);
    expect(JSON.parse(out)).toMatchObject({ key: 'deploy/target', version: 1 });
  });

  it('a later renewal keeps the lifetime that a confirmation gave, and does not add to it', async () => {
    await remember('a', 'x', { ttl_seconds: 200 * 86_400 });
    clock.advance(50 * DAY_MS);
    await run(['confirm', 'a']);
    clock.advance(DAY_MS);
    const { expires_at } = JSON.parse((await run(['renew', 'a', '--json'])).out) as { expires_at: string };
    expect(Math.round((Date.parse(expires_at) - clock.now()) / DAY_MS)).toBe(200);
  });

  it('confirm of no fact ends with exit code 5, and of another version with 6', async () => {
    await remember('a', 'x');
    expect(await run(['confirm', 'none'])).toMatchObject({ code: 5 });
    expect(await run(['confirm', 'a', '--if-version', '2'])).toMatchObject({ code: 6 });
  });
});

describe('review', () => {
  beforeEach(async () => {
    await remember('a', 'one');
    clock.advance(1000);
    await remember('b', 'two');
    clock.advance(1000);
    await remember('c', 'three\nlines');
    clock.advance(31 * DAY_MS);
    await remember('fresh', 'new');
  });

  it('without a terminal review lists what is due, most recalled first, then longest due', async () => {
    const { out, code } = await run(['review']);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual(['KEY', 'a', 'b', 'c', '']);
    expect(out).not.toContain('fresh');
    const json = JSON.parse((await run(['review', '--json', '--limit', '2'])).out) as {
      facts: { key: string }[];
    };
    expect(json.facts.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(JSON.parse((await run(['list', '--due', '--json'])).out).facts).toHaveLength(3);
    await run(['recall', 'three lines']);
    const keys = async (...args: string[]) =>
      (JSON.parse((await run([...args, '--json'])).out) as typeof json).facts.map(({ key }) => key);
    expect(await keys('review')).toEqual(['c', 'a', 'b']);
    expect(await keys('list', '--never-recalled', '--sort', 'key')).toEqual(['a', 'b']);
  });

  it('on a terminal review confirms, changes and forgets facts as it is told', async () => {
    const { err, left, code } = await run(['review'], ['y', 'e', ' and a half', 'f', 'y']);
    expect({ code, left }).toEqual({ code: 0, left: [] });
    expect(await get('a')).toMatchObject({ value: 'one', version: 1 });
    expect(await get('a')).not.toHaveProperty('stale');
    expect(await get('b')).toMatchObject({ value: 'two and a half', version: 2 });
    expect(await get('c')).toMatchObject({ error: 'not_found' });
    expect(err).toContain('1 of 3  a\n  one\n  unconfirmed since');
    expect(err).toContain('  three\n  lines\n');
    expect(err).toContain('1 confirmed, 1 changed, 1 forgotten\n');
  });

  it('review asks again after an unknown answer, a refused value and a forget that was not meant', async () => {
    const secret = ` password: ${'hunter2-correct-horse'}`;
    const answers = ['what', 'f', 'n', 'e', '', 'e', secret, 's', 'q'];
    const { err, left } = await run(['review'], answers);
    expect(left).toEqual([]);
    expect(err.split(QUESTION).length - 1).toBe(6);
    expect(err).toContain('looks like a credential');
    expect(await get('a')).toMatchObject({ value: 'one', stale: true, version: 1 });
    expect(err).toContain('1 skipped, 2 facts left\n');
  });

  it('review changes no fact that another writer changed while it was shown', async () => {
    const meanwhile = async () => {
      await remember('a', 'newer');
      return 'y';
    };
    const gone = async () => {
      await rest('DELETE', '/facts/b');
      return 'y';
    };
    const { err } = await run(['review'], [meanwhile, gone, 'q']);
    expect(err).toContain('The fact is at version 2, not 1.');
    expect(err).toContain('There is no such fact.');
    expect(err).toContain('2 skipped, 1 fact left\n');
  });

  it('the end of the input ends review', async () => {
    const { code, err } = await run(['review'], ['s']);
    expect(code).toBe(0);
    expect(err).toContain('1 skipped, 2 facts left\n');
  });

  it('with nothing due review says so', async () => {
    subject = `person ${++subjects}`;
    expect(await run(['review'], [])).toMatchObject({ code: 0, out: 'Nothing to review.\n' });
  });
});
