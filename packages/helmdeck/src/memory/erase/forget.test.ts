import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { groupId, rowId } from '../crypto/sealed.ts';
import { type Kind, RUN_KINDS } from '../entry.ts';
import { rememberFact } from '../facts/remember.ts';
import { createMemory, type Memory, putOp, walkEntries, walkMemory } from '../memory.ts';
import { forget, parseScope, SCOPE_FORMS } from './forget.ts';

const clock = fakeClock();
let server: TestServer;
let memory: Memory;
let subjects = 0;

beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());

async function addFact(key: string, category = 'user_facts', tags: string[] = [], ttlSeconds = 7200) {
  await rememberFact(
    memory,
    { key, value: `about ${key}`, category, tags, ttlSeconds },
    { source: { surface: 'x' } },
  );
}

/** Whether run records are written where older versions did, in the main namespace. */
let runsInMain = false;

/** Rows that the engine writes: run records, notes and cache entries. */
async function addRow(kind: Kind, key: string, group?: ['pack' | 'pipeline', string]) {
  const { directory, caller } = memory;
  const isRun = RUN_KINDS.includes(kind) && !runsInMain;
  const keys = await (isRun ? directory.runs : directory).findOrCreate(caller);
  const nowMs = clock.now();
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + 7_200_000 };
  const id = rowId(keys, kind, key);
  const row = {
    id,
    kind,
    group: group ? groupId(keys, ...group) : null,
    content: { key, value: '{}' },
    ...times,
  };
  await memory.store.apply(keys, [putOp(keys, row, undefined)]);
}

const FACTS = ['a', 'a/b', 'a%', 'A', 'ab', 'z'];
const OTHERS = ['p1/1', 'p1/2', 'p2/1', 'run/1', 'note', 'c1', 'c2'];

async function fill(): Promise<void> {
  memory = createMemory(server.memory!.parts, { subject: `caller ${++subjects}` });
  await addFact('a', 'letters', ['t']);
  await addFact('a', 'letters', ['t']);
  await addFact('a/b', 'Letters', ['T']);
  await addFact('a%');
  await addFact('A');
  await addFact('ab', 'user_facts', ['t']);
  await addFact('z');
  await addRow('audit.pack', 'p1/1', ['pack', 'p1']);
  await addRow('audit.pack', 'p1/2', ['pack', 'p1']);
  await addRow('audit.pack', 'p2/1', ['pack', 'p2']);
  await addRow('audit.pipeline', 'run/1', ['pipeline', 'pipe']);
  await addRow('note', 'note');
  await addRow('cache', 'c1', ['pack', 'p1']);
  await addRow('cache', 'c2', ['pack', 'p2']);
}

async function keysLeft(): Promise<string[]> {
  const left: string[] = [];
  for await (const entry of walkMemory(memory, {})) if (entry.kind !== 'version') left.push(entry.key);
  const runs = await memory.directory.runs.find(memory.caller);
  if (runs) for await (const entry of walkEntries(memory, runs, {})) left.push(entry.key);
  return left.sort();
}
const without = (...gone: string[]) => [...FACTS, ...OTHERS].filter((key) => !gone.includes(key)).sort();

describe.each([
  ['in their own namespace', false],
  ['in the main namespace, as older versions wrote them', true],
])('forget, with run records %s', (_, isOld) => {
  beforeEach(async () => {
    runsInMain = isOld;
    await fill();
  });

  it.each([
    ['all', without(...FACTS, 'p1/1', 'p1/2', 'p2/1', 'run/1', 'note'), 11],
    ['facts', without(...FACTS), 6],
    ['category:letters', without('a'), 1],
    ['category:Letters', without('a/b'), 1],
    ['category:LETTERS', without(), 0],
    ['tag:t', without('a', 'ab'), 2],
    ['tag:T', without('a/b'), 1],
    ['prefix:a', without('a', 'a/b', 'a%', 'ab'), 4],
    ['prefix:a/', without('a/b'), 1],
    ['prefix:a%', without('a%'), 1],
    ['prefix:%', without(), 0],
    ['prefix:_', without(), 0],
    ['prefix:A', without('A'), 1],
    ['key:a', without('a'), 1],
    ['key:a/', without(), 0],
    ['key:%', without(), 0],
    ['key:p1/2', without('p1/2'), 1],
    ['key:run/1', without('run/1'), 1],
    ['key:c1', without(), 0],
    ['key:note', without(), 0],
    ['packs', without('p1/1', 'p1/2', 'p2/1'), 3],
    ['pipelines', without('run/1'), 1],
    ['pack:p1', without('p1/1', 'p1/2'), 2],
    ['pack:p', without(), 0],
    ['pipeline:pipe', without('run/1'), 1],
    ['cache', without('c1', 'c2'), 2],
    ['cache:p1', without('c1'), 1],
  ])('forget %s deletes exactly the entries in its scope', async (scope, left, count) => {
    expect(await forget(memory, parseScope(scope))).toBe(count);
    expect(await keysLeft()).toEqual(left);
    expect(await forget(memory, parseScope(scope)), 'a second time there is nothing left').toBe(0);
  });

  it('forget deletes the history with the fact and does not count it', async () => {
    const versions = async () => {
      let count = 0;
      for await (const _ of walkMemory(memory, { kinds: ['version'] })) count++;
      return count;
    };
    expect(await versions()).toBe(1);
    expect(await forget(memory, parseScope('key:a'))).toBe(1);
    expect(await versions()).toBe(0);
  });

  it('forget key: deletes one entry, the fact rather than a run record of the same key', async () => {
    await addRow('audit.pack', 'z', ['pack', 'p9']);
    expect(await forget(memory, parseScope('key:z'))).toBe(1);
    expect((await keysLeft()).filter((key) => key === 'z')).toHaveLength(1);
    expect(await forget(memory, { type: 'fact', name: 'z' }), 'DELETE never takes an audit row').toBe(0);
    expect(await forget(memory, parseScope('key:z'))).toBe(1);
  });

  it('forget does not affect other callers', async () => {
    const mine = memory;
    memory = createMemory(server.memory!.parts, { subject: `${mine.caller.subject} too` });
    await addFact('a');
    await forget(mine, parseScope('all'));
    expect(await keysLeft()).toEqual(['a']);
  });

  it('forget deletes expired entries without counting them', async () => {
    clock.advance(7_200_000);
    await addFact('fresh');
    for (const scope of ['key:a', 'prefix:a', 'tag:t', 'category:letters']) {
      expect(await forget(memory, parseScope(scope)), scope).toBe(0);
    }
    expect(await forget(memory, parseScope('all'))).toBe(1);
  });

  it('forget for a caller who never stored anything deletes nothing', async () => {
    const stranger = createMemory(server.memory!.parts, { subject: 'stranger' });
    expect(await forget(stranger, parseScope('all'))).toBe(0);
  });

  it('forget deletes more rows than fit into one chunk', async () => {
    for (let index = 0; index < 450; index++) await addFact(`bulk/${index}`, 'bulk');
    expect(await forget(memory, parseScope('category:bulk'))).toBe(450);
    expect(await keysLeft()).toEqual(without());
  });
});

describe('a scope', () => {
  it.each([
    '',
    'ALL',
    'everything',
    'all ',
    'category',
    'category:',
    ':x',
    'key:',
    'toString:x',
    '__proto__:x',
    'fact:a',
    'cache-of:x',
    null,
    7,
    ['all'],
    {},
  ])('the scope %j is refused with the list of valid scopes', (input) => {
    expect(() => parseScope(input)).toThrow(`Unknown scope; valid: ${SCOPE_FORMS.join(', ')}.`);
  });

  it('a missing scope is refused and never taken as "all"', () => {
    expect(() => parseScope(undefined)).toThrow('scope is required');
  });

  it('a scope keeps the colons and spaces of the name', () => {
    expect(parseScope('key:a:b ')).toEqual({ type: 'key', name: 'a:b ' });
    expect(parseScope('cache:p')).toEqual({ type: 'cache-of', name: 'p' });
  });
});
