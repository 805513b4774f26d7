import { randomInt } from 'node:crypto';
import { isLive, type Kind } from '../../memory/entry.ts';
import {
  type Applied,
  type NamespaceRecord,
  type NamespaceRef,
  type Op,
  type Position,
  type Row,
  type ScanOptions,
  StoreConflict,
  type SweptRow,
  TOMBSTONE_MS,
  type Tombstone,
  type Usage,
} from '../../memory/store.ts';

const RANDOM_LIMIT = 2 ** 47;
const EXPIRY_BUCKET_MS = 3_600_000;

/** One namespace with its rows and what finds them fast. Rows are never changed in place, only replaced. */
export interface Space extends NamespaceRecord, Position {
  rows: Map<string, Row>;
  /** Rows in the order of seq, replaced and deleted ones included until half of them are. */
  log: Row[];
  byGroup: Map<string, Map<string, Row>>;
  /** By hour of expiry: usage and sweep look at the hours that are over, not at every row. */
  expiring: Map<number, Set<Row>>;
  totals: Map<Kind, { rows: number; bytes: number }>;
  tombstones: (Tombstone & { atMs: number })[];
}

/** Bytes as a map key. One character per byte, so the order of keys is the order of bytes. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Callers keep and wipe their buffers: rows are copied on the way in and on the way out. */
export function copyRow(row: Row): Row {
  return { ...row, id: copy(row.id), group: row.group && copy(row.group), body: copy(row.body) };
}

export function copyRecord({ ns, generation, blob }: NamespaceRecord): NamespaceRecord {
  return { ns: copy(ns), generation, blob: copy(blob) };
}

export function newSpace(ns: Uint8Array, blob: Uint8Array): Space {
  return {
    ns: copy(ns),
    blob: copy(blob),
    // Random, so that a namespace made again never passes for its predecessor. 0 is the epoch of no namespace.
    generation: randomInt(1, RANDOM_LIMIT),
    epoch: randomInt(1, RANDOM_LIMIT),
    seq: 0,
    rows: new Map(),
    log: [],
    byGroup: new Map(),
    expiring: new Map(),
    totals: new Map(),
    tombstones: [],
  };
}

export function replaceBlob(
  space: Space | undefined,
  ref: NamespaceRef,
  before: Uint8Array,
  blob: Uint8Array,
): boolean {
  if (space?.generation !== ref.generation || keyOf(space.blob) !== keyOf(before)) return false;
  space.blob = copy(blob);
  return true;
}

/** Nothing here awaits, and nothing throws after the first change: that is what makes a batch atomic. */
export function applyBatch(
  space: Space | undefined,
  ref: NamespaceRef,
  ops: readonly Op[],
  nowMs: number,
): Applied {
  if (space?.generation !== ref.generation) throw new StoreConflict('gone');
  for (const op of ops) {
    if (op.type === 'deleteWhere' || op.ifRev === undefined) continue;
    const id = op.type === 'put' ? op.row.id : op.id;
    if ((space.rows.get(keyOf(id))?.rev ?? 0) !== op.ifRev) throw new StoreConflict('rev');
  }
  let deleted = 0;
  for (const op of ops) {
    if (op.type === 'put') putRow(space, op.row);
    else if (op.type === 'delete') deleted += deleteRow(space, op.id, nowMs);
    else deleted += deleteWhere(space, op);
  }
  compact(space);
  return { seq: space.seq, deleted };
}

function putRow(space: Space, row: Omit<Row, 'seq'>): void {
  const before = space.rows.get(keyOf(row.id));
  if (before) unlink(space, before);
  space.seq += 1;
  link(space, copyRow({ ...row, seq: space.seq }));
}

function deleteRow(space: Space, id: Uint8Array, nowMs: number): number {
  space.seq += 1;
  const row = space.rows.get(keyOf(id));
  if (!row) return 0;
  removeFamily(space, row);
  // One for the family: whoever drops a row from an image drops its children.
  space.tombstones.push({ id: row.id, seq: space.seq, atMs: nowMs });
  return 1;
}

function deleteWhere(space: Space, where: Extract<Op, { type: 'deleteWhere' }>): number {
  const candidates = where.group ? space.byGroup.get(keyOf(where.group)) : space.rows;
  const rows = candidates?.values().filter((row) => !where.kinds || where.kinds.includes(row.kind));
  const matched = [...(rows?.take(where.limit ?? Number.POSITIVE_INFINITY) ?? [])];
  if (matched.length === 0) return 0;
  for (const row of matched) removeFamily(space, row);
  space.seq += 1;
  space.epoch += 1;
  return matched.length;
}

/** Removes a row and all below it; any of them may be gone already, with a parent that went before. */
function removeFamily(space: Space, row: Row): void {
  unlink(space, row);
  const children = space.byGroup.get(keyOf(row.id));
  for (const child of [...(children?.values() ?? [])]) removeFamily(space, child);
}

function link(space: Space, row: Row): void {
  const key = keyOf(row.id);
  space.rows.set(key, row);
  space.log.push(row);
  if (row.group) getOrMake(space.byGroup, keyOf(row.group), () => new Map<string, Row>()).set(key, row);
  if (row.expiresMs !== null) {
    getOrMake(space.expiring, bucketOf(row.expiresMs), () => new Set<Row>()).add(row);
  }
  count(space, row, 1);
}

function unlink(space: Space, row: Row): void {
  if (!isCurrent(space, row)) return;
  const key = keyOf(row.id);
  space.rows.delete(key);
  const group = row.group && keyOf(row.group);
  const members = group === null ? undefined : space.byGroup.get(group);
  if (members?.delete(key) && members.size === 0) space.byGroup.delete(group!);
  const bucket = row.expiresMs === null ? undefined : space.expiring.get(bucketOf(row.expiresMs));
  if (bucket?.delete(row) && bucket.size === 0) space.expiring.delete(bucketOf(row.expiresMs!));
  count(space, row, -1);
}

/** Lets go of dead rows once they are most of the log: a write pays for the one that it killed. */
function compact(space: Space): void {
  if (space.log.length <= 2 * space.rows.size + 64) return;
  space.log = space.log.filter((row) => isCurrent(space, row));
}

function isCurrent(space: Space, row: Row): boolean {
  return space.rows.get(keyOf(row.id)) === row;
}

function bucketOf(expiresMs: number): number {
  return Math.floor(expiresMs / EXPIRY_BUCKET_MS);
}

export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function count(space: Space, row: Row, sign: 1 | -1): void {
  const total = getOrMake(space.totals, row.kind, () => ({ rows: 0, bytes: 0 }));
  total.rows += sign;
  total.bytes += sign * row.body.length;
}

export function scan(space: Space | undefined, options: ScanOptions): Row[] {
  if (!space) return [];
  const { kinds, afterSeq = 0, beforeSeq = Number.POSITIVE_INFINITY, newestFirst = false, limit } = options;
  // A group's members are few; a row that is written again goes to the end of its group, as in the log.
  const rows = options.group ? [...(space.byGroup.get(keyOf(options.group))?.values() ?? [])] : space.log;
  const from = firstAfter(rows, afterSeq);
  const to = firstAfter(rows, beforeSeq - 1);
  const page: Row[] = [];
  for (let i = 0; i < to - from && page.length < limit; i += 1) {
    const row = rows[newestFirst ? to - 1 - i : from + i]!;
    if (isCurrent(space, row) && (!kinds || kinds.includes(row.kind))) page.push(copyRow(row));
  }
  return page;
}

/** The index of the first row after a position. */
function firstAfter(rows: readonly Row[], seq: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]!.seq > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

function* expiredRows(space: Space, nowMs: number): Generator<Row> {
  for (const [bucket, rows] of space.expiring) {
    if (bucket > bucketOf(nowMs)) continue;
    for (const row of rows) if (!isLive(row, nowMs)) yield row;
  }
}

export function usage(space: Space, nowMs: number): Usage[] {
  const live = new Map([...space.totals].map(([kind, total]) => [kind, { ...total }]));
  const gone = new Set<Row>();
  // What belongs to an expired row is gone with it, although it has no expiry of its own.
  const leaveOut = (row: Row) => {
    if (gone.has(row)) return;
    gone.add(row);
    const total = live.get(row.kind)!;
    total.rows -= 1;
    total.bytes -= row.body.length;
    for (const child of space.byGroup.get(keyOf(row.id))?.values() ?? []) leaveOut(child);
  };
  for (const row of expiredRows(space, nowMs)) leaveOut(row);
  return [...live].flatMap(([kind, total]) =>
    total.rows > 0 ? [{ ns: copy(space.ns), kind, ...total }] : [],
  );
}

export function sweep(space: Space, nowMs: number, limit: number): SweptRow[] {
  const expired = [...expiredRows(space, nowMs).take(limit)];
  for (const row of expired) {
    removeFamily(space, row);
    if (row.rev > 1) space.tombstones.push({ id: row.id, seq: row.seq, atMs: nowMs });
  }
  compact(space);
  const kept = space.tombstones.filter(({ atMs }) => nowMs - atMs < TOMBSTONE_MS);
  if (kept.length < space.tombstones.length) space.epoch += 1;
  space.tombstones = kept;
  return expired.map((row) => ({ ...copyRow(row), ns: copy(space.ns) }));
}
