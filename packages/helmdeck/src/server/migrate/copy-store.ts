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

const SWEEP_ROWS = 500;
const BATCH_ROWS = 200;
const BATCH_BYTES = 1_048_576;
/** Namespaces copied side by side, so that their commits are shared. */
const AT_ONCE = 64;

export interface CopyOptions {
  now: () => number;
  onProgress?: OnProgress;
}

export interface CopyReport {
  rows: number;
  namespaces: number;
  /** Over every row in the order of namespaces: the same for the same content, whatever the back-end. */
  sha256: string;
  /** `copied`, `resumed` after an interruption, or `unchanged` because the copy was whole already. */
  outcome: 'copied' | 'resumed' | 'unchanged';
}

/**
 * Copies every sealed row of one store into another, and reads all of it back. The copy's canary is put in place last:
 * until then it carries a mark, by which a server refuses it and a later run goes on with it.
 */
export async function copyStore(from: Store, to: Store, options: CopyOptions): Promise<CopyReport> {
  const identity = await identityOf(from);
  const outcome = await claim(from, to, identity);
  if (outcome === 'unchanged') return { ...(await compareAll(from, to, options)), outcome };
  for (;;) if ((await from.sweep(options.now(), SWEEP_ROWS)).length < SWEEP_ROWS) break;
  await dropStrangers(from, to);
  const heads = new Map<string, number>();
  const tally = await eachNamespace(from, options, async (record, onRow) => {
    heads.set(hex(record.ns), (await from.position(record.ns)).seq);
    return copyNamespace(from, to, record, options.now, onRow);
  });
  await assertUnmoved(from, heads);
  const mark = unfinishedBlob(identity);
  const canary = (await from.getNamespace(SYSTEM_NS))!.blob;
  if (!(await to.replaceNamespace((await to.getNamespace(SYSTEM_NS))!, mark, canary)))
    throw notOurs('somebody else changed the destination');
  return { ...tally, outcome };
}

async function identityOf(store: Store): Promise<Buffer> {
  const system = await store.getNamespace(SYSTEM_NS);
  if (system && isUnfinished(system)) {
    throw new AppError('conflict', 'The source is itself the unfinished copy of another database.', {
      reason: 'source_unfinished',
      hint: 'Finish that migration first, or copy from its source.',
    });
  }
  const [row] = await store.scan(SYSTEM_NS, { kinds: ['directory'], limit: 1 });
  if (!system || !row)
    throw new AppError('not_found', 'The source is an empty database.', { hint: 'Check --from.' });
  return databaseIdentity(row.body);
}

/** Marks an empty destination as ours, or recognises the mark of an earlier run. */
async function claim(from: Store, to: Store, identity: Buffer): Promise<CopyReport['outcome']> {
  const mark = unfinishedBlob(identity);
  const isEmpty = (await to.listNamespaces(1)).length === 0;
  const found = isEmpty ? await to.createNamespace(SYSTEM_NS, mark) : await to.getNamespace(SYSTEM_NS);
  if (found && sameBytes(found.blob, mark)) return isEmpty ? 'copied' : 'resumed';
  const canary = (await from.getNamespace(SYSTEM_NS))!.blob;
  if (found && sameBytes(found.blob, canary)) return 'unchanged';
  throw notOurs(
    found && isUnfinished(found) ? 'it is the unfinished copy of another database' : 'it is in use',
  );
}

function notOurs(why: string): AppError {
  return new AppError('conflict', `The destination is not empty: ${why}. Nothing was changed in it.`, {
    reason: 'destination_not_empty',
    hint: 'Name an empty database with --to.',
  });
}

/** An earlier run may have copied callers that were erased at the source since. */
async function dropStrangers(from: Store, to: Store): Promise<void> {
  const strangers: Uint8Array[] = [];
  for await (const { ns } of everyRecord(to)) if (!(await from.getNamespace(ns))) strangers.push(ns);
  for (const ns of strangers) await to.dropNamespace(ns);
}

async function copyNamespace(
  from: Store,
  to: Store,
  record: NamespaceRecord,
  now: () => number,
  onRow: () => void,
): Promise<Comparison> {
  const ref = await prepare(to, record);
  let afterSeq = 0;
  if ((await to.scan(record.ns, { limit: 1 })).length > 0) {
    const before = await compareRows(from, to, record.ns, now, onRow);
    if (before.state === 'complete') return before;
    // The source was used after an earlier run: this namespace begins again.
    if (before.state === 'differs') await clear(to, ref);
    else afterSeq = before.afterSeq;
  }
  for await (const batch of batches(everyRow(from, record.ns, afterSeq))) {
    await to.apply(ref, batch.map(putOf));
    for (const _ of batch) onRow();
  }
  const after = await compareRows(from, to, record.ns, now);
  if (after.state === 'complete') return after;
  throw new AppError('memory_unavailable', 'The copy does not equal its source after it was written.', {
    reason: 'copy_differs',
    hint: 'Make sure that no server uses either database, then run it again.',
  });
}

/** The record of a namespace at the destination, with the source's key in it; the canary keeps its mark. */
async function prepare(to: Store, { ns, blob }: NamespaceRecord): Promise<NamespaceRef> {
  const made = await to.createNamespace(ns, blob);
  if (isSystem(made) || sameBytes(made.blob, blob)) return made;
  // The source's key was rotated after an earlier run.
  if (await to.replaceNamespace(made, made.blob, blob)) return made;
  throw notOurs('somebody else changes the destination');
}

async function clear(to: Store, ref: NamespaceRef): Promise<void> {
  for (;;)
    if ((await to.apply(ref, [{ type: 'deleteWhere', limit: SWEEP_ROWS }])).deleted < SWEEP_ROWS) return;
}

function putOf({ seq: _, ...row }: Row): Op {
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

type Tally = Omit<CopyReport, 'outcome'>;

/** Goes through the source's namespaces, several at a time, and adds up what comes out. */
async function eachNamespace(
  from: Store,
  options: CopyOptions,
  work: (record: NamespaceRecord, onRow: () => void) => Promise<Comparison>,
): Promise<Tally> {
  const total = (await from.usage(options.now())).reduce((sum, { rows }) => sum + rows, 0);
  const digest = createHash('sha256');
  const tally = { rows: 0, namespaces: 0 };
  let done = 0;
  const onRow = () => options.onProgress?.(++done, total);
  for await (const group of groups(everyRecord(from), AT_ONCE)) {
    const results = await Promise.all(group.map((record) => work(record, onRow)));
    for (const [index, { rows, digest: ofRows }] of results.entries()) {
      digest.update(group[index]!.ns).update(ofRows);
      tally.rows += rows;
      tally.namespaces++;
    }
  }
  return { ...tally, sha256: digest.digest('hex') };
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

/** A file has a lock; in a database server nothing keeps others from writing, so at least it is noticed. */
async function assertUnmoved(from: Store, heads: ReadonlyMap<string, number>): Promise<void> {
  let namespaces = 0;
  for await (const { ns } of everyRecord(from)) {
    namespaces++;
    if (heads.get(hex(ns)) === (await from.position(ns)).seq) continue;
    namespaces = Number.NaN;
    break;
  }
  if (namespaces === heads.size) return;
  throw new AppError('conflict', 'The source was written to while it was copied.', {
    reason: 'source_changed',
    hint: 'Stop every server that uses it and run the same command again: it goes on where it is.',
  });
}

/** For a copy that was finished before: equal still, or refused because it lives a life of its own. */
async function compareAll(from: Store, to: Store, options: CopyOptions): Promise<Tally> {
  let strangers = 0;
  for await (const { ns } of everyRecord(to)) if (!(await from.getNamespace(ns))) strangers++;
  const used = () => notOurs('it is a finished copy of this source that has been used since');
  if (strangers > 0) throw used();
  return eachNamespace(from, options, async (record, onRow) => {
    const compared = await compareRows(from, to, record.ns, options.now, onRow);
    if (compared.state !== 'complete') throw used();
    return compared;
  });
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
