import fc from 'fast-check';
import { expect } from 'vitest';
import { isLive } from '../../memory/entry.ts';
import type { NamespaceRecord, Op, Position, Store } from '../../memory/store.ts';
import { TOMBSTONE_MS } from '../../memory/store.ts';
import { type Batch, batchOps, type Command, commands } from './commands.ts';
import {
  hex,
  idOf,
  makeNamespace,
  type NewRow,
  plain,
  REV_CONFLICT,
  type StoreHarness,
  scanAll,
  type TestCase,
  usageByKind,
} from './harness.ts';

const RUNS = 60;
const SPACES = ['model one', 'model two'] as const;

/** A property test against a model. */
export function modelCases(test: TestCase): void {
  test('any sequence of writes, deletions, sweeps and drops gives the same result as a model made of maps', async (h) => {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const spaces: Space[] = [];
        for (const label of SPACES) spaces.push(await openSpace(h.store, label));
        try {
          for (const command of sequence) {
            await run(h, spaces, command);
            await compare(h, spaces);
          }
          for (const space of spaces) await follow(h, space);
        } finally {
          for (const space of spaces) await h.store.dropNamespace(space.ref.ns);
        }
      }),
      { numRuns: RUNS },
    );
  });
}

/** The expected content of a namespace, and the image of a follower that reads only changes. */
interface Space {
  label: string;
  ref: NamespaceRecord;
  /** By id, ordered by last write. */
  rows: Map<string, ModelRow>;
  position: Position;
  pastEpochs: Set<number>;
  deletedAtMs: number[];
  /** Whether this step may, or must, change the epoch, which makes followers reload. */
  epochMay: boolean;
  epochMust: boolean;
  image: Map<string, ModelRow>;
  imagePosition: Position;
}

/** The store assigns the seq: it is unknown until the row is first read, and fixed from then on. */
type ModelRow = NewRow & { seq?: number };

async function openSpace(store: Store, label: string): Promise<Space> {
  const ref = await makeNamespace(store, label);
  const position = await store.position(ref.ns);
  return {
    label,
    ref,
    rows: new Map(),
    position,
    pastEpochs: new Set(),
    deletedAtMs: [],
    epochMay: false,
    epochMust: false,
    image: new Map(),
    imagePosition: { seq: 0, epoch: 0 },
  };
}

async function run(h: StoreHarness, spaces: Space[], command: Command): Promise<void> {
  for (const space of spaces) {
    space.epochMay = false;
    space.epochMust = false;
  }
  switch (command.type) {
    case 'advance':
      return h.advance(command.ms);
    case 'sweep':
      return runSweep(h, spaces, command.limit);
    case 'apply':
      return runBatch(h, spaces[command.space]!, command);
    case 'follow':
      return follow(h, spaces[command.space]!);
    case 'drop': {
      const space = spaces[command.space]!;
      expect(await h.store.dropNamespace(space.ref.ns)).toBe(space.rows.size);
      const { image, imagePosition, position } = space;
      const successor = await openSpace(h.store, space.label);
      expect(successor.ref.generation).not.toBe(space.ref.generation);
      expect(successor.position.epoch).not.toBe(position.epoch);
      // The follower is not notified of the drop: it must detect it from the position.
      spaces[command.space] = { ...successor, image, imagePosition };
    }
  }
}

async function runBatch(h: StoreHarness, space: Space, batch: Batch): Promise<void> {
  const ops = batchOps(batch, h.now(), (id) => space.rows.get(hex(id))?.rev ?? 0);
  const fails = ops.some((op) => {
    if (op.type === 'deleteWhere' || op.ifRev === undefined) return false;
    return op.ifRev !== (space.rows.get(hex(op.type === 'put' ? op.row.id : op.id))?.rev ?? 0);
  });
  if (fails) {
    await expect(h.store.apply(space.ref, ops)).rejects.toMatchObject(REV_CONFLICT);
    expect(await h.store.position(space.ref.ns)).toEqual(space.position);
    return;
  }
  let [least, most] = [0, 0];
  for (const op of ops) {
    const removed = applyToModel(space, op, h.now());
    least += removed.least;
    most += removed.most;
  }
  const applied = await h.store.apply(space.ref, ops);
  expect(applied.deleted).toBeGreaterThanOrEqual(least);
  expect(applied.deleted).toBeLessThanOrEqual(most);
  expect((await h.store.position(space.ref.ns)).seq).toBe(applied.seq);
  const wrote = ops.some((op) => op.type === 'put');
  if (wrote) expect(applied.seq).toBeGreaterThan(space.position.seq);
}

/** Applies one op to the model; a matched row that is also a child of a match may be counted or not. */
function applyToModel(space: Space, op: Op, nowMs: number): { least: number; most: number } {
  const { rows } = space;
  if (op.type === 'put') {
    rows.delete(hex(op.row.id));
    rows.set(hex(op.row.id), { ...op.row });
    return { least: 0, most: 0 };
  }
  if (op.type === 'delete') {
    const row = rows.get(hex(op.id));
    if (!row) return { least: 0, most: 0 };
    removeFamily(rows, row);
    space.deletedAtMs.push(nowMs);
    return { least: 1, most: 1 };
  }
  const group = op.group && hex(op.group);
  const matched = [...rows.values()].filter(
    (row) =>
      (op.kinds === undefined || op.kinds.includes(row.kind)) &&
      (group === undefined || (row.group !== null && hex(row.group) === group)),
  );
  const ids = new Set(matched.map((row) => hex(row.id)));
  for (const row of matched) removeFamily(rows, row);
  if (matched.length > 0) {
    space.epochMay = true;
    space.epochMust = true;
  }
  const withoutMatchedParent = matched.filter((row) => row.group === null || !ids.has(hex(row.group)));
  return { least: withoutMatchedParent.length, most: matched.length };
}

function removeFamily(rows: Map<string, ModelRow>, row: NewRow): void {
  const id = hex(row.id);
  rows.delete(id);
  for (const other of [...rows.values()]) {
    if (other.group !== null && hex(other.group) === id && rows.has(hex(other.id))) removeFamily(rows, other);
  }
}

async function runSweep(h: StoreHarness, spaces: Space[], limit: number): Promise<void> {
  const swept = await h.store.sweep(h.now(), limit);
  expect(swept.length).toBeLessThanOrEqual(limit);
  const taken = swept.map((row) => {
    const space = spaces.find(({ ref }) => hex(ref.ns) === hex(row.ns))!;
    const known = space.rows.get(hex(row.id))!;
    expect(plain(row)).toEqual(plain(known));
    expect(isLive(row, h.now())).toBe(false);
    return { space, known };
  });
  for (const { space, known } of taken) {
    removeFamily(space.rows, known);
    // A rewritten row leaves a tombstone, for followers that know an older, later expiry.
    if (known.rev > 1) space.deletedAtMs.push(h.now());
  }
  for (const space of spaces) {
    if (swept.length < limit) {
      const left = [...space.rows.values()].filter((row) => !isLive(row, h.now()));
      expect(left.map(plain), 'a page that is not full means that no expired row is left').toEqual([]);
    }
    const ageMs = (atMs: number) => h.now() - atMs;
    if (space.deletedAtMs.some((atMs) => ageMs(atMs) >= TOMBSTONE_MS)) space.epochMay = true;
    space.deletedAtMs = space.deletedAtMs.filter((atMs) => ageMs(atMs) <= TOMBSTONE_MS);
  }
}

async function compare(h: StoreHarness, spaces: Space[]): Promise<void> {
  for (const space of spaces) {
    const { ns } = space.ref;
    const position = await h.store.position(ns);
    expect(position.seq).toBeGreaterThanOrEqual(space.position.seq);
    if (space.epochMust) expect(position.epoch).not.toBe(space.position.epoch);
    if (!space.epochMay) expect(position.epoch).toBe(space.position.epoch);
    if (position.epoch !== space.position.epoch) space.pastEpochs.add(space.position.epoch);
    expect(space.pastEpochs, 'an epoch is never reused').not.toContain(position.epoch);
    await compareRows(h.store, space, position);
    space.position = position;
    expect(await usageByKind(h.store, h.now(), ns)).toEqual(usageOfModel(space, h.now()));
  }
}

async function compareRows(store: Store, space: Space, position: Position): Promise<void> {
  const rows = [...space.rows.values()];
  const scanned = await scanAll(store, space.ref.ns, {}, 3);
  expect(scanned.map(plain)).toEqual(rows.map(plain));
  const backwards = await scanAll(store, space.ref.ns, { newestFirst: true }, 3);
  expect(backwards.map(plain)).toEqual(rows.map(plain).reverse());
  let last = 0;
  for (const [i, { seq }] of scanned.entries()) {
    const row = rows[i]!;
    if (row.seq === undefined) expect(seq).toBeGreaterThan(space.position.seq);
    else expect(seq).toBe(row.seq);
    expect(seq).toBeGreaterThan(last);
    row.seq = seq;
    last = seq;
    const got = (await store.get(space.ref.ns, row.id))!;
    expect({ ...plain(got), seq: got.seq }).toEqual({ ...plain(row), seq });
  }
  expect(last).toBeLessThanOrEqual(position.seq);
  const gone = idOf('never written');
  expect(await store.get(space.ref.ns, gone)).toBeUndefined();
}

function usageOfModel(space: Space, nowMs: number): Record<string, [number, number]> {
  const usage: Record<string, [number, number]> = {};
  const live = new Map(space.rows);
  // The descendants of an expired row do not count, even before a sweep.
  for (const row of space.rows.values()) if (!isLive(row, nowMs)) removeFamily(live, row);
  for (const row of live.values()) {
    usage[row.kind] ??= [0, 0];
    usage[row.kind]![0] += 1;
    usage[row.kind]![1] += row.body.length;
  }
  return usage;
}

/** Updates an image as recall does: from changes and tombstones alone while the epoch is the same. */
async function follow(h: StoreHarness, space: Space): Promise<void> {
  const { ns } = space.ref;
  const position = await h.store.position(ns);
  if (position.epoch !== space.imagePosition.epoch) {
    space.image.clear();
    space.imagePosition = { seq: 0, epoch: position.epoch };
  }
  const after = space.imagePosition.seq;
  const changed = await scanAll(h.store, ns, { afterSeq: after }, 3);
  for (const row of changed) space.image.set(hex(row.id), row);
  let last = after;
  for (const stone of await h.store.tombstones(ns, after)) {
    expect(stone.seq, 'tombstones come oldest first').toBeGreaterThan(last);
    last = stone.seq;
    const known = space.image.get(hex(stone.id));
    if (known && known.seq! < stone.seq) removeFamily(space.image, known);
  }
  space.imagePosition = position;
  // Children of expired parents leave no tombstone: a reader checks the parent before it shows a child.
  const visible = (rows: Map<string, ModelRow>) =>
    [...rows.values()]
      .filter((row) => isLive(row, h.now()) && row.kind !== 'version')
      .map((row) => JSON.stringify(plain(row)))
      .sort();
  expect(visible(space.image), 'an image that is updated from changes equals the store').toEqual(
    visible(space.rows),
  );
}
