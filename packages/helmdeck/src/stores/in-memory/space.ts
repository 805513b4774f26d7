import { randomInt } from 'node:crypto';
import { isLive, type Kind } from '../../memory/entry.ts';
import {
  type ApplyResult,
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
const HOUR_MS = 3_600_000;
/** Keeps a small log from being compacted with every write. */
const MIN_DEAD_ROWS = 64;

/** One namespace: its rows and the indexes over them. Rows are never modified, only replaced. */
export interface Space extends NamespaceRecord, Position {
  rows: Map<string, Row>;
  /** Rows ordered by seq, with replaced and deleted ones until `compact` removes them. */
  log: Row[];
  byGroup: Map<string, Map<string, Row>>;
  /** By hour of expiry, so that usage and sweep read past hours only, not every row. */
  byExpiryHour: Map<number, Set<Row>>;
  totals: Map<Kind, { rows: number; bytes: number }>;
  tombstones: (Tombstone & { atMs: number })[];
}

/** Bytes as a map key. With one character for each byte, keys sort like the bytes. */
export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Rows are copied when stored and when read, because callers reuse and wipe their buffers. */
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
    // Random, so that a namespace created again is never taken for its predecessor. Epoch 0 means "no such namespace".
    generation: randomInt(1, RANDOM_LIMIT),
    epoch: randomInt(1, RANDOM_LIMIT),
    seq: 0,
    rows: new Map(),
    log: [],
    byGroup: new Map(),
    byExpiryHour: new Map(),
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

/** A batch is atomic because nothing here awaits, and nothing throws after the first change. */
export function applyBatch(
  space: Space | undefined,
  ref: NamespaceRef,
  ops: readonly Op[],
  nowMs: number,
): ApplyResult {
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
  // One for the whole family: an image that removes a row removes its children.
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

/** Removes a row and its descendants; any of them may already be gone together with another parent. */
function removeFamily(space: Space, row: Row): void {
  unlink(space, row);
  const children = space.byGroup.get(keyOf(row.id));
  for (const child of [...(children?.values() ?? [])]) removeFamily(space, child);
}

function link(space: Space, row: Row): void {
  const key = keyOf(row.id);
  space.rows.set(key, row);
  space.log.push(row);
  if (row.group) getOrCreate(space.byGroup, keyOf(row.group), () => new Map<string, Row>()).set(key, row);
  if (row.expiresMs !== null) {
    getOrCreate(space.byExpiryHour, hourOf(row.expiresMs), () => new Set<Row>()).add(row);
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
  const sameHour = row.expiresMs === null ? undefined : space.byExpiryHour.get(hourOf(row.expiresMs));
  if (sameHour?.delete(row) && sameHour.size === 0) space.byExpiryHour.delete(hourOf(row.expiresMs!));
  count(space, row, -1);
}

/** Removes dead rows from the log once they are most of it, so the amortized cost for a write is constant. */
function compact(space: Space): void {
  if (space.log.length <= 2 * space.rows.size + MIN_DEAD_ROWS) return;
  space.log = space.log.filter((row) => isCurrent(space, row));
}

function isCurrent(space: Space, row: Row): boolean {
  return space.rows.get(keyOf(row.id)) === row;
}

function hourOf(expiresMs: number): number {
  return Math.floor(expiresMs / HOUR_MS);
}

export function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}

function count(space: Space, row: Row, sign: 1 | -1): void {
  const total = getOrCreate(space.totals, row.kind, () => ({ rows: 0, bytes: 0 }));
  total.rows += sign;
  total.bytes += sign * row.body.length;
}

export function scan(space: Space | undefined, options: ScanOptions): Row[] {
  if (!space) return [];
  const { kinds, afterSeq = 0, beforeSeq = Number.POSITIVE_INFINITY, newestFirst = false, limit } = options;
  // A group is small enough to copy; a rewritten row moves to the end of its group, as it does in the log.
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

/** Binary search for the index of the first row after a seq. */
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
  for (const [hour, rows] of space.byExpiryHour) {
    if (hour > hourOf(nowMs)) continue;
    for (const row of rows) if (!isLive(row, nowMs)) yield row;
  }
}

export function usage(space: Space, nowMs: number): Usage[] {
  const live = new Map([...space.totals].map(([kind, total]) => [kind, { ...total }]));
  const subtracted = new Set<Row>();
  // The descendants of an expired row are expired too, although they have no expiry of their own.
  const subtract = (row: Row) => {
    if (subtracted.has(row)) return;
    subtracted.add(row);
    const total = live.get(row.kind)!;
    total.rows -= 1;
    total.bytes -= row.body.length;
    for (const child of space.byGroup.get(keyOf(row.id))?.values() ?? []) subtract(child);
  };
  for (const row of expiredRows(space, nowMs)) subtract(row);
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
  const retained = space.tombstones.filter(({ atMs }) => nowMs - atMs < TOMBSTONE_MS);
  if (retained.length < space.tombstones.length) space.epoch += 1;
  space.tombstones = retained;
  return expired.map((row) => ({ ...copyRow(row), ns: copy(space.ns) }));
}
