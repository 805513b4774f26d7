import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { groupId, type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { type Entry, type EntryContent, isLive, type Source } from '../entry.ts';
import type { Reservation } from '../limits.ts';
import { type Memory, type Plan, putOp, readEntry, transact } from '../memory.ts';
import type { Op } from '../store.ts';
import { disagreementOps } from './disagreement-rows.ts';
import { FACT_POLICY, type FactPatch, patchedTags, type ValidFact } from './validate-fact.ts';

/** How two facts contradict each other, seen from the first. */
export interface Contradiction {
  kind: string;
  mine: string;
  theirs: string;
}

/** The response to a store request, the same on every surface. */
export interface StoreAnswer {
  key: string;
  category: string;
  expires_at: string;
  created: boolean;
  version: number;
  updated_at: string;
  /** Facts under other keys with nearly the same text. */
  similar?: { key: string; score: number }[];
  /** Facts under other keys that contradict this one. */
  conflicts?: ({ key: string } & Contradiction)[];
  /** The text was recalled or forgotten recently. */
  echo?: true;
}

export type Advice = Pick<StoreAnswer, 'similar' | 'conflicts' | 'echo'>;

/** Gives advice on a fact before it is stored. Injected, because it needs search, which is built on this layer. */
export interface Adviser {
  /** `undefined` if the caller stores too fast for advice. */
  advise(memory: Memory, fact: Pick<ValidFact, 'key' | 'value' | 'tags'>): Promise<Advice> | undefined;
  /** Whether two facts contradict each other. */
  compare(first: ComparedFact, second: ComparedFact): Contradiction | undefined;
  /** Called when the store operation finishes, whether it succeeded or failed. */
  release(ns: Uint8Array): void;
}

type ComparedFact = Pick<ValidFact, 'key' | 'value'> & { tags: string[] };

export interface RememberOptions {
  source: Source;
  /** A repeated request within 24 hours gets the response of the first one. */
  idempotencyKey?: string;
  /** Set by import, which keeps the original times. */
  times?: { createdMs: number; expiresMs: number; confirmedMs?: number };
  adviser?: Adviser;
}

const IDEMPOTENCY_MS = 86_400_000;

/** Stores a fact that passed `validateFact`: new value, old value as a version, and idempotency record in one batch. */
export async function rememberFact(
  memory: Memory,
  fact: ValidFact,
  options: RememberOptions,
): Promise<StoreAnswer & { replayed?: true }> {
  const keys = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keys();
  memory.limits.takeWrites(ns, 1);
  // Failed advice must not fail the store.
  const advice = await options.adviser?.advise(memory, fact)?.catch(() => undefined);
  const reservation = memory.limits.reserve(ns);
  const plan = (current: NamespaceKeys) => planStore(memory, current, fact, options, reservation, advice);
  const answer = await transact(memory, keys, queueName(ns, fact.key), plan).finally(() => {
    reservation.release();
    options.adviser?.release(ns);
  });
  if (!answer.replayed) {
    memory.changes.emit(ns, {
      type: 'store',
      kind: 'fact',
      key: fact.key,
      version: answer.version,
      atMs: memory.now(),
    });
  }
  return answer;
}

async function planStore(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  options: RememberOptions,
  reservation: Reservation,
  advice: Advice | undefined,
): Promise<Plan<StoreAnswer & { replayed?: true }>> {
  const { idempotencyKey } = options;
  const repeat =
    idempotencyKey === undefined ? undefined : await readIdempotency(memory, keys, fact, idempotencyKey);
  if (repeat?.answer) return { ops: [], result: { ...repeat.answer, replayed: true } };

  const nowMs = memory.now();
  const id = rowId(keys, 'fact', fact.key);
  const row = await memory.store.get(keys.ns, id);
  const before = row && isLive(row, nowMs) ? open(keys, row) : undefined;
  assertVersion(fact.ifVersion, before?.version ?? 0);

  const version = (before?.version ?? 0) + 1;
  const category = fact.category ?? before?.category ?? FACT_POLICY.defaultCategory;
  const ttlSeconds = fact.ttlSeconds ?? (before ? ttlSecondsOf(before) : FACT_POLICY.defaultTtlSeconds);
  const expiresMs = options.times?.expiresMs ?? expiryMs(nowMs, ttlSeconds);
  const reviewAfterSeconds = fact.reviewAfterSeconds ?? before?.reviewAfterSeconds;
  const answer: StoreAnswer = {
    key: fact.key,
    category,
    expires_at: isoSeconds(expiresMs),
    created: before === undefined,
    version,
    updated_at: isoMs(nowMs),
  };
  const put = putOp(
    keys,
    {
      id,
      kind: 'fact',
      group: groupId(keys, 'category', category),
      content: {
        key: fact.key,
        value: fact.value,
        category,
        tags: fact.tags ?? before?.tags ?? [],
        source: options.source,
        version,
        valueAtMs: nowMs,
        ...(options.times ? importedContent(options.times) : {}),
        ...(reviewAfterSeconds ? { reviewAfterSeconds } : {}),
      },
      createdMs: before?.createdMs ?? options.times?.createdMs ?? nowMs,
      updatedMs: nowMs,
      expiresMs,
    },
    row,
  );
  const ops: Op[] = before ? versionOps(keys, before) : row ? [{ type: 'deleteWhere', group: id }] : [];
  ops.push(put);
  if (advice) {
    const { key, value } = fact;
    const compared = { key, value, tags: fact.tags ?? before?.tags ?? [] };
    const contradicts = (other: Entry) =>
      options.adviser?.compare(compared, { ...other, tags: other.tags ?? [] }) !== undefined;
    const stored = { id, isNew: before === undefined, contradicts };
    ops.push(...(await disagreementOps(memory, keys, stored, advice.conflicts ?? [])));
  }
  if (repeat) ops.push(repeat.record(answer));
  await reservation.hold(before ? 0 : 1, addedBytes(ops));
  // Advice quotes other facts, which may be forgotten later, so the idempotency record is without it.
  return { ops, result: { ...answer, ...advice } };
}

/** An import does not confirm: without a confirmation of its own a fact counts from when it was first stored. */
function importedContent(times: NonNullable<RememberOptions['times']>): Partial<EntryContent> {
  return { ttlSeconds: lengthOf(times), confirmedAtMs: times.confirmedMs ?? times.createdMs };
}

/** Changes expiry, category or tags of a fact. */
export function patchFact(
  memory: Memory,
  key: string,
  patch: FactPatch,
  ifVersion?: number,
): Promise<Rewritten> {
  return rewriteFact(memory, key, ifVersion, (before, nowMs) => ({
    content: {
      category: patch.category ?? before.category ?? FACT_POLICY.defaultCategory,
      tags: patchedTags(before.tags ?? [], patch),
      // After a restored expiry it is derived from that: see `ttlSecondsOf`.
      ttlSeconds: patch.expiresMs === undefined ? (patch.ttlSeconds ?? before.ttlSeconds) : undefined,
    },
    updatedMs: nowMs,
    expiresMs: patchedExpiryMs(patch, before.expiresMs, nowMs),
  }));
}

function patchedExpiryMs({ ttlSeconds, expiresMs }: FactPatch, oldExpiryMs: number | null, nowMs: number) {
  if (expiresMs !== undefined) return wholeSeconds(expiresMs);
  return ttlSeconds === undefined ? oldExpiryMs : expiryMs(nowMs, ttlSeconds);
}

/** The fields of a fact that change while its value stays. */
interface Rewrite {
  content: Partial<EntryContent>;
  updatedMs: number;
  expiresMs: number | null;
}

/** A fact before and after it was written again. */
interface Rewritten {
  before: Entry;
  entry: Entry;
}

/** Writes a fact again with other fields. The value stays, so there is no new version. */
export async function rewriteFact(
  memory: Memory,
  key: string,
  ifVersion: number | undefined,
  change: (before: Entry, nowMs: number) => Rewrite,
): Promise<Rewritten> {
  const keys = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keys();
  memory.limits.takeWrites(ns, 1);
  const rewritten = await transact(memory, keys, queueName(ns, key), async (current) => {
    const before = await readEntry(memory, current, rowId(current, 'fact', key));
    if (!before) throw new AppError('not_found', 'There is no such fact.');
    assertVersion(ifVersion, before.version ?? 0);
    const { content: changed, updatedMs, expiresMs } = change(before, memory.now());
    const { id, kind, rev, seq, createdMs, updatedMs: _, expiresMs: __, ...old } = before;
    const content = { ...old, ...changed };
    const group = groupId(current, 'category', content.category ?? FACT_POLICY.defaultCategory);
    const header = { id, kind, group, createdMs, updatedMs, expiresMs };
    const entry: Entry = { ...content, ...header, rev: rev + 1, seq };
    return { ops: [putOp(current, { ...header, content }, before)], result: { before, entry } };
  });
  memory.changes.emit(ns, {
    type: 'store',
    kind: 'fact',
    key,
    version: rewritten.entry.version,
    atMs: memory.now(),
  });
  return rewritten;
}

/** The TTL that a fact was stored or renewed with, to be counted again from now. */
export function ttlSecondsOf({ ttlSeconds, valueAtMs, updatedMs, expiresMs }: Entry): number {
  return ttlSeconds ?? lengthOf({ createdMs: valueAtMs ?? updatedMs, expiresMs: expiresMs ?? 0 });
}

/** A lifetime as a TTL within the policy: an import may bring one that is shorter or longer. */
function lengthOf({ createdMs, expiresMs }: { createdMs: number; expiresMs: number }): number {
  const seconds = (expiresMs - wholeSeconds(createdMs)) / 1000;
  return Math.min(FACT_POLICY.maxTtlSeconds, Math.max(FACT_POLICY.minTtlSeconds, seconds));
}

/** The id of the row that holds an older version of a fact. */
export function versionRowId(keys: NamespaceKeys, key: string, version: number): Buffer {
  return rowId(keys, 'version', `${version}:${key}`);
}

/** Copies the current value to a version row and deletes the oldest one: at most 20 versions with the current one. */
function versionOps(keys: NamespaceKeys, before: Entry): Op[] {
  const version = before.version ?? 1;
  const { key, value, category, tags, source, valueAtMs, confirmedAtMs, confirmedBy } = before;
  const atMs = valueAtMs ?? before.updatedMs;
  const put = putOp(
    keys,
    {
      id: versionRowId(keys, key, version),
      kind: 'version',
      group: before.id,
      content: { key, value, category, tags, source, version, valueAtMs: atMs, confirmedAtMs, confirmedBy },
      createdMs: atMs,
      updatedMs: atMs,
      expiresMs: null,
    },
    undefined,
  );
  const oldest = version + 1 - FACT_POLICY.maxVersions;
  return oldest < 1 ? [put] : [put, { type: 'delete', id: versionRowId(keys, key, oldest) }];
}

async function readIdempotency(memory: Memory, keys: NamespaceKeys, fact: ValidFact, idempotencyKey: string) {
  const hash = createHash('sha256').update(JSON.stringify(fact)).digest('base64');
  const id = rowId(keys, 'idempotency', idempotencyKey);
  const row = await memory.store.get(keys.ns, id);
  const known = row && isLive(row, memory.now()) ? open(keys, row) : undefined;
  if (known) {
    const first = JSON.parse(known.value) as { hash: string; answer: StoreAnswer };
    if (first.hash !== hash) {
      throw new AppError('conflict', 'This Idempotency-Key was used with another body.', {
        reason: 'idempotency_key_reused',
        hint: 'Use a new Idempotency-Key for a new request.',
      });
    }
    return { answer: first.answer };
  }
  const record = (answer: StoreAnswer): Op => {
    const nowMs = memory.now();
    const content = { key: idempotencyKey, value: JSON.stringify({ hash, answer }) };
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + IDEMPOTENCY_MS };
    return putOp(keys, { id, kind: 'idempotency', group: null, content, ...times }, row);
  };
  return { record };
}

function assertVersion(wanted: number | undefined, current: number): void {
  if (wanted === undefined || wanted === current) return;
  throw new AppError(
    'precondition_failed',
    current === 0 ? 'There is no such fact yet.' : `The fact is at version ${current}, not ${wanted}.`,
  );
}

const addedBytes = (ops: readonly Op[]) =>
  ops.reduce((sum, op) => sum + (op.type === 'put' ? op.row.body.length : 0), 0);
const queueName = (ns: Uint8Array, key: string) => `${namespaceMapKey(ns)} ${key}`;
export const expiryMs = (nowMs: number, ttlSeconds: number) => wholeSeconds(nowMs) + ttlSeconds * 1000;
const wholeSeconds = (ms: number) => Math.floor(ms / 1000) * 1000;

/** RFC 3339 in UTC with whole seconds, the precision of expiry. */
export const isoSeconds = memoized((ms) => `${upToSeconds(ms)}Z`);
export const isoMs = memoized(
  (ms) => `${upToSeconds(ms)}.${String(modulo(Math.trunc(ms), 1000)).padStart(3, '0')}Z`,
);

/** Caches the last result: stores that arrive together format the same times. */
function memoized(format: (ms: number) => string): (ms: number) => string {
  let lastMs = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== lastMs) {
      text = format(ms);
      lastMs = ms;
    }
    return text;
  };
}

const DAY_MS = 86_400_000;
const MAX_CACHED_DAYS = 4_096;
const days = new Map<number, string>();
const modulo = (number: number, by: number) => ((number % by) + by) % by;

/** `2026-01-31T12:00:00`. The days are cached: `Date.toISOString` would take longer than viewing the rest of a fact. */
function upToSeconds(ms: number): string {
  const day = Math.floor(Math.trunc(ms) / DAY_MS);
  const seconds = Math.floor(modulo(Math.trunc(ms), DAY_MS) / 1000);
  return `${dayText(day)}${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}

const twoDigits = (number: number) => (number < 10 ? `0${Math.floor(number)}` : `${Math.floor(number)}`);

function dayText(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const [text] = new Date(day * DAY_MS).toISOString().split('T');
  if (days.size >= MAX_CACHED_DAYS) days.clear();
  days.set(day, `${text}T`);
  return `${text}T`;
}
