import { AppError } from '../../errors.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive } from '../entry.ts';
import { type Memory, putOp, transact } from '../memory.ts';
import type { Op, Row } from '../store.ts';

/**
 * What is kept about two facts that contradict each other. They are named by row ids, so nothing of a forgotten fact
 * survives here. The row is a child of the fact that was stored last, so it is deleted with it.
 */
interface DisagreementRecord {
  /** The row id of the other fact, in base64url. */
  other: string;
  /** The versions of both facts when a person said that they do not contradict each other. */
  settled?: [newer: number, other: number];
}

/** The two facts of a disagreement as they are now. */
interface FactPair {
  id: string;
  /** The fact that was stored last, when the contradiction was found. */
  newer: Entry;
  other: Entry;
  foundMs: number;
  isSettled: boolean;
}

const PAGE_ROWS = 100;
const MAX_ROWS_READ = 1_000;

/**
 * Adds the disagreements that advice has just found for a fact that is being stored, and deletes those of its earlier
 * value that ended. One that advice did not find again is compared: it looks only at the most similar facts.
 */
export async function disagreementOps(
  memory: Memory,
  keys: NamespaceKeys,
  fact: { id: Buffer; isNew: boolean; contradicts: (other: Entry) => boolean },
  conflicts: readonly { key: string }[],
): Promise<Op[]> {
  const group = fact.id;
  const where = { kinds: ['disagreement'], group, limit: PAGE_ROWS } as const;
  const before = fact.isNew ? [] : await memory.store.scan(keys.ns, where);
  const current = conflicts.map(({ key }) => {
    const other = rowId(keys, 'fact', key);
    return { other, id: pairRowId(keys, fact.id, other) };
  });
  const ops: Op[] = [];
  for (const row of before) {
    if (current.some(({ id }) => id.equals(row.id))) continue;
    const other = (await readPair(memory, keys, row))?.other;
    if (!other || !fact.contradicts(other)) ops.push({ type: 'delete', id: row.id, ifRev: row.rev });
  }
  for (const { id, other } of current) {
    // A pair has one row, whichever of its facts was stored last.
    if (await memory.store.get(keys.ns, id)) continue;
    const nowMs = memory.now();
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: null };
    const content = contentOf(id, { other: other.toString('base64url') });
    ops.push(putOp(keys, { id, kind: 'disagreement', group, content, ...times }, undefined));
  }
  return ops;
}

/** Pairs of live facts that disagreed when one of them was stored, newest first. */
export async function* walkFactPairs(memory: Memory): AsyncGenerator<FactPair> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return;
  const yieldIfDue = createYielder();
  const scan = { kinds: ['disagreement'], newestFirst: true, limit: PAGE_ROWS } as const;
  let beforeSeq: number | undefined;
  for (let read = 0; read < MAX_ROWS_READ; read += PAGE_ROWS) {
    const page = await memory.store.scan(keys.ns, { ...scan, beforeSeq });
    for (const row of page) {
      const pair = await readPair(memory, keys, row);
      if (pair) yield pair;
      await yieldIfDue();
    }
    if (page.length < PAGE_ROWS) return;
    beforeSeq = page.at(-1)!.seq;
  }
}

/** Records that the two facts, as they are now, do not contradict each other. A new version of either is compared again. */
export async function settleDisagreement(memory: Memory, id: string): Promise<void> {
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  memory.limits.takeWrites(ns, 1);
  await transact(memory, keysOf, `${namespaceMapKey(ns)} disagreement ${id}`, async (keys) => {
    const row = await memory.store.get(keys.ns, Buffer.from(id, 'base64url'));
    const pair = row?.kind === 'disagreement' ? await readPair(memory, keys, row) : undefined;
    if (!row || !pair) throw new AppError('not_found', 'There is no such disagreement any more.');
    const { newer, other } = pair;
    const record: DisagreementRecord = {
      other: other.id.toString('base64url'),
      settled: [newer.version ?? 1, other.version ?? 1],
    };
    const entry = {
      id: Buffer.from(row.id),
      kind: 'disagreement' as const,
      group: newer.id,
      content: contentOf(row.id, record),
      createdMs: row.createdMs,
      updatedMs: memory.now(),
      expiresMs: null,
    };
    return { ops: [putOp(keys, entry, row)], result: undefined };
  });
}

/** The pair of a row; none if one of its facts is gone. */
async function readPair(memory: Memory, keys: NamespaceKeys, row: Row): Promise<FactPair | undefined> {
  const content = open(keys, row);
  if (!content || !row.group) return undefined;
  const record = JSON.parse(content.value) as DisagreementRecord;
  const newer = await liveFact(memory, keys, row.group);
  const other = await liveFact(memory, keys, Buffer.from(record.other, 'base64url'));
  if (!newer || !other) return undefined;
  const [newerSettled, otherSettled] = record.settled ?? [];
  // A fact that was forgotten and stored again begins with version 1 again, so its time counts as well.
  const isSettled =
    newerSettled === (newer.version ?? 1) &&
    otherSettled === (other.version ?? 1) &&
    Math.max(valueMs(newer), valueMs(other)) <= row.updatedMs;
  return { id: content.key, newer, other, foundMs: row.createdMs, isSettled };
}

const valueMs = ({ valueAtMs, createdMs }: Entry) => valueAtMs ?? createdMs;

async function liveFact(memory: Memory, keys: NamespaceKeys, id: Uint8Array): Promise<Entry | undefined> {
  const row = await memory.store.get(keys.ns, id);
  return row && isLive(row, memory.now()) ? open(keys, row) : undefined;
}

function contentOf(id: Uint8Array, record: DisagreementRecord) {
  return { key: Buffer.from(id).toString('base64url'), value: JSON.stringify(record) };
}

/** The same for both orders of the two facts. */
function pairRowId(keys: NamespaceKeys, a: Buffer, b: Buffer): Buffer {
  const pair = [a, b].sort(Buffer.compare).map((id) => id.toString('base64url'));
  return rowId(keys, 'disagreement', pair.join(' '));
}
