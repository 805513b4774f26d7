import {
  AsyncBatchedStore,
  type BaseStore,
  InMemoryStore,
  type Operation,
} from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHelmdeck } from '../../client/index.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { HelmdeckStore } from './index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

const clientOf = async (subject: string) =>
  createHelmdeck({ url: server.url, token: await server.token(subject) });
const storeOf = async (subject: string) => new HelmdeckStore(await clientOf(subject));

/** The same items in both stores: Helmdeck's, and LangGraph's own. */
async function bothStores(subject: string): Promise<[HelmdeckStore, InMemoryStore]> {
  const stores: [HelmdeckStore, InMemoryStore] = [await storeOf(subject), new InMemoryStore()];
  const puts: Operation[] = [
    {
      namespace: ['users', 'ada'],
      key: 'profile',
      value: { name: 'Ada', age: 36, tags: ['x'], nested: { a: 1 } },
    },
    { namespace: ['users', 'ada'], key: 'a/b %20 é', value: { age: 40, text: ' spaced ' } },
    { namespace: ['users', 'grace', 'v1'], key: 'profile', value: { name: 'Grace', age: 85 } },
    { namespace: ['docs', 'v1'], key: 'readme', value: {} },
    { namespace: ['docs', 'a/b', 'v1'], key: 'gone', value: { age: 1 } },
    { namespace: ['docs', 'a/b', 'v1'], key: 'kept', value: { age: 'old' } },
    { namespace: ['docs', 'a/b', 'v1'], key: 'kept', value: { age: 2 } },
  ];
  for (const store of stores as BaseStore[]) {
    expect(await store.batch(puts)).toHaveLength(puts.length);
    await store.delete(['docs', 'a/b', 'v1'], 'gone');
    await store.delete(['docs', 'v1'], 'never there');
  }
  return stores;
}

/** Neither store promises an order, and keys of different namespaces may be equal. */
const inOrder = <T extends { namespace: string[]; key: string }>(items: T[]) => {
  const place = ({ namespace, key }: T) => JSON.stringify([key, namespace]);
  return items.sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

describe('the LangGraph store', () => {
  it("get, search with filters and listNamespaces answer like LangGraph's own store", async () => {
    const [helmdeck, inMemory] = await bothStores('ada');
    const same = async (read: (store: BaseStore) => Promise<unknown>) =>
      expect(await read(helmdeck)).toEqual(await read(inMemory));
    const fields = (store: BaseStore, prefix: string[], filter?: Record<string, unknown>) =>
      store
        .search(prefix, { filter, limit: 100 })
        .then((items) => inOrder(items.map(({ namespace, key, value }) => ({ namespace, key, value }))));
    for (const [namespace, key] of [
      [['users', 'ada'], 'profile'],
      [['users', 'ada'], 'a/b %20 é'],
      [['docs', 'a/b', 'v1'], 'kept'],
      [['docs', 'a/b', 'v1'], 'gone'],
      [['docs'], 'v1'],
    ] as const)
      await same(async (store) => (await store.get([...namespace], key))?.value ?? null);
    for (const prefix of [[], ['users'], ['users', 'ada'], ['nobody']]) {
      await same((store) => fields(store, prefix));
      for (const filter of [
        { age: 36 },
        { age: { $eq: 36 } },
        { age: { $ne: 36 } },
        { age: { $gt: 36 } },
        { age: { $gte: 36, $lt: 85 } },
        { age: { $lte: 40 }, name: 'Ada' },
        { absent: 1 },
      ])
        await same((store) => fields(store, prefix, filter));
    }
    for (const options of [
      {},
      { prefix: ['users'] },
      { prefix: ['*', 'ada'] },
      { suffix: ['v1'] },
      { prefix: ['docs'], suffix: ['*', 'v1'] },
      { maxDepth: 1 },
      { maxDepth: 2, limit: 2, offset: 1 },
    ])
      await same((store) => store.listNamespaces(options));
  });

  it("filters have the operators of LangGraph's stores for databases too, and others are refused", async () => {
    const store = await storeOf('lise');
    await store.put(['n'], 'a', { level: 'easy', nested: { v: 1 } });
    await store.put(['n'], 'b', { level: 'hard', gone: null });
    await store.put(['n'], 'c', {});
    const keys = async (filter: Record<string, unknown>) =>
      (await store.search(['n'], { filter })).map(({ key }) => key).sort();
    expect(await keys({ level: { $in: ['easy', 'medium'] } })).toEqual(['a']);
    expect(await keys({ nested: { $in: [{ v: 1 }] } })).toEqual(['a']);
    expect(await keys({ level: { $nin: ['easy'] } })).toEqual(['b', 'c']);
    expect(await keys({ level: { $exists: true } })).toEqual(['a', 'b']);
    expect(await keys({ gone: { $exists: false } })).toEqual(['a', 'c']);
    await expect(keys({ level: { $regex: 'e' } })).rejects.toThrow(
      'The filter operator $regex is not supported.',
    );
  });

  it('results come in the order of the operations, and reads see what was there before the batch', async () => {
    const store = await storeOf('grace');
    await store.put(['n'], 'a', { v: 1 });
    const results = await store.batch([
      { namespace: ['n'], key: 'a', value: { v: 2 } },
      { namespace: ['n'], key: 'a' },
      { namespacePrefix: ['n'] },
      { namespace: ['n'], key: 'absent' },
      { matchConditions: undefined, limit: 10, offset: 0 },
    ]);
    expect(results).toEqual([
      undefined,
      expect.objectContaining({ value: { v: 1 } }),
      [expect.objectContaining({ key: 'a', value: { v: 1 } })],
      null,
      [['n']],
    ]);
    const item = await store.get(['n'], 'a');
    expect(item).toMatchObject({ key: 'a', namespace: ['n'], value: { v: 2 } });
    expect(item!.updatedAt.getTime()).toBeGreaterThanOrEqual(item!.createdAt.getTime());
  });

  it('a query finds items by their words, best first with a score, except those that are not to be indexed', async () => {
    const store = await storeOf('mary');
    await store.put(['notes'], 'deploy', { text: 'Deployments happen on Tuesday' });
    await store.put(['notes'], 'lunch', { text: 'Lunch is at noon' });
    await store.put(['notes'], 'secret', { text: 'Deployments of the hidden kind' }, false);
    await store.put(['other'], 'deploy', { text: 'Deployments elsewhere' });
    const found = await store.search(['notes'], { query: 'when do deployments happen', limit: 1 });
    expect(found).toMatchObject([{ key: 'deploy', namespace: ['notes'], score: expect.any(Number) }]);
    const all = await store.search(['notes'], { query: 'deployments' });
    expect(all.map(({ key }) => key)).not.toContain('secret');
    expect(all.every(({ namespace }) => namespace[0] === 'notes')).toBe(true);
  });

  it('namespaces that other stores refuse, and lifetimes without an end, are refused with a sentence', async () => {
    const store = await storeOf('linus');
    const put = (namespace: string[]) => store.batch([{ namespace, key: 'k', value: {} }]);
    await expect(put([])).rejects.toThrow('Namespace cannot be empty.');
    await expect(put(['a.b'])).rejects.toThrow("cannot contain periods ('.')");
    await expect(put(['a', ''])).rejects.toThrow('cannot be empty strings');
    await expect(put(['langgraph', 'x'])).rejects.toMatchObject({ name: 'InvalidNamespaceError' });
    const client = await clientOf('linus');
    const forever = () => new HelmdeckStore(client, { ttlSeconds: Number.POSITIVE_INFINITY });
    expect(forever).toThrow('Helmdeck keeps nothing forever: ttlSeconds must be from 3600');
    await new HelmdeckStore(client, { ttlSeconds: 3600 }).put(['n'], 'short', { v: 1 });
    const { created_at, expires_at } = (await client.facts.get('langgraph/n/short'))!;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeLessThanOrEqual(3_600_000);
  });

  it('an item that the server refuses fails the put, with what to do about it', async () => {
    const store = await storeOf('linus');
    const secret = 'ghp_1234567890abcdefghijklmnopqrstuvwxYZ';
    const refused = store.put(['n'], 'k', { github: secret });
    await expect(refused).rejects.toThrow(/^1 of 1 items were not stored: .*looks like a credential.*vault/);
    await expect(refused).rejects.not.toThrow(secret);
    expect(await store.get(['n'], 'k')).toBeNull();
  });

  it("LangGraph's batching wrapper sends concurrent calls together, and each gets its own answer", async () => {
    const store = await storeOf('hedy');
    const batches: number[] = [];
    const { batch } = store;
    store.batch = async (operations) => {
      batches.push(operations.length);
      return batch.call(store, operations) as ReturnType<typeof store.batch<typeof operations>>;
    };
    const batched = new AsyncBatchedStore(store);
    await batched.start();
    await batched.put(['a'], 'k', { n: 1 });
    await batched.put(['b'], 'k', { n: 2 });
    batches.length = 0;
    const [a, b, gone, found] = await Promise.all([
      batched.get(['a'], 'k'),
      batched.get(['b'], 'k'),
      batched.get(['c'], 'k'),
      batched.search(['b']),
    ]);
    expect([a?.value, b?.value, gone, found[0]?.value]).toEqual([{ n: 1 }, { n: 2 }, null, { n: 2 }]);
    expect(batches).toEqual([4]);
    await batched.stop();
  });

  it('a search finds nothing of a namespace that only begins with the same letters', async () => {
    const store = await storeOf('ida');
    for (const namespace of [
      ['tenant', 'a'],
      ['tenant', 'a', 'notes'],
      ['tenant', 'ab'],
      ['tenant', '*'],
    ])
      await store.put(namespace, namespace.join('-'), { text: 'hello', enabled: true });
    const found = async (prefix: string[], options = {}) =>
      (await store.search(prefix, options)).map(({ key }) => key).sort();
    const own = ['tenant-a', 'tenant-a-notes'];
    expect(await found(['tenant', 'a'])).toEqual(own);
    expect(await found(['tenant', 'a'], { query: 'hello' })).toEqual(own);
    expect(await found(['tenant', 'a'], { filter: { enabled: true }, limit: 1, offset: 2 })).toEqual([]);
    expect(await found(['tenant', '*'])).toEqual(['tenant-*']);
    expect(await store.get(['tenant', 'a'], 'tenant-ab')).toBeNull();
    expect(await store.listNamespaces({ prefix: ['tenant', 'a'] })).toEqual([
      ['tenant', 'a'],
      ['tenant', 'a', 'notes'],
    ]);
  });

  it('a batch with a namespace that is refused stores nothing of it', async () => {
    const store = await storeOf('ida');
    const batch = store.batch([
      { namespace: ['batch'], key: 'first', value: { n: 1 } },
      { namespace: [], key: 'second', value: { n: 2 } },
    ]);
    await expect(batch).rejects.toThrow('Namespace cannot be empty');
    expect(await store.get(['batch'], 'first')).toBeNull();
  });

  it('namespaces and keys with separators, or named like properties of objects, stay apart', async () => {
    const store = await storeOf('emmy');
    const places: [string[], string][] = [
      [['a', 'b'], 'c'],
      [['a:b'], 'c'],
      [['a/b'], 'c'],
      [['a%2Fb'], 'c'],
      [['a'], 'b/c'],
      [['__proto__'], 'constructor'],
      [['constructor'], '__proto__'],
    ];
    await store.batch(places.map(([namespace, key], at) => ({ namespace, key, value: { at } })));
    for (const [at, [namespace, key]] of places.entries()) {
      expect((await store.get(namespace, key))?.value).toEqual({ at });
      const found = await store.search(namespace, { limit: 100 });
      expect(found.map((item) => item.value)).toContainEqual({ at });
    }
    const listed = await store.listNamespaces();
    const own = [...new Set(places.map(([namespace]) => JSON.stringify(namespace)))];
    expect(listed.map((namespace) => JSON.stringify(namespace)).sort()).toEqual(own.sort());
    expect(Object.prototype).not.toHaveProperty('at');
  });
});
