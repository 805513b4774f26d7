import { AppError } from '../../errors.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { groupId, type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { type Entry, type EntryContent, isLive, type Promotion, type Source } from '../entry.ts';
import { isDeclined } from '../gate/declined.ts';
import { type Decision, decide, screenedText } from '../gate/gate.ts';
import { planProposal } from '../gate/proposal-rows.ts';
import { type ScreenFinding, screenTextInSteps } from '../gate/screen/screen.ts';
import { highest, isLower, lowest, type Trust, trustOf, trustOfSource } from '../gate/trust.ts';
import { readIdempotency } from '../idempotency.ts';
import type { Reservation } from '../limits.ts';
import { type Memory, type Plan, putOp, readEntry, transact } from '../memory.ts';
import { stampOf } from '../spaces/space-memory.ts';
import type { Op, Row } from '../store.ts';
import { expiryMs, isoMs, isoSeconds, wholeSeconds } from '../times.ts';
import { disagreementOps } from './disagreement-rows.ts';
import {
  type Advice,
  type Adviser,
  adviceWithout,
  announceWrite,
  type ProposedAnswer,
  type StoreAnswer,
  type WriteAnswer,
} from './store-answer.ts';
import { FACT_POLICY, type ValidFact } from './validate-fact.ts';
import { joinHistories } from './versions/join-histories.ts';
import { versionOps } from './versions/version-rows.ts';

export interface RememberOptions {
  source: Source;
  /** The most that this write is trusted, if that is less than its source: a step of a pipeline, an import. */
  trust?: Trust;
  /** The token may only propose. */
  proposeOnly?: boolean;
  /** A repeated request within 24 hours gets the response of the first one. */
  idempotencyKey?: string;
  /** Set by import, which keeps the original times. */
  times?: { createdMs: number; expiresMs: number; confirmedMs?: number };
  adviser?: Adviser;
  /** Set by a promotion into a space. */
  promotedFrom?: Promotion;
}

/** A write after the gate has stamped it. */
interface StampedWrite extends RememberOptions {
  trust: Trust;
  finding: ScreenFinding | undefined;
}

/**
 * The one way in for facts that passed `validateFact`. The gate decides whether the text becomes a fact at once, waits in
 * the inbox, or was declined before. Fact or proposal, previous version and idempotency record are one batch.
 */
export async function rememberFact(
  memory: Memory,
  fact: ValidFact,
  options: RememberOptions,
): Promise<WriteAnswer & { replayed?: true }> {
  const keys = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keys();
  const { replaces = [] } = fact;
  memory.limits.takeWrites(ns, 1 + replaces.length);
  // Failed advice must not fail the store.
  const found = await options.adviser?.advise(memory, fact)?.catch(() => undefined);
  const advice = found && adviceWithout(found, replaces);
  if (replaces.length > 0) await memory.recallCounts.read(memory.caller);
  const reservation = memory.limits.reserve(ns);
  const write: StampedWrite = {
    ...options,
    source: stampOf(memory, options.source),
    idempotencyKey: ownIdempotencyKey(memory, options.idempotencyKey),
    trust: lowest(trustOfSource(options.source), options.trust, fact.trust),
    finding: memory.gate.mode === 'open' ? undefined : await screenTextInSteps(screenedText(fact)),
  };
  const plan = (current: NamespaceKeys) => planWrite(memory, current, fact, write, reservation, advice);
  const answer = await transact(memory, keys, queueName(ns, fact.key), plan).finally(() => {
    reservation.release();
    options.adviser?.release(ns);
  });
  if (!answer.replayed) await announceWrite(memory, ns, fact.key, answer);
  return answer;
}

/** Two people in a space may choose the same key. */
const ownIdempotencyKey = ({ seat }: Memory, key: string | undefined) =>
  key === undefined || !seat ? key : `${seat.by} ${key}`;

async function planWrite(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  write: StampedWrite,
  reservation: Reservation,
  advice: Advice | undefined,
): Promise<Plan<WriteAnswer & { replayed?: true }>> {
  const { idempotencyKey } = write;
  const repeat =
    idempotencyKey === undefined
      ? undefined
      : await readIdempotency<StoreAnswer | ProposedAnswer>(memory, keys, fact, idempotencyKey);
  if (repeat?.answer) return { ops: [], result: { ...repeat.answer, replayed: true } };
  const current = await currentFact(memory, keys, fact);
  const { before } = current;
  assertVersion(fact.ifVersion, before?.version ?? 0);

  const decision = await decideWrite(memory, keys, fact, write, current);
  if (decision.status === 'declined') return { ops: [], result: { status: 'declined' } };
  const planned =
    decision.status === 'active'
      ? await planStore(memory, keys, fact, keepHigherTrust(write, fact, before), current, advice)
      : await proposalAnswer(memory, keys, { ...fact, replaces: keysOf(current.replaced) }, write, decision);
  const { answer, ops, addedFacts } = planned;
  if (repeat) ops.push(repeat.record(answer));
  await reservation.hold(addedFacts, addedBytes(ops));
  // Advice quotes other facts, which may be forgotten later, so the idempotency record is without it.
  return { ops, result: decision.status === 'active' ? { ...answer, ...advice } : answer };
}

async function decideWrite(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  { trust, proposeOnly = false, finding }: StampedWrite,
  { before, replaced }: CurrentFact,
): Promise<Decision | { status: 'declined' }> {
  const { mode } = memory.gate;
  const isSameText =
    before?.value === fact.value &&
    (fact.tags ?? []).every((tag) => before.tags?.includes(tag)) &&
    (!fact.project || fact.project === before.project);
  const isSameCategory = fact.category === undefined || fact.category === before?.category;
  // The same value under another key may mean something else, so a fact that is replaced away is always lost.
  const lost = before && !isSameText ? [before, ...replaced] : replaced;
  const current =
    lost.length > 0
      ? { trust: highest(lost.map(trustOf)), isSameText: false }
      : before && { trust: trustOf(before), isSameText };
  const write = {
    trust,
    asked: fact.propose ?? false,
    proposeOnly,
    isProposer: memory.seat?.role === 'proposer',
    // A text that a person let in is not quarantined again when it is repeated.
    finding: isSameText && isSameCategory ? undefined : finding,
  };
  const decision = decide(mode, write, current);
  // What a person says themselves counts, even if they declined it before.
  const mayBeDeclined = decision.status !== 'active' || (trust !== 'direct_user' && mode !== 'open');
  if (mayBeDeclined && !isSameText && (await isDeclined(memory, keys, fact))) return { status: 'declined' };
  return decision;
}

/** To repeat the value of a fact does not make it less trusted. */
function keepHigherTrust(write: StampedWrite, fact: ValidFact, before: Entry | undefined): StampedWrite {
  const repeats = before?.value === fact.value && isLower(write.trust, trustOf(before));
  return repeats ? { ...write, trust: trustOf(before) } : write;
}

async function proposalAnswer(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  { source, trust, promotedFrom }: StampedWrite,
  decision: Exclude<Decision, { status: 'active' }>,
) {
  const { id, expiresMs, ops, isNew } = await planProposal(memory, keys, {
    fact,
    source,
    trust,
    promotedFrom,
    decision,
  });
  const answer: ProposedAnswer = {
    ...decision,
    key: fact.key,
    proposal_id: id,
    ...(ops.length === 0 ? { folded: true as const } : {}),
    expires_at: isoSeconds(expiresMs),
  };
  return { answer, ops, addedFacts: isNew ? 1 : 0 };
}

interface CurrentFact {
  /** The row, which may have expired. */
  row: Row | undefined;
  before: Entry | undefined;
  /** The facts that the write replaces; a key that has none is left out, so that a repeated request is no error. */
  replaced: Entry[];
}

export async function currentFact(
  memory: Memory,
  keys: NamespaceKeys,
  { key, replaces = [] }: Pick<ValidFact, 'key' | 'replaces'>,
): Promise<CurrentFact> {
  const row = await memory.store.get(keys.ns, rowId(keys, 'fact', key));
  const replaced = [];
  for (const other of replaces) {
    const entry = await readEntry(memory, keys, rowId(keys, 'fact', other));
    if (entry) replaced.push(entry);
  }
  return { row, before: row && isLive(row, memory.now()) ? open(keys, row) : undefined, replaced };
}

const keysOf = (facts: readonly Entry[]) => (facts.length > 0 ? facts.map(({ key }) => key) : undefined);

/** Plans the new value of a fact, and its previous one and those of the facts that it replaces as versions. The gate has decided before. */
export async function planStore(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  {
    source,
    trust,
    times,
    adviser,
    promotedFrom,
  }: Pick<StampedWrite, 'source' | 'trust' | 'times' | 'adviser' | 'promotedFrom'>,
  { row, before, replaced }: CurrentFact,
  advice?: Advice,
): Promise<{ answer: StoreAnswer; ops: Op[]; addedFacts: number }> {
  const nowMs = memory.now();
  const id = rowId(keys, 'fact', fact.key);
  const joined =
    replaced.length > 0
      ? await joinHistories(memory, keys, { key: fact.key, id, row, before }, replaced)
      : undefined;
  const version = joined?.version ?? (before?.version ?? 0) + 1;
  // A renamed fact keeps what the request omits, as an updated one does.
  const kept = before ?? replaced[0];
  const category = fact.category ?? kept?.category ?? FACT_POLICY.defaultCategory;
  const ttlSeconds = fact.ttlSeconds ?? (kept ? ttlSecondsOf(kept) : FACT_POLICY.defaultTtlSeconds);
  const expiresMs = times?.expiresMs ?? expiryMs(nowMs, ttlSeconds);
  const reviewAfterSeconds = fact.reviewAfterSeconds ?? kept?.reviewAfterSeconds;
  const firstMs = Math.min(...[before, ...replaced].flatMap((each) => each?.createdMs ?? []));
  const answer: StoreAnswer = {
    status: 'active',
    key: fact.key,
    category,
    expires_at: isoSeconds(expiresMs),
    created: kept === undefined,
    version,
    updated_at: isoMs(nowMs),
    ...(joined ? { replaced: keysOf(replaced) } : {}),
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
        tags: fact.tags ?? kept?.tags ?? [],
        project: (fact.project ?? kept?.project) || undefined,
        source,
        trust,
        promotedFrom,
        version,
        valueAtMs: nowMs,
        ...(times ? importedContent(times) : {}),
        ...(reviewAfterSeconds ? { reviewAfterSeconds } : {}),
      },
      createdMs: Number.isFinite(firstMs) ? firstMs : (times?.createdMs ?? nowMs),
      updatedMs: nowMs,
      expiresMs,
    },
    row,
  );
  const ops: Op[] =
    joined?.ops ?? (before ? versionOps(keys, before) : row ? [{ type: 'deleteWhere', group: id }] : []);
  ops.push(put);
  if (advice) {
    const { key, value } = fact;
    const compared = { key, value, tags: fact.tags ?? kept?.tags ?? [] };
    const contradicts = (other: Entry) =>
      adviser?.compare(compared, { ...other, tags: other.tags ?? [] }) !== undefined;
    const stored = { id, isNew: before === undefined, contradicts };
    ops.push(...(await disagreementOps(memory, keys, stored, advice.conflicts ?? [])));
  }
  return { answer, ops, addedFacts: kept ? 0 : 1 };
}

/** An import does not confirm: without a confirmation of its own a fact counts from when it was first stored. */
function importedContent(times: NonNullable<RememberOptions['times']>): Partial<EntryContent> {
  return { ttlSeconds: lengthOf(times), confirmedAtMs: times.confirmedMs ?? times.createdMs };
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

export function assertVersion(wanted: number | undefined, current: number): void {
  if (wanted === undefined || wanted === current) return;
  throw new AppError(
    'precondition_failed',
    current === 0 ? 'There is no such fact yet.' : `The fact is at version ${current}, not ${wanted}.`,
  );
}

const addedBytes = (ops: readonly Op[]) =>
  ops.reduce((sum, op) => sum + (op.type === 'put' ? op.row.body.length : 0), 0);
export const queueName = (ns: Uint8Array, key: string) => `${namespaceMapKey(ns)} ${key}`;
