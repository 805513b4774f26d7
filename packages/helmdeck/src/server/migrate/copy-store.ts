import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { databaseIdentity } from '../../memory/crypto/directory.ts';
import {
  everyRecord,
  isSystem,
  isUnfinished,
  SYSTEM_NS,
  unfinishedBlob,
} from '../../memory/crypto/namespace-record.ts';
import { everyRow } from '../../memory/every-row.ts';
import type { NamespaceRecord, NamespaceRef, Op, Row, Store } from '../../memory/store.ts';
import type { OnProgress } from '../../surfaces/cli/deps.ts';
import { type Comparison, compareRows, sameBytes } from './compare-rows.ts';

// Copies all rows of one store to another, for `helmdeck migrate`. An interrupted copy can be resumed.

const DELETE_BATCH_ROWS = 500;
const BATCH_ROWS = 200;
const BATCH_BYTES = 1_048_576;
/** Namespaces are copied concurrently, so that they share commits. */
const CONCURRENT_NAMESPACES = 64;

export interface CopyOptions {
  now: () => number;
  onProgress?: OnProgress;
}

export interface CopyReport {
  rows: number;
  namespaces: number;
  /** Over all rows, in the order of their namespaces: equal for equal content, independent of the back-end. */
  sha256: string;
  /** `resumed` after an interruption; `unchanged` if the copy was already complete. */
  outcome: 'copied' | 'resumed' | 'unchanged';
}

/**
 * Copies every sealed row of one store to another, and reads the copy back to compare it. The canary is written last:
 * until then a marker takes its place, which makes servers refuse the copy and lets a later run resume it.
 */
export async function copyStore(from: Store, to: Store, options: CopyOptions): Promise<CopyReport> {
  const identity = await identityOf(from);
  const outcome = await claimDestination(from, to, identity);
  if (outcome === 'unchanged') return { ...(await compareFinishedCopy(from, to, options)), outcome };
  for (;;) if ((await from.sweep(options.now(), DELETE_BATCH_ROWS)).length < DELETE_BATCH_ROWS) break;
  await dropErasedNamespaces(from, to);
  const positions = new Map<string, number>();
  const totals = await forEachNamespace(from, options, async (record, onRow) => {
    positions.set(hex(record.ns), (await from.position(record.ns)).seq);
    return copyNamespace(from, to, record, options.now, onRow);
  });
  await assertSourceUnchanged(from, positions);
  const marker = unfinishedBlob(identity);
  const canary = (await from.getNamespace(SYSTEM_NS))!.blob;
  if (!(await to.replaceNamespace((await to.getNamespace(SYSTEM_NS))!, marker, canary)))
    throw destinationInUse('another process changed it');
  return { ...totals, outcome };
}

/** The identity of the source; throws if there is nothing to copy. */
async function identityOf(store: Store): Promise<Buffer> {
  const system = await store.getNamespace(SYSTEM_NS);
  if (system && isUnfinished(system)) {
    throw new AppError('conflict', 'The source is itself an unfinished copy of another database.', {
      reason: 'source_unfinished',
      hint: 'Finish that migration first, or copy from its source.',
    });
  }
  const [row] = await store.scan(SYSTEM_NS, { kinds: ['directory'], limit: 1 });
  if (!system || !row)
    throw new AppError('not_found', 'The source is an empty database.', { hint: 'Check --from.' });
  return databaseIdentity(row.body);
}

/** Writes the marker of this source to an empty destination, or recognises the marker or the copy of an earlier run. */
async function claimDestination(from: Store, to: Store, identity: Buffer): Promise<CopyReport['outcome']> {
  const marker = unfinishedBlob(identity);
  const isEmpty = (await to.listNamespaces(1)).length === 0;
  const found = isEmpty ? await to.createNamespace(SYSTEM_NS, marker) : await to.getNamespace(SYSTEM_NS);
  if (found && sameBytes(found.blob, marker)) return isEmpty ? 'copied' : 'resumed';
  const canary = (await from.getNamespace(SYSTEM_NS))!.blob;
  if (found && sameBytes(found.blob, canary)) return 'unchanged';
  throw destinationInUse(
    found && isUnfinished(found) ? 'it is an unfinished copy of another database' : 'it is in use',
  );
}

function destinationInUse(why: string): AppError {
  return new AppError('conflict', `The destination is not empty: ${why}. Nothing was changed in it.`, {
    reason: 'destination_not_empty',
    hint: 'Pass an empty database with --to.',
  });
}

/** Drops namespaces that an earlier run copied and that were erased at the source since. */
async function dropErasedNamespaces(from: Store, to: Store): Promise<void> {
  const erased: Uint8Array[] = [];
  for await (const { ns } of everyRecord(to)) if (!(await from.getNamespace(ns))) erased.push(ns);
  for (const ns of erased) await to.dropNamespace(ns);
}

async function copyNamespace(
  from: Store,
  to: Store,
  record: NamespaceRecord,
  now: () => number,
  onRow: () => void,
): Promise<Comparison> {
  const ref = await createOrUpdateNamespace(to, record);
  let afterSeq = 0;
  if ((await to.scan(record.ns, { limit: 1 })).length > 0) {
    const before = await compareRows(from, to, record.ns, now, onRow);
    if (before.state === 'complete') return before;
    // The source was used after an earlier run: copy this namespace from scratch.
    if (before.state === 'differs') await deleteRows(to, ref);
    else afterSeq = before.afterSeq;
  }
  for await (const batch of batches(everyRow(from, record.ns, afterSeq))) {
    await to.apply(ref, batch.map(toPut));
    for (const _ of batch) onRow();
  }
  const after = await compareRows(from, to, record.ns, now);
  if (after.state === 'complete') return after;
  throw new AppError('memory_unavailable', 'The copy differs from its source after it was written.', {
    reason: 'copy_differs',
    hint: 'Make sure that no server uses either database, then run the command again.',
  });
}

/** Creates the namespace at the destination with the wrapped key of the source; the system namespace keeps its marker. */
async function createOrUpdateNamespace(to: Store, { ns, blob }: NamespaceRecord): Promise<NamespaceRef> {
  const record = await to.createNamespace(ns, blob);
  if (isSystem(record) || sameBytes(record.blob, blob)) return record;
  // The key of the source was rotated after an earlier run.
  if (await to.replaceNamespace(record, record.blob, blob)) return record;
  throw destinationInUse('another process is changing it');
}

async function deleteRows(to: Store, ref: NamespaceRef): Promise<void> {
  for (;;)
    if (
      (await to.apply(ref, [{ type: 'deleteWhere', limit: DELETE_BATCH_ROWS }])).deleted < DELETE_BATCH_ROWS
    )
      return;
}

function toPut({ seq: _, ...row }: Row): Op {
  return { type: 'put', row };
}

async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += row.body.length;
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

type Totals = Omit<CopyReport, 'outcome'>;

/** Runs `work` for every namespace of the source, several concurrently, and sums up the results. */
async function forEachNamespace(
  from: Store,
  options: CopyOptions,
  work: (record: NamespaceRecord, onRow: () => void) => Promise<Comparison>,
): Promise<Totals> {
  const total = (await from.usage(options.now())).reduce((sum, { rows }) => sum + rows, 0);
  const digest = createHash('sha256');
  const totals = { rows: 0, namespaces: 0 };
  let done = 0;
  const onRow = () => options.onProgress?.(++done, total);
  for await (const group of groups(everyRecord(from), CONCURRENT_NAMESPACES)) {
    const results = await Promise.all(group.map((record) => work(record, onRow)));
    for (const [index, { rows, digest: ofRows }] of results.entries()) {
      digest.update(group[index]!.ns).update(ofRows);
      totals.rows += rows;
      totals.namespaces++;
    }
  }
  return { ...totals, sha256: digest.digest('hex') };
}

async function* groups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** A file is locked against other writers; a database server is not, so writes during the copy are at least detected. */
async function assertSourceUnchanged(from: Store, positions: ReadonlyMap<string, number>): Promise<void> {
  const sourceChanged = () =>
    new AppError('conflict', 'The source was written to during the copy.', {
      reason: 'source_changed',
      hint: 'Stop every server that uses it and run the same command again: it continues where it stopped.',
    });
  let namespaces = 0;
  for await (const { ns } of everyRecord(from)) {
    namespaces++;
    if (positions.get(hex(ns)) !== (await from.position(ns)).seq) throw sourceChanged();
  }
  if (namespaces !== positions.size) throw sourceChanged();
}

/** Compares a copy that an earlier run finished; throws if it has been used since. */
async function compareFinishedCopy(from: Store, to: Store, options: CopyOptions): Promise<Totals> {
  let extra = 0;
  for await (const { ns } of everyRecord(to)) if (!(await from.getNamespace(ns))) extra++;
  const used = () => destinationInUse('it is a finished copy of this source that has been used since');
  if (extra > 0) throw used();
  return forEachNamespace(from, options, async (record, onRow) => {
    const compared = await compareRows(from, to, record.ns, options.now, onRow);
    if (compared.state !== 'complete') throw used();
    return compared;
  });
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
