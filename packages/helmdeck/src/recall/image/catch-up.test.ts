import { afterEach, beforeEach, expect, it } from 'vitest';
import { rowId } from '../../memory/crypto/sealed.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { patchFact } from '../../memory/facts/change-facts.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import type { Position } from '../../memory/store.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { catchUp } from './catch-up.ts';
import { createImage, type Image } from './image.ts';

// An image that is told which row was written must find everything else that was written as well.

let server: TestServer;
let memory: Memory;
let image: Image;
let position: Position | undefined;

beforeEach(async () => {
  server = await testServer();
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
  [image, position] = [createImage(), undefined];
  await store('first', 'alpha');
  await follow(undefined);
});
afterEach(() => server.close());

const store = (key: string, value: string, ttlSeconds = 3_600) =>
  rememberFact(memory, { key, value, tags: [], category: 'c', ttlSeconds }, { source: { surface: 'test' } });
const keysOf = async () => (await memory.directory.find(memory.caller))!;

/** Catches up with one key as a hint; returns the store methods that were called and the contents of the image. */
async function follow(key: string | undefined) {
  const keys = await keysOf();
  const asked = new Set<string>();
  const spied = new Proxy(memory.store, {
    get(target, name: 'scan') {
      asked.add(name);
      return target[name].bind(target);
    },
  });
  const written = key === undefined ? undefined : rowId(keys, 'fact', key);
  ({ position } = await catchUp({ store: spied, now: memory.now }, keys, image, position, written));
  const held: string[] = [];
  for (let document = 0; document < image.documents.length; document++) {
    if (image.documents.isLive(document, memory.now())) held.push(image.documents.content(document).value);
  }
  return { held: held.sort(), scanned: asked.has('scan') };
}

it('catching up with one new fact does not scan all kinds of rows', async () => {
  await store('second', 'beta');
  expect(await follow('second')).toEqual({ held: ['alpha', 'beta'], scanned: false });
});

it('catching up with one new fact also finds facts that were stored before and after it', async () => {
  await store('other', 'gamma');
  await store('second', 'beta');
  expect((await follow('second')).held).toEqual(['alpha', 'beta', 'gamma']);
  await store('third', 'delta');
  await store('other', 'epsilon');
  expect((await follow('third')).held).toEqual(['alpha', 'beta', 'delta', 'epsilon']);
});

it('catching up with a new value does not scan all kinds of rows, even when the oldest version is deleted', async () => {
  for (let version = 2; version <= 23; version++) {
    await store('first', `omega ${version}`);
    expect(await follow('first')).toEqual({ held: [`omega ${version}`], scanned: false });
  }
});

it('catching up with a new value also finds facts that were stored, changed or renewed around it', async () => {
  await store('other', 'gamma');
  await store('first', 'omega');
  expect((await follow('first')).held).toEqual(['gamma', 'omega']);
  await store('first', 'psi');
  await store('other', 'delta');
  await patchFact(memory, 'first', { tags: ['renewed'] });
  expect((await follow('first')).held).toEqual(['delta', 'psi']);
  await store('third', 'beta');
  await patchFact(memory, 'first', { tags: ['again'] });
  expect((await follow('first')).held).toEqual(['beta', 'delta', 'psi']);
});

it('catching up with a fact removes it, or another one, if it was forgotten', async () => {
  await store('second', 'beta');
  await forget(memory, parseScope('key:second'));
  expect((await follow('second')).held).toEqual(['alpha']);
  await forget(memory, parseScope('key:first'));
  expect((await follow('second')).held).toEqual([]);
});
