import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../stores/in-memory/store.ts';
import type { Store } from '../store.ts';
import { checkCanary } from './canary.ts';
import { openDirectory } from './directory.ts';
import { createKeyring } from './keyring.ts';
import { everyNamespace, holdsRuns, MEMORY_REALM, recordKeyId, reservedBlob } from './namespace-record.ts';
import { rowId } from './sealed.ts';

const now = () => Date.UTC(2026, 0, 1);
const OLD = Buffer.alloc(32, 0xaa);
const NEW = Buffer.alloc(32, 0xbb);
const oldRing = createKeyring({ current: OLD });
const newRing = createKeyring({ current: NEW });
const bothRing = createKeyring({ current: NEW, previous: [OLD] });
/** A node that is given the new key before the rotation, with the old one still current. */
const preparedRing = createKeyring({ current: OLD, previous: [NEW] });
const SUBJECTS = ['ada', 'bob', 'cyd'];

async function threeCallers(): Promise<Store> {
  const store = createInMemoryStore({ now });
  const directory = await openDirectory(store, oldRing, now);
  for (const subject of SUBJECTS) await directory.findOrCreate({ subject });
  return store;
}

/** How many records each key wraps, the canary among them. */
async function recordsByKey(store: Store): Promise<{ old: number; new: number }> {
  const count = { old: 0, new: 0 };
  for await (const record of everyNamespace(store))
    count[recordKeyId(record).equals(newRing.currentId) ? 'new' : 'old']++;
  return count;
}

/** A store whose namespace records can be replaced only `limit` times. */
function failingAfter(store: Store, limit: number): Store {
  let left = limit;
  return {
    ...store,
    replaceNamespace: async (...args) => {
      if (left-- <= 0) throw new Error('power cut');
      return store.replaceNamespace(...args);
    },
  };
}

describe('a rotation', () => {
  it.each([0, 1, 2, 3, 4])(
    'a rotation interrupted after %i writes still needs the old key, and is finished later',
    async (writes) => {
      const store = await threeCallers();
      const cut = await openDirectory(failingAfter(store, writes), bothRing, now);
      await expect(cut.rotate()).rejects.toThrow('power cut');
      expect((await checkCanary(store, newRing)).state).toBe(
        writes === 0 ? 'wrong_key' : 'rotation_unfinished',
      );
      const left = writes === 0 ? 4 : 5 - writes;
      const again = await openDirectory(store, bothRing, now);
      expect(await again.rotate()).toEqual({ total: left, done: left, unreadable: 0, finished: true });
      const after = await openDirectory(store, newRing, now);
      for (const subject of SUBJECTS) expect(await after.find({ subject })).toBeDefined();
    },
  );

  it('a start without the old key is refused while the rotation is unfinished, and names the key it needs', async () => {
    const store = await threeCallers();
    const cut = await openDirectory(failingAfter(store, 2), bothRing, now);
    await cut.rotate().catch(() => {});
    await expect(openDirectory(store, newRing, now)).rejects.toMatchObject({
      reason: 'rotation_unfinished',
      message: expect.stringContaining(oldRing.currentId.toString('hex')),
    });
  });

  it('the old key stays needed while a namespace under it cannot be opened', async () => {
    const store = await threeCallers();
    const directory = await openDirectory(store, bothRing, now);
    const { ns } = (await directory.find({ subject: 'bob' }))!;
    const record = (await store.getNamespace(ns))!;
    const damaged = Buffer.from(record.blob);
    damaged[damaged.length - 1]! ^= 1;
    await store.replaceNamespace(record, record.blob, damaged);
    const expected = { total: 4, done: 2, unreadable: 1, finished: true };
    expect(await directory.rotate()).toEqual(expected);
    expect((await checkCanary(store, newRing)).state).toBe('rotation_unfinished');
    expect(await directory.rotate(), 'a second run counts it once').toEqual(expected);
  });

  it('a rotation changes only the wrapped data keys, no id and no row', async () => {
    const store = await threeCallers();
    const keys = (await (await openDirectory(store, oldRing, now)).find({ subject: 'ada' }))!;
    const id = rowId(keys, 'fact', 'city');
    await (await openDirectory(store, bothRing, now)).rotate();
    const found = (await (await openDirectory(store, newRing, now)).find({ subject: 'ada' }))!;
    expect(found.ns).toEqual(keys.ns);
    expect(rowId(found, 'fact', 'city')).toEqual(id);
    expect(await recordsByKey(store)).toEqual({ old: 0, new: 4 });
  });

  it('a rotation through two keys, the first of them interrupted, needs both until it is finished', async () => {
    const store = await threeCallers();
    const cut = await openDirectory(failingAfter(store, 2), bothRing, now);
    await cut.rotate().catch(() => {});
    const third = Buffer.alloc(32, 0xcc);
    const withoutOld = createKeyring({ current: third, previous: [NEW] });
    await expect(openDirectory(store, withoutOld, now)).rejects.toMatchObject({
      reason: 'rotation_unfinished',
    });
    const all = createKeyring({ current: third, previous: [NEW, OLD] });
    const stopped = await openDirectory(failingAfter(store, 1), all, now);
    await stopped.rotate().catch(() => {});
    expect((await checkCanary(store, all)).needed).toEqual(
      [oldRing, newRing].map(({ currentId }) => currentId.toString('hex')),
    );
    await (await openDirectory(store, all, now)).rotate();
    const after = await openDirectory(store, createKeyring({ current: third }), now);
    for (const subject of SUBJECTS) expect(await after.find({ subject })).toBeDefined();
  });
});

describe('nodes with different keys on one database', () => {
  it('a namespace that is opened with a previous key is re-wrapped then, also that of run records', async () => {
    const store = await threeCallers();
    const ada = { subject: 'ada' };
    const runs = await (await openDirectory(store, oldRing, now)).runs.findOrCreate(ada);
    const cut = await openDirectory(failingAfter(store, 1), bothRing, now);
    await cut.rotate().catch(() => {}); // moves the canary only
    const directory = await openDirectory(store, bothRing, now);
    await directory.find(ada);
    await directory.runs.find(ada);
    expect(await recordsByKey(store)).toEqual({ old: 2, new: 3 });
    const record = (await store.getNamespace(runs.ns))!;
    expect(recordKeyId(record)).toEqual(newRing.currentId);
    expect(holdsRuns(record)).toBe(true);
  });

  it('a namespace that cannot be re-wrapped when it is opened can still be read', async () => {
    const store = await threeCallers();
    const cut = await openDirectory(failingAfter(store, 1), bothRing, now);
    await cut.rotate().catch(() => {});
    const directory = await openDirectory(failingAfter(store, 0), bothRing, now);
    expect(await directory.find({ subject: 'ada' })).toBeDefined();
    expect(await recordsByKey(store)).toEqual({ old: 3, new: 1 });
  });

  it('a node that has only the old key creates no namespace once the database is at another key, and says which', async () => {
    const store = await threeCallers();
    const stale = await openDirectory(store, oldRing, now);
    await (await openDirectory(store, bothRing, now)).rotate();
    const refused = {
      code: 'memory_unavailable',
      reason: 'wrong_key',
      message: expect.stringContaining(newRing.currentId.toString('hex')),
    };
    await expect(stale.assertKeyFits()).rejects.toMatchObject(refused);
    await expect(stale.findOrCreate({ subject: 'dan' })).rejects.toMatchObject(refused);
    await expect(stale.runs.findOrCreate({ subject: 'dan' })).rejects.toMatchObject(refused);
    await expect(stale.find({ subject: 'ada' }), 'of a caller it has not cached').rejects.toMatchObject(
      refused,
    );
    expect(await recordsByKey(store)).toEqual({ old: 0, new: 4 });
    const after = await openDirectory(store, newRing, now);
    expect(await after.find({ subject: 'dan' })).toBeUndefined();
    expect(await after.findOrCreate({ subject: 'dan' })).toBeDefined();
  });

  it('one namespace that no key opens does not make the node unfit for all others', async () => {
    const store = await threeCallers();
    const directory = await openDirectory(store, oldRing, now);
    const { ns } = (await directory.find({ subject: 'bob' }))!;
    const record = (await store.getNamespace(ns))!;
    await store.replaceNamespace(record, record.blob, Buffer.alloc(record.blob.length));
    const other = await openDirectory(store, oldRing, now);
    await expect(other.find({ subject: 'bob' })).rejects.toMatchObject({ reason: 'wrong_key' });
    await expect(other.assertKeyFits()).resolves.toBeUndefined();
    expect(await other.findOrCreate({ subject: 'dan' })).toBeDefined();
  });

  it('a node with both keys follows the database to the other key and back, whichever of them is its current one', async () => {
    const store = await threeCallers();
    const prepared = await openDirectory(store, preparedRing, now);
    await prepared.rotate();
    await (await openDirectory(store, bothRing, now)).rotate();
    await prepared.findOrCreate({ subject: 'dan' });
    expect(await recordsByKey(store)).toEqual({ old: 0, new: 5 });
    await prepared.rotate(); // a later run does not move the database back
    expect(await recordsByKey(store)).toEqual({ old: 0, new: 5 });
    const rotated = await openDirectory(store, bothRing, now);
    await (await openDirectory(store, preparedRing, now)).rotate();
    await rotated.findOrCreate({ subject: 'eve' });
    expect(await recordsByKey(store)).toEqual({ old: 6, new: 0 });
  });

  it('a reservation that a crash left is no namespace, and the next creation replaces it', async () => {
    const store = await threeCallers();
    const directory = await openDirectory(store, oldRing, now);
    const dan = { subject: 'dan' };
    await store.createNamespace(directory.idOf(dan), reservedBlob());
    expect(await directory.find(dan)).toBeUndefined();
    expect(await recordsByKey(store)).toEqual({ old: 4, new: 0 });
    expect(await directory.findOrCreate(dan)).toBeDefined();
    expect(await recordsByKey(store)).toEqual({ old: 5, new: 0 });
  });

  it('a record that an older version left under the old key after the rotation is found by the next run', async () => {
    const store = await threeCallers();
    const directory = await openDirectory(store, bothRing, now);
    const elsewhere = createInMemoryStore({ now });
    const late = await openDirectory(elsewhere, oldRing, now);
    await directory.rotate();
    const { ns } = await late.findOrCreate({ subject: 'dan' });
    await store.createNamespace(ns, (await elsewhere.getNamespace(ns))!.blob);
    expect(await directory.rotate()).toEqual({ total: 5, done: 5, unreadable: 0, finished: true });
    expect(await recordsByKey(store)).toEqual({ old: 0, new: 5 });
    expect((await checkCanary(store, newRing, MEMORY_REALM)).state).toBe('fits');
  });
});
