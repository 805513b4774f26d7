import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endSession, listSessions, openSession } from '../../memory/facts/sessions.ts';
import { createMemory } from '../../memory/memory.ts';
import { fakeClock, type TestServer, testServer } from '../../testing/index.ts';
import { createPackMemory, type OwnPackMemory } from './pack-memory.ts';

const RULES = { maxValueBytes: 1_000, secretGuard: true };
const clock = fakeClock();
let server: TestServer;
beforeEach(async () => {
  server = await testServer({ now: clock.now });
});
afterEach(() => server.close());

const memoryOf = (subject = 'ada') => createMemory(server.memory!.parts, { subject });
const handle = (session?: string, subject?: string): OwnPackMemory =>
  createPackMemory(memoryOf(subject), RULES, session);
const fact = (key: string, value: string, subject = 'ada') =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value, category: 'preferences' });
const keys = async (memory: OwnPackMemory, prefix?: string) =>
  (await memory.list(prefix)).map(({ key }) => key);

describe('pack memory', () => {
  it('a note expires after a day, or after the given ttlSeconds', async () => {
    const memory = handle();
    await memory.store('last-run', 'fine');
    await memory.store('short', 'gone soon', { ttlSeconds: 10, category: 'mine', tags: ['t'] });
    expect(await memory.recall('last-run')).toMatchObject({
      kind: 'note',
      value: 'fine',
      category: 'working',
    });
    expect(await memory.recall('short')).toMatchObject({ category: 'mine', tags: ['t'] });
    clock.advance(10_000);
    expect(await memory.recall('short')).toBeUndefined();
    clock.advance(86_390_000 - 1);
    expect(await memory.recall('last-run')).toBeTruthy();
    clock.advance(1);
    expect(await memory.recall('last-run')).toBeUndefined();
  });

  it.each([0, -1, 31_536_001, Number.NaN, '5'])(
    'a note with ttlSeconds %s is refused',
    async (ttlSeconds) => {
      const stored = handle().store('a', 'b', { ttlSeconds: ttlSeconds as number });
      await expect(stored).rejects.toMatchObject({ code: 'invalid_input' });
    },
  );

  it.each([
    ['', 'b', {}, 'missing_key'],
    ['pack_history/x', 'b', {}, 'reserved_key'],
    ['a', '', {}, 'missing_value'],
    ['a', 'x'.repeat(1_001), {}, 'value_too_long'],
    ['a', 'b', { category: 'cache' }, 'reserved_category'],
    ['a', 'b', { tags: [''] }, 'bad_tag'],
  ])('the note %j: %j %j is refused as %s', async (key, value, options, reason) => {
    await expect(handle().store(key, value, options)).rejects.toMatchObject({ reason });
    expect(await keys(handle())).toEqual([]);
  });

  it('a note that contains a credential is refused', async () => {
    const stored = handle().store('wifi/password', 'correct-horse-9');
    await expect(stored).rejects.toMatchObject({ code: 'secret_detected' });
  });

  it('outside a session facts and notes are read, and a note hides the fact of the same key', async () => {
    await fact('editor', 'vim');
    await fact('theme', 'dark');
    const memory = handle();
    expect(await memory.recall('editor')).toMatchObject({ kind: 'fact', value: 'vim' });
    await memory.store('editor', 'emacs, for now');
    expect(await memory.recall('editor')).toMatchObject({ kind: 'note', value: 'emacs, for now' });
    expect(await keys(memory)).toEqual(['editor', 'theme']);
    expect(await keys(memory, 'the')).toEqual(['theme']);
    expect(await memory.list('', { limit: 1 })).toHaveLength(1);
    expect(await memory.delete('editor')).toBe(true);
    expect(await memory.delete('editor')).toBe(false);
    expect(await memory.recall('editor')).toMatchObject({ value: 'vim' });
    expect(await memory.delete('theme'), 'facts are not deleted').toBe(false);
  });

  it('the context lists facts and notes without values, newest first', async () => {
    await fact('editor', 'vim');
    clock.advance(1_000);
    await handle().store('step', 'secret value');
    const context = await handle().context();
    expect(Object.keys(context.entries)).toEqual(['working', 'preferences']);
    expect(JSON.stringify(context)).not.toMatch(/vim|secret value/);
    expect(context.entries.working).toMatchObject([{ key: 'step', category: 'working' }]);
    for (let n = 0; n < 60; n++) await handle().store(`n${n}`, 'x');
    expect(Object.values((await handle().context()).entries).flat()).toHaveLength(50);
  });

  it('pack memory is private to each caller', async () => {
    await handle().store('a', 'mine');
    await fact('f', 'mine');
    const other = handle(undefined, 'bob');
    expect(await other.recall('a')).toBeUndefined();
    expect(await keys(other)).toEqual([]);
    expect(await other.delete('a')).toBe(false);
    expect(await handle().recall('a')).toBeTruthy();
    expect([handle().namespace, other.namespace]).toEqual(['ada', 'bob']);
  });

  it('notes count towards the byte quota and are deleted by forget with the scope all', async () => {
    await handle().store('a', 'b');
    const { session_id } = await openSession(memoryOf());
    await handle(session_id).store('a', 'b');
    const before = await (await server.call('ada', 'GET', '/api/v1/memory/stats')).json();
    expect(before).toMatchObject({ counts: { note: 2 } });
    const answer = await server.call('ada', 'POST', '/api/v1/memory/forget', { scope: 'all' });
    expect(await answer.json()).toEqual({ scope: 'all', deleted: 2 });
    expect(await keys(handle())).toEqual([]);
    expect(await keys(handle(session_id))).toEqual([]);
  });
});

describe('sessions', () => {
  it('a session sees only its own notes', async () => {
    await fact('editor', 'vim');
    await handle().store('outside', '1');
    const one = await openSession(memoryOf());
    const two = await openSession(memoryOf());
    const memory = handle(one.session_id);
    await memory.store('inside', '2');
    expect(await keys(memory)).toEqual(['inside']);
    expect(await memory.recall('editor')).toBeUndefined();
    expect(await memory.recall('outside')).toBeUndefined();
    expect(await keys(handle(two.session_id))).toEqual([]);
    expect(await keys(handle())).toEqual(['outside', 'editor']);
    expect(Object.values((await memory.context()).entries).flat()).toMatchObject([{ key: 'inside' }]);
    const rest = await (await server.call('ada', 'GET', '/api/v1/memory/context')).text();
    expect(rest).not.toContain('inside');
  });

  it('sessions of subjects with a colon never collide with another subject’s', async () => {
    const { session_id } = await openSession(memoryOf('a'));
    await handle(session_id, 'a').store('k', 'v');
    expect(await handle(undefined, `a:${session_id}`).recall('k')).toBeUndefined();
    expect(await handle(undefined, `a/sessions/${session_id}`).recall('k')).toBeUndefined();
    expect(await handle(session_id, 'b').recall('k')).toBeUndefined();
  });

  it('ending a session deletes its notes and rejects new ones', async () => {
    const { session_id } = await openSession(memoryOf());
    const memory = handle(session_id);
    await memory.store('a', 'b');
    expect(await endSession(memoryOf(), session_id)).toBe(true);
    expect(await endSession(memoryOf(), session_id)).toBe(false);
    expect(await memory.recall('a')).toBeUndefined();
    await expect(memory.store('c', 'd')).rejects.toMatchObject({ code: 'session_unavailable' });
    const usage = await server.memory!.parts.store.usage(clock.now());
    expect(usage.filter(({ kind }) => kind === 'note' || kind === 'session')).toEqual([]);
  });

  it('a session is renewed by use and expires with its notes when idle', async () => {
    const { session_id } = await openSession(memoryOf(), 60);
    const memory = handle(session_id);
    for (let n = 0; n < 4; n++) {
      clock.advance(59_000);
      await memory.store(`n${n}`, 'x');
    }
    expect(await listSessions(memoryOf())).toMatchObject([{ session_id }]);
    clock.advance(60_000);
    expect(await listSessions(memoryOf())).toEqual([]);
    await expect(memory.store('late', 'x')).rejects.toMatchObject({ code: 'session_unavailable' });
    await server.janitor!.sweep();
    expect(await server.memory!.parts.store.usage(clock.now())).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ kind: 'note' })]),
    );
  });

  it('a session stores many notes concurrently', async () => {
    const { session_id } = await openSession(memoryOf());
    await Promise.all(Array.from({ length: 50 }, (_, n) => handle(session_id).store(`n${n}`, 'x')));
    expect(await handle(session_id).list()).toHaveLength(50);
  });
});
