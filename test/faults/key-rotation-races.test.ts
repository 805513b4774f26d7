import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDirectory } from '../../packages/helmdeck/src/memory/crypto/directory.ts';
import { createKeyring } from '../../packages/helmdeck/src/memory/crypto/keyring.ts';
import {
  everyRecord,
  isReserved,
  type Realm,
  recordKeyId,
  VAULT_REALM,
} from '../../packages/helmdeck/src/memory/crypto/namespace-record.ts';
import type { Store } from '../../packages/helmdeck/src/memory/store.ts';
import { openStore } from '../../packages/helmdeck/src/stores/open.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRedis } from '../support/services/redis.ts';

const OLD = Buffer.alloc(32, 0x11);
const NEW = Buffer.alloc(32, 0x22);
const oldRing = createKeyring({ current: OLD });
const newRing = createKeyring({ current: NEW });
const bothRing = createKeyring({ current: NEW, previous: [OLD] });
const dan = { subject: 'dan' };
const CALLERS_BEFORE = 12;
const CALLERS_AFTER = 30;

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-rotation-races-'));
const postgres = await startPostgres();
const redis = await startRedis({ appendfsync: 'everysec' });
afterAll(async () => {
  if (typeof postgres !== 'string') await postgres.stop();
  if (typeof redis !== 'string') await redis.stop();
  rmSync(folder, { recursive: true });
});

let databases = 0;
const skipped = (server: unknown) => (typeof server === 'string' ? server : undefined);
const BACK_ENDS = [
  { name: 'memory', address: () => 'memory:' },
  { name: 'SQLite', address: () => join(folder, `${databases++}.db`) },
  {
    name: 'PostgreSQL',
    address: () => typeof postgres !== 'string' && `${postgres.url()}?pool=4&schema=s${databases++}`,
    skip: skipped(postgres),
  },
  {
    name: 'Redis',
    address: () => typeof redis !== 'string' && redis.url(`prefix=p${databases++}`),
    skip: skipped(redis),
  },
];

/** A node on which something else happens, once, before an operation returns or begins. */
function pausedWhile(
  operation: 'reserving' | 'replacing',
  store: Store,
  happens: () => Promise<unknown>,
): Store {
  let paused = false;
  const pause = async (at: typeof operation) => {
    if (at !== operation || paused) return;
    paused = true;
    await happens();
  };
  return {
    ...store,
    async createNamespace(...args) {
      const record = await store.createNamespace(...args);
      if (isReserved(record)) await pause('reserving');
      return record;
    },
    async replaceNamespace(...args) {
      await pause('replacing');
      return store.replaceNamespace(...args);
    },
  };
}

async function keysInUse(store: Store): Promise<string[]> {
  const ids = new Set<string>();
  for await (const record of everyRecord(store))
    if (!isReserved(record)) ids.add(recordKeyId(record).toString('hex'));
  return [...ids];
}

describe.each(BACK_ENDS)('creating namespaces during a key rotation on $name', ({ address, skip }) => {
  if (skip !== undefined) return it.skip(skip);
  const open = async () => {
    const store = await openStore(address() as string, { now: Date.now });
    onTestFinished(() => store.close());
    return store;
  };
  const rotate = async (store: Store) => (await openDirectory(store, bothRing, Date.now)).rotate();
  const isAtNewKeyOnly = async (store: Store) =>
    expect(await keysInUse(store)).toEqual([newRing.currentId.toString('hex')]);

  it.each(['reserving', 'replacing'] as const)(
    'a node with only the old key that is stopped while %s a record, and continues after the rotation, creates nothing',
    async (operation) => {
      const store = await open();
      const slow = await openDirectory(
        pausedWhile(operation, store, () => rotate(store)),
        oldRing,
        Date.now,
      );
      await expect(slow.findOrCreate(dan)).rejects.toMatchObject({ reason: 'wrong_key' });
      await isAtNewKeyOnly(store);
      const after = await openDirectory(store, newRing, Date.now);
      expect(await after.find(dan)).toBeUndefined();
      expect(await after.findOrCreate(dan)).toBeDefined();
    },
  );

  it('a node with both keys that is overtaken by the rotation creates the namespace under the new key', async () => {
    const store = await open();
    await openDirectory(store, oldRing, Date.now);
    const slow = await openDirectory(
      pausedWhile('replacing', store, () => rotate(store)),
      createKeyring({ current: OLD, previous: [NEW] }),
      Date.now,
    );
    const keys = await slow.findOrCreate(dan);
    await isAtNewKeyOnly(store);
    const found = (await (await openDirectory(store, newRing, Date.now)).find(dan))!;
    expect(found.encryption.equals(keys.encryption)).toBe(true);
  });

  it('a namespace that is created under the old key after the rotation has listed its reservation is re-wrapped', async () => {
    const store = await open();
    await openDirectory(store, oldRing, Date.now);
    const listed = Promise.withResolvers<void>();
    const created = Promise.withResolvers<void>();
    const rotating: Store = {
      ...store,
      async listNamespaces(...args) {
        const page = await store.listNamespaces(...args);
        if (!page.some(isReserved)) return page;
        listed.resolve();
        await created.promise;
        return page;
      },
    };
    let rotation: Promise<unknown> | undefined;
    const slow = await openDirectory(
      pausedWhile('replacing', store, () => {
        rotation = rotate(rotating);
        return listed.promise;
      }),
      createKeyring({ current: OLD, previous: [NEW] }),
      Date.now,
    );
    await slow.findOrCreate(dan);
    created.resolve();
    await rotation;
    await isAtNewKeyOnly(store);
  });

  it.each<[string, Realm | undefined]>([
    ['memory', undefined],
    ['the vault', VAULT_REALM],
  ])(
    'of many namespaces that nodes with the old, both and the new key create at once in %s, every one opens with the new key alone',
    async (_what, realm) => {
      const store = await open();
      const node = (ring: typeof oldRing) => openDirectory(store, ring, Date.now, realm);
      const nodes = [await node(oldRing), await node(bothRing), await node(bothRing)];
      const created = new Map<string, Buffer>();
      let refused = 0;
      let callersAfter = 0;
      async function create(worker: number): Promise<void> {
        for (let n = 0; callersAfter < CALLERS_AFTER; n++) {
          await new Promise(setImmediate);
          callersAfter += Number(rotated);
          // Every fifth caller is the same for all workers.
          const subject = n % 5 === 0 ? `shared ${n}` : `${worker} ${n}`;
          try {
            const { ns } = await nodes[(worker + n) % nodes.length]!.findOrCreate({ subject });
            created.set(subject, ns);
          } catch (thrown) {
            expect(thrown).toMatchObject({ reason: 'wrong_key' });
            refused++;
          }
        }
      }
      let rotated = false;
      const rotation = (async () => {
        while (created.size < CALLERS_BEFORE) await new Promise(setImmediate);
        await nodes[1]!.rotate();
        rotated = true;
      })();
      await Promise.all([...Array(6).keys()].map(create));
      await rotation;
      expect(refused).toBeGreaterThan(0);
      await isAtNewKeyOnly(store);
      const after = await node(newRing);
      for (const [subject, ns] of created) expect((await after.find({ subject }))?.ns).toEqual(ns);
    },
  );
});
