import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive, PROPOSAL_KINDS } from '../entry.ts';
import { currentFact, planStore } from '../facts/remember.ts';
import { announceWrite, type StoreAnswer } from '../facts/store-answer.ts';
import { asObject, type FactRules, validateFact } from '../facts/validate-fact.ts';
import { type Memory, type Plan, putOp, transact } from '../memory.ts';
import type { Op } from '../store.ts';
import { declineOp } from './declined.ts';
import { parseProposalId } from './proposal-rows.ts';
import { assertHarmlessEdits } from './screen-change.ts';

// A person's decisions on proposals. Each is one batch with a record of it, so that a repeated request, after a lost
// answer or a stopped server, is told what was decided instead of deciding again.

const RECORD_MS = 86_400_000;
/** In a space: the proposer looks up what became of it. */
const SPACE_RECORD_MS = 30 * 86_400_000;
const EDITABLE = ['key', 'value', 'category', 'tags', 'project', 'ttl_seconds'];

/** What is kept about a decision. */
export type DecisionRecord = (
  | { decision: 'accepted'; edits: string; answer: StoreAnswer }
  | { decision: 'rejected' }
) & { proposal?: DecidedProposal };

/** In a space: what its proposer is told of it. `by` and `decidedBy` are aliases. */
export interface DecidedProposal {
  key: string;
  by: string;
  proposedMs: number;
  decidedBy?: string;
}

/** Makes a proposal a fact, with the changes that the person made to it. The fact then counts as said by the person. */
export async function acceptProposal(
  memory: Memory,
  id: string,
  edits: unknown,
  rules: FactRules,
): Promise<StoreAnswer> {
  const changed = edits === undefined ? {} : asObject(edits, EDITABLE);
  const editsHash = createHash('sha256').update(JSON.stringify(changed)).digest('base64');
  const outcome = await decideOnce(memory, id, async (keys, proposal) => {
    const { key, value, category, tags, project, source, promotedFrom } = proposal;
    const { ttlSeconds: ttl_seconds, reviewAfterSeconds: review_after_seconds } = proposal;
    const { replaces } = proposal;
    const said = { key, value, category, tags, project, ttl_seconds, review_after_seconds, replaces };
    // Checked again: the rules for credentials may have changed since it was proposed.
    const fact = validateFact({ ...said, ...changed }, rules);
    if (Object.keys(changed).length > 0) await assertHarmlessEdits(memory.gate.mode, proposal, fact);
    const current = await currentFact(memory, keys, fact);
    const stamp = { source: source ?? { surface: 'unknown' }, trust: 'direct_user' as const, promotedFrom };
    const { answer, ops } = await planStore(memory, keys, fact, stamp, current);
    return { ops, record: { decision: 'accepted', edits: editsHash, answer } };
  });
  if (outcome.record.decision !== 'accepted') throw decidedOtherwise('rejected');
  if (outcome.record.edits !== editsHash) throw decidedOtherwise('accepted with other changes');
  const { answer } = outcome.record;
  if (!outcome.isRepeat)
    await announceWrite(memory, memory.directory.idOf(memory.caller), answer.key, answer);
  return answer;
}

/** Declines a proposal. Its text is not proposed again for half a year; only a fingerprint of it is kept. */
export async function rejectProposal(memory: Memory, id: string): Promise<void> {
  const { record } = await decideOnce(memory, id, async (keys, proposal) => ({
    ops: [await declineOp(memory, keys, proposal)],
    record: { decision: 'rejected' },
  }));
  if (record.decision !== 'rejected') throw decidedOtherwise('accepted');
}

interface Outcome {
  record: DecisionRecord;
  isRepeat: boolean;
}

/** Applies a decision unless there is one already. Of two at the same time one wins, and the other sees its record. */
async function decideOnce(
  memory: Memory,
  id: string,
  plan: (keys: NamespaceKeys, proposal: Entry) => Promise<{ ops: Op[]; record: DecisionRecord }>,
): Promise<Outcome> {
  const named = parseProposalId(id);
  if (!named) throw noSuchProposal();
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  memory.limits.takeWrites(ns, 1);
  const queue = `${namespaceMapKey(ns)} proposal ${id}`;
  const outcome = await transact(memory, keysOf, queue, async (keys): Promise<Plan<Outcome>> => {
    const recordId = rowId(keys, 'decision', id);
    const recordRow = await memory.store.get(keys.ns, recordId);
    const known = recordRow && isLive(recordRow, memory.now()) ? open(keys, recordRow) : undefined;
    if (known)
      return { ops: [], result: { record: JSON.parse(known.value) as DecisionRecord, isRepeat: true } };
    const proposal = await readProposal(memory, keys, named);
    const { ops, record } = await plan(keys, proposal);
    const nowMs = memory.now();
    const keptMs = memory.seat ? SPACE_RECORD_MS : RECORD_MS;
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + keptMs };
    const content = { key: id, value: JSON.stringify({ ...record, ...decidedProposal(memory, proposal) }) };
    return {
      ops: [
        { type: 'delete', id: proposal.id, ifRev: proposal.rev },
        ...ops,
        putOp(keys, { id: recordId, kind: 'decision', group: null, content, ...times }, recordRow),
      ],
      result: { record, isRepeat: false },
    };
  });
  if (!outcome.isRepeat) memory.changes.emit(ns, { type: 'proposal', atMs: memory.now() });
  return outcome;
}

function decidedProposal({ seat }: Memory, { key, source, updatedMs }: Entry) {
  if (!seat || source?.by === undefined) return {};
  const proposal: DecidedProposal = { key, by: source.by, proposedMs: updatedMs, decidedBy: seat.by };
  return { proposal };
}

async function readProposal(
  memory: Memory,
  keys: NamespaceKeys,
  { id, version }: { id: Buffer; version: number },
): Promise<Entry> {
  const row = await memory.store.get(keys.ns, id);
  const isProposal = row && PROPOSAL_KINDS.some((kind) => kind === row.kind) && isLive(row, memory.now());
  const proposal = isProposal ? open(keys, row) : undefined;
  if (!proposal) throw noSuchProposal();
  if (proposal.version !== version)
    throw new AppError('conflict', 'The proposal has changed since it was shown.', {
      reason: 'proposal_changed',
      hint: 'Look at the inbox again and decide on what it says now.',
    });
  return proposal;
}

const noSuchProposal = () =>
  new AppError('not_found', 'There is no such proposal: it was decided, forgotten, or has expired.');

const decidedOtherwise = (how: string) =>
  new AppError('conflict', `This proposal was ${how} already.`, {
    reason: 'already_decided',
    hint: 'Look at the inbox again.',
  });
