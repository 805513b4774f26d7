import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDirectory } from '../../memory/crypto/directory.ts';
import { createKeyring, type Keyring } from '../../memory/crypto/keyring.ts';
import { SYSTEM_NS } from '../../memory/crypto/namespace-record.ts';
import { type NamespaceKeys, rowId, seal } from '../../memory/crypto/sealed.ts';
import type { Store } from '../../memory/store.ts';
import { createInMemoryStore } from '../../stores/in-memory/store.ts';
import { deleteOrphanedRows, surveyOrphanedRows } from './orphaned-rows.ts';

const keyring = (byte: number): Keyring => createKeyring({ current: Buffer.alloc(32, byte) });
const mine = keyring(1);
const nothing = () => {};
let store: Store;

beforeEach(async () => {
  store = createInMemoryStore({ now: Date.now });
});
afterEach(() => store.close());

async function addFacts(ring: Keyring, subject: string, count: number): Promise<NamespaceKeys> {
  const keys = await (await openDirectory(store, ring, Date.now)).findOrCreate({ subject });
  for (let n = 0; n < count; n++) {
    const header = { id: rowId(keys, 'fact', `k${n}`), kind: 'fact', group: null, rev: 1 } as const;
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    await store.apply(keys, [
      { type: 'put', row: seal(keys, { ...header, ...times }, { key: `k${n}`, value: 'v' }) },
    ]);
  }
  return keys;
}

async function damage(keys: NamespaceKeys, id: Uint8Array): Promise<void> {
  const { seq: _, ...row } = (await store.get(keys.ns, id))!;
  await store.apply(keys, [{ type: 'put', row: { ...row, body: Buffer.alloc(row.body.length) } }]);
}

describe('orphaned rows', () => {
  it('an empty or intact store has no orphaned rows', async () => {
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject({
      everything: false,
      namespaces: 0,
      rows: 0,
    });
    await addFacts(mine, 'alice', 3);
    // Three facts and the directory key.
    expect(await surveyOrphanedRows(store, mine, nothing)).toEqual({
      everything: false,
      namespaces: 0,
      rows: 0,
      totalRows: 4,
      totalNamespaces: 2,
    });
    expect(await deleteOrphanedRows(store, mine, nothing)).toEqual({
      everything: false,
      namespaces: 0,
      rows: 0,
    });
  });

  it('damaged rows are deleted with their children, and no other rows', async () => {
    const keys = await addFacts(mine, 'alice', 600);
    const bad = rowId(keys, 'fact', 'k7');
    const child = { id: rowId(keys, 'version', 'k7/1'), kind: 'version', group: bad, rev: 1 } as const;
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    await store.apply(keys, [
      { type: 'put', row: seal(keys, { ...child, ...times }, { key: 'k7', value: 'old' }) },
    ]);
    await damage(keys, bad);
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject({
      rows: 1,
      namespaces: 0,
      totalRows: 602,
    });
    expect(await deleteOrphanedRows(store, mine, nothing)).toEqual({
      everything: false,
      namespaces: 0,
      rows: 2,
    });
    expect(await store.get(keys.ns, rowId(keys, 'fact', 'k8'))).toBeDefined();
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject({ rows: 0, totalRows: 600 });
  });

  it('a namespace whose key is lost is deleted', async () => {
    await addFacts(mine, 'alice', 2);
    const foreign = Buffer.alloc(16, 9);
    await store.createNamespace(foreign, Buffer.alloc(150, 7));
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject({
      everything: false,
      namespaces: 1,
    });
    expect(await deleteOrphanedRows(store, mine, nothing)).toEqual({
      everything: false,
      namespaces: 1,
      rows: 0,
    });
    expect(await store.getNamespace(foreign)).toBeUndefined();
  });

  it('if the key of the canary is lost, everything is deleted, and the store opens with a new key', async () => {
    await addFacts(keyring(2), 'alice', 3);
    const lost = { everything: true, namespaces: 2, rows: 4 };
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject(lost);
    expect(await store.getNamespace(SYSTEM_NS)).toBeDefined();
    expect(await deleteOrphanedRows(store, mine, nothing)).toEqual(lost);
    expect((await openDirectory(store, mine, Date.now)).keyId).toBe(mine.currentId.toString('hex'));
  });

  it('if the directory key is damaged, everything is deleted, because no namespace can be found without it', async () => {
    await addFacts(mine, 'alice', 3);
    const { system } = await openDirectory(store, mine, Date.now);
    await damage(system, rowId(system, 'directory', 'key'));
    expect(await surveyOrphanedRows(store, mine, nothing)).toMatchObject({ everything: true, namespaces: 2 });
    expect(await deleteOrphanedRows(store, mine, nothing)).toEqual({
      everything: true,
      namespaces: 2,
      rows: 4,
    });
    await openDirectory(store, mine, Date.now);
  });
});
