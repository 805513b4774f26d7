import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { isLive } from '../entry.ts';
import { type MemoryParts, putOp } from '../memory.ts';
import { idStartOf, type Op, type Position, type RowMark } from '../store.ts';
import type { RecallCount } from './recall-count.ts';

/** The stored counters of one caller, as this process read or wrote them last. */
export interface CountTable {
  /** By bucket number. */
  buckets: Map<number, Bucket>;
  /** The generation of the runs namespace that it was read from. */
  readonly generation: number;
  /** Where the runs namespace was when it was read. */
  position: Position | undefined;
  /** By `performance.now()`. */
  readMs: number;
  /** Where the main namespace was: counters of facts that were deleted until then are removed. */
  seen: Position | undefined;
  /** When all ids were last compared, by the server's clock. */
  comparedMs: number;
}

interface Bucket {
  rev: number;
  /** By the start of the fact's row id, as in a `RowMark`: the ids are known without decrypting the facts. */
  counts: Map<number, RecallCount>;
}

/** New counters of some buckets, and the operations that store them. */
export interface TableChange {
  ops: Op[];
  changed: Map<number, Map<number, RecallCount>>;
  seen?: Position;
  comparedMs?: number;
}

/** The keys of a caller's two namespaces. */
export interface CallerKeys {
  main: NamespaceKeys;
  runs: NamespaceKeys;
}

type Parts = Pick<MemoryParts, 'store' | 'now'>;

/** One recall touches about ten facts, so it rewrites at most that many of the buckets, however large the memory is. */
const BUCKETS = 64;
const IDS_PER_BUCKET = 2 ** 48 / BUCKETS;
const PAGE_MARKS = 500;
/** Expired facts leave no tombstone, so all facts are compared now and then. */
const COMPARE_EVERY_MS = 86_400_000;
/** Renewed with each write of a bucket; longer than any fact lives without being renewed. */
const KEEP_MS = 2 * 365 * 86_400_000;

const bucketOf = (idStart: number) => Math.floor(idStart / IDS_PER_BUCKET);

export function createCountTable({ generation }: NamespaceKeys): CountTable {
  return {
    buckets: new Map(),
    generation,
    position: undefined,
    readMs: Number.NEGATIVE_INFINITY,
    seen: undefined,
    comparedMs: Number.NEGATIVE_INFINITY,
  };
}

export const countIn = ({ buckets }: CountTable, idStart: number): RecallCount | undefined =>
  buckets.get(bucketOf(idStart))?.counts.get(idStart);

export function factsIn({ buckets }: CountTable): number {
  let facts = 0;
  for (const { counts } of buckets.values()) facts += counts.size;
  return facts;
}

/** Brings a table up to date with the store. Only a store that is shared has changes by others in it. */
export async function refreshTable({ store, now }: Parts, { main, runs }: CallerKeys, table: CountTable) {
  table.seen ??= await store.position(main.ns);
  const position = await store.position(runs.ns);
  const before = table.position;
  const isNew = before?.epoch !== position.epoch;
  const buckets = isNew ? new Map<number, Bucket>() : table.buckets; // rows may have been deleted in bulk
  if (isNew || (store.sharing && before.seq !== position.seq)) {
    const afterSeq = isNew ? 0 : before.seq;
    const yieldIfDue = createYielder();
    for (const row of await store.scan(runs.ns, { kinds: ['recall-count'], afterSeq, limit: BUCKETS + 1 })) {
      const entry = isLive(row, now()) ? open(runs, row) : undefined;
      // A damaged row counts as empty, and the next write replaces it.
      if (entry) buckets.set(Number(entry.key), { rev: row.rev, counts: parseCounts(entry.value) });
      else setUnreadable(runs, buckets, row);
      await yieldIfDue();
    }
  }
  table.buckets = buckets;
  table.position = position;
  table.readMs = performance.now();
}

function setUnreadable(
  runs: NamespaceKeys,
  buckets: Map<number, Bucket>,
  row: { id: Uint8Array; rev: number },
) {
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    if (bucketRowId(runs, bucket).equals(row.id)) buckets.set(bucket, { rev: row.rev, counts: new Map() });
}

const bucketRowId = (runs: NamespaceKeys, bucket: number) => rowId(runs, 'recall-count', String(bucket));

/** Plans to add counts, and to remove those of facts that are gone. `isHurried`: skip what can be done later. */
export async function planChange(
  parts: Parts,
  { main, runs }: CallerKeys,
  table: CountTable,
  added: ReadonlyMap<number, RecallCount>,
  isHurried: boolean,
): Promise<TableChange> {
  const changed: TableChange['changed'] = new Map();
  /** The counters of a bucket, copied before the first change: the table stays as stored until the write succeeded. */
  const writable = (bucket: number) => {
    const known = changed.get(bucket);
    if (known) return known;
    const copy = new Map(table.buckets.get(bucket)?.counts);
    changed.set(bucket, copy);
    return copy;
  };
  const yieldIfDue = createYielder();
  if (factsIn(table) === 0 && added.size === 0) return { ops: [], changed };
  const { gone, isGone, ...state } = await findGone(parts, main, table, isHurried);
  for (const [idStart, { count, lastMs }] of added) {
    if (isGone(idStart)) continue;
    const counts = writable(bucketOf(idStart));
    counts.set(idStart, plus(counts.get(idStart), count, lastMs));
    await yieldIfDue();
  }
  for (const idStart of gone) {
    if (countIn(table, idStart)) writable(bucketOf(idStart)).delete(idStart);
    await yieldIfDue();
  }
  const ops: Op[] = [];
  for (const [bucket, counts] of changed) {
    ops.push(putBucket(runs, bucket, counts, table.buckets.get(bucket), parts.now()));
    await yieldIfDue();
  }
  return { ops, changed, ...state };
}

/** Takes over a change that was written. */
export function commitChange(table: CountTable, { changed, seen, comparedMs }: TableChange): void {
  for (const [bucket, counts] of changed)
    table.buckets.set(bucket, { rev: (table.buckets.get(bucket)?.rev ?? 0) + 1, counts });
  table.seen = seen ?? table.seen;
  table.comparedMs = comparedMs ?? table.comparedMs;
}

export const plus = (before: RecallCount | undefined, count: number, lastMs: number): RecallCount => ({
  count: (before?.count ?? 0) + count,
  lastMs: Math.max(before?.lastMs ?? 0, lastMs),
});

/** Finds counted facts that are gone the way an image does: by tombstones, or by comparing all ids. */
async function findGone(
  { store, now }: Parts,
  main: NamespaceKeys,
  { seen, comparedMs, buckets }: CountTable,
  isHurried: boolean,
) {
  const position = await store.position(main.ns);
  if (seen?.epoch === position.epoch && (isHurried || now() - comparedMs < COMPARE_EVERY_MS)) {
    const deleted = seen.seq === position.seq ? [] : await store.tombstones(main.ns, seen.seq);
    const gone = new Set(deleted.map(({ id }) => idStartOf(id)));
    return { gone, isGone: (idStart: number) => gone.has(idStart), seen: position };
  }
  const stored = await factIds(store, main.ns);
  const isGone = (idStart: number) => !stored.has(idStart);
  const gone: number[] = [];
  for (const { counts } of buckets.values())
    for (const idStart of counts.keys()) if (isGone(idStart)) gone.push(idStart);
  return { gone, isGone, seen: position, comparedMs: now() };
}

async function factIds(store: Parts['store'], ns: Uint8Array): Promise<Set<number>> {
  const ids = new Set<number>();
  const yieldIfDue = createYielder();
  let page: RowMark[];
  let afterSeq = 0;
  do {
    page = await store.marks(ns, 'fact', afterSeq, PAGE_MARKS);
    for (const { idStart } of page) ids.add(idStart);
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    await yieldIfDue();
  } while (page.length === PAGE_MARKS);
  return ids;
}

function putBucket(
  runs: NamespaceKeys,
  bucket: number,
  counts: ReadonlyMap<number, RecallCount>,
  before: { rev: number } | undefined,
  nowMs: number,
): Op {
  const value = JSON.stringify(
    [...counts].flatMap(([idStart, { count, lastMs }]) => [idStart, count, lastMs]),
  );
  return putOp(
    runs,
    {
      id: bucketRowId(runs, bucket),
      kind: 'recall-count',
      group: null,
      content: { key: String(bucket), value },
      createdMs: nowMs,
      updatedMs: nowMs,
      expiresMs: nowMs + KEEP_MS,
    },
    before,
  );
}

function parseCounts(value: string): Map<number, RecallCount> {
  const numbers = JSON.parse(value) as number[];
  const counts = new Map<number, RecallCount>();
  for (let at = 0; at < numbers.length; at += 3)
    counts.set(numbers[at]!, { count: numbers[at + 1]!, lastMs: numbers[at + 2]! });
  return counts;
}
