import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Notice, Sharing, Store } from '../../memory/store.ts';
import {
  bytesOf,
  hex,
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  put,
  remove,
  rowOf,
  scanAll,
  type TestCase,
} from './harness.ts';

const NOT_SHARED = 'only one process can use this back-end';
const LEASE_MS = 600_000;
/** When a test gives up; a generous limit, not the expected latency. */
const TIMEOUT_MS = 20_000;

/** Two processes on the same data: notices, writes and leases. */
export function sharingCases(test: TestCase): void {
  noticeCases(test);
  sharedWriteCases(test);
  leaseCases(test);
}

/** Registers a test with two stores on the same data, as in two processes. */
function sharedTest(
  test: TestCase,
  title: string,
  body: (one: Store & { sharing: Sharing }, two: Store & { sharing: Sharing }) => Promise<void>,
): void {
  test(title, async (h, skip) => {
    if (!h.another) return skip(NOT_SHARED);
    const two = await h.another();
    try {
      const [one, other] = [h.store, two].map((store) => {
        expect(store.sharing, 'a back-end that can be opened twice has `sharing`').toBeDefined();
        return store as Store & { sharing: Sharing };
      });
      await body(one!, other!);
    } finally {
      await two.close();
    }
  });
}

/** Waits until `isEnough` is true for the notices received so far. */
async function noticesUntil(received: Notice[], isEnough: (received: Notice[]) => boolean): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !isEnough(received); await delay(10))
    expect(performance.now(), 'a notice arrives').toBeLessThan(end);
}

function noticeCases(test: TestCase): void {
  sharedTest(
    test,
    'a process receives notices that cover every change of another process',
    async (one, two) => {
      const ref = await makeNamespace(one);
      const received: Notice[] = [];
      const stop = two.sharing.watch((notice) => void (notice && received.push(notice)));
      // The subscription may start a moment later; after the first notice none may be missing.
      for (let i = 0; received.length === 0; i += 1) {
        await one.apply(ref, [put(rowOf('first', { rev: i + 1 }))]);
        await delay(20);
      }
      const before = await one.position(ref.ns);
      await one.apply(ref, [put(rowOf('a')), put(rowOf('b'))]);
      await one.apply(ref, [remove('a')]);
      const { seq } = await one.position(ref.ns);
      await noticesUntil(received, (all) => all.some((notice) => notice.seq === seq));
      const covered = new Set<number>();
      for (const { ns, afterSeq, seq: last } of received) {
        expect(hex(ns)).toBe(hex(ref.ns));
        for (let at = afterSeq + 1; at <= last; at += 1) covered.add(at);
      }
      for (const row of await scanAll(one, ref.ns, { afterSeq: before.seq }))
        expect(covered).toContain(row.seq);
      for (const stone of await one.tombstones(ref.ns, before.seq)) expect(covered).toContain(stone.seq);
      expect(received.filter(({ deleted }) => deleted === 1).map((notice) => notice.seq)).toEqual([seq]);
      stop();
    },
  );

  sharedTest(test, 'a process receives no notices of its own writes', async (one, two) => {
    const ref = await makeNamespace(one);
    const received: (Notice | undefined)[] = [];
    const own: Notice[] = [];
    one.sharing.watch((notice) => void (notice && own.push(notice)));
    two.sharing.watch((notice) => received.push(notice));
    for (let i = 0; received.filter(Boolean).length === 0; i += 1) {
      await one.apply(ref, [put(rowOf('a', { rev: i + 1 }))]);
      await delay(20);
    }
    // The last write of the other process arrives after any notice of an own write that was in flight.
    const { seq } = await two.apply(ref, [put(rowOf('b'))]);
    await noticesUntil(own, (all) => all.some((notice) => notice.seq === seq));
    for (const { afterSeq, seq: last } of own) expect([afterSeq, last]).toEqual([seq - 1, seq]);
  });

  sharedTest(test, 'a process receives a notice when another process drops a namespace', async (one, two) => {
    const ref = await makeNamespace(one);
    const received: Notice[] = [];
    two.sharing.watch((notice) => void (notice && received.push(notice)));
    for (let i = 0; received.length === 0; i += 1) {
      await one.apply(ref, [put(rowOf('a', { rev: i + 1 }))]);
      await delay(20);
    }
    await one.dropNamespace(ref.ns);
    await noticesUntil(received, (all) => all.some(({ ns, seq }) => seq === 0 && hex(ns) === hex(ref.ns)));
  });
}

function sharedWriteCases(test: TestCase): void {
  sharedTest(test, 'a process reads the writes of another process immediately', async (one, two) => {
    const ref = await makeNamespace(one);
    expect(await two.getNamespace(ref.ns)).toMatchObject({ generation: ref.generation });
    const first = await one.apply(ref, [put(rowOf('a'))]);
    expect(await two.position(ref.ns)).toEqual(await one.position(ref.ns));
    const second = await two.apply(ref, [put(rowOf('a', { rev: 2 }), 1), put(rowOf('b'), 0)]);
    expect(second.seq).toBeGreaterThan(first.seq);
    await expect(one.apply(ref, [put(rowOf('a', { rev: 2 }), 1)])).rejects.toMatchObject({ kind: 'rev' });
    expect(idsOf(await scanAll(one, ref.ns))).toEqual(labelled('a', 'b'));
    await two.dropNamespace(ref.ns);
    await expect(one.apply(ref, [put(rowOf('c'))])).rejects.toMatchObject({ kind: 'gone' });
    expect(await one.get(ref.ns, idOf('b'))).toBeUndefined();
  });

  sharedTest(
    test,
    'concurrent writers in two processes lose no write, reuse no seq and conflict on the same revision',
    async (one, two) => {
      const ref = await makeNamespace(one);
      const others = await makeNamespace(two, 'other');
      const writes = Array.from({ length: 100 }, (_, i) => [
        one.apply(ref, [put(rowOf(`one ${i}`)), put(rowOf('both', { body: bytesOf('1') }))]),
        two.apply(ref, [put(rowOf(`two ${i}`)), put(rowOf('both', { body: bytesOf('2') }))]),
        one.apply(others, [put(rowOf(`one ${i}`)), remove('missing')]),
        two.apply(others, [put(rowOf(`two ${i}`))]),
      ]);
      const applied = await Promise.all(writes.flat());
      const seqs = applied.filter((_, i) => i % 4 < 2).map(({ seq }) => seq);
      expect(new Set(seqs).size).toBe(200);
      expect(await scanAll(one, ref.ns)).toHaveLength(201);
      expect(await scanAll(two, others.ns)).toHaveLength(200);
      const creators = await Promise.allSettled(
        [one, two].map((store) => store.apply(ref, [put(rowOf('once'), 0)])),
      );
      expect(creators.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    },
  );
}

function leaseCases(test: TestCase): void {
  sharedTest(
    test,
    'only one of two processes acquires a lease, and holds it until it releases it',
    async (one, two) => {
      const won = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? one : two).sharing.acquireLease('work', `holder ${i}`, LEASE_MS),
        ),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const holder = `holder ${won.indexOf(true)}`;
      expect(await two.sharing.leaseHolder('work')).toBe(holder);
      expect(await one.sharing.acquireLease('work', holder, LEASE_MS), 'the holder renews it').toBe(true);
      expect(await two.sharing.acquireLease('work', 'late', LEASE_MS)).toBe(false);
      expect(await two.sharing.acquireLease('other work', 'late', LEASE_MS)).toBe(true);
      await two.sharing.releaseLease('work', 'late');
      expect(await one.sharing.leaseHolder('work')).toBe(holder);
      await one.sharing.releaseLease('work', holder);
      expect(await one.sharing.leaseHolder('work')).toBeUndefined();
      expect(await two.sharing.acquireLease('work', 'late', LEASE_MS)).toBe(true);
    },
  );

  sharedTest(test, 'the lease of a dead process can be acquired once it expires', async (one, two) => {
    expect(await one.sharing.acquireLease('work', 'dead', 50)).toBe(true);
    for (
      const end = performance.now() + TIMEOUT_MS;
      !(await two.sharing.acquireLease('work', 'heir', LEASE_MS));
    )
      expect(performance.now(), 'the lease expires eventually').toBeLessThan(end);
    expect(await one.sharing.leaseHolder('work')).toBe('heir');
    expect(await one.sharing.acquireLease('work', 'dead', LEASE_MS)).toBe(false);
  });
}
