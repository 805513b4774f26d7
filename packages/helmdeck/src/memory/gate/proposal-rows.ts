import { groupId, type NamespaceKeys, open, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive, type Promotion, type ProposalKind, type Source } from '../entry.ts';
import { FACT_POLICY, type ValidFact } from '../facts/validate-fact.ts';
import { type Memory, putOp } from '../memory.ts';
import type { Op } from '../store.ts';
import type { Decision } from './gate.ts';
import { isLower, type Trust } from './trust.ts';

// Texts that wait for a person, one row for each key and status, in a space also for each proposer. They are rows of their
// own kinds: every read of facts lists facts only, so none can return a proposal.

const KEPT_MS = 14 * 86_400_000;
/** The score from which two texts count as the same, as in advice. */
const MIN_SAME_SIMILARITY = 0.72;
/** A new proposal is compared with this many of the newest ones. */
const MAX_COMPARED = 20;

type HeldDecision = Exclude<Decision, { status: 'active' }>;

export interface ProposedFact {
  fact: ValidFact;
  source: Source;
  trust: Trust;
  promotedFrom?: Promotion;
  decision: HeldDecision;
}

/** A proposal after a write, and the row to put if the write added or changed it. */
export interface ProposalPlan {
  id: string;
  expiresMs: number;
  ops: Op[];
  isNew: boolean;
}

export const kindOf = (status: HeldDecision['status']): ProposalKind =>
  status === 'proposed' ? 'proposal' : 'quarantine';
export const statusOf = (kind: ProposalKind): HeldDecision['status'] =>
  kind === 'proposal' ? 'proposed' : 'quarantined';

/**
 * A proposal is named by its row and its revision: a decision on a text that changed after a person saw it must not apply
 * to the new one.
 */
/** Begins with a letter: on a command line an id with a leading hyphen would be an option. */
export function proposalId({ id, version }: Pick<Entry, 'id' | 'version'>): string {
  return `p${Buffer.from(id).toString('base64url')}.${(version ?? 0).toString(36)}`;
}

const PROPOSAL_ID = /^p([\w-]{22})\.([0-9a-z]{1,11})$/;

export function parseProposalId(text: string): { id: Buffer; version: number } | undefined {
  const match = PROPOSAL_ID.exec(text);
  return match
    ? { id: Buffer.from(match[1]!, 'base64url'), version: Number.parseInt(match[2]!, 36) }
    : undefined;
}

/**
 * Adds a text to the inbox, or folds it into the proposal that is there for its key or says nearly the same. In a space
 * only into one of the same proposer: one member must neither replace what another suggested nor learn of it.
 */
export async function planProposal(
  memory: Memory,
  keys: NamespaceKeys,
  { fact, source, trust, promotedFrom, decision }: ProposedFact,
): Promise<ProposalPlan> {
  const kind = kindOf(decision.status);
  const by = memory.seat?.by;
  const id = rowId(keys, kind, by === undefined ? fact.key : `${by} ${fact.key}`);
  const row = await memory.store.get(keys.ns, id);
  const before = row && isLive(row, memory.now()) ? open(keys, row) : undefined;
  const same = before ?? (await findSimilar(memory, keys, kind, fact));
  // The text of a lower class does not replace that of a higher one in the inbox either.
  const isFolded = same && (same !== before || isSameText(same, fact) || isLower(trust, same.trust!));
  if (isFolded) return { id: proposalId(same), expiresMs: same.expiresMs!, ops: [], isNew: false };
  const nowMs = memory.now();
  const expiresMs = nowMs + KEPT_MS;
  const { key, value, tags, project, ttlSeconds, reviewAfterSeconds, category, replaces, quote } = fact;
  const version = Math.max(nowMs, (before?.version ?? 0) + 1);
  const { reason } = decision;
  const said = { key, value, category, tags, project, ttlSeconds, reviewAfterSeconds, replaces };
  const content = { ...said, source, trust, promotedFrom, reason, quote, version };
  const group = groupId(keys, 'category', category ?? FACT_POLICY.defaultCategory);
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
  const put = putOp(keys, { id, kind, group, content, ...times }, row);
  return { id: proposalId({ id, version }), expiresMs, ops: [put], isNew: before === undefined };
}

function isSameText(proposal: Entry, { value, tags, category, project, replaces }: ValidFact): boolean {
  return (
    proposal.value === value &&
    proposal.category === category &&
    proposal.project === project &&
    JSON.stringify(proposal.tags) === JSON.stringify(tags) &&
    JSON.stringify(proposal.replaces) === JSON.stringify(replaces)
  );
}

async function findSimilar(
  memory: Memory,
  keys: NamespaceKeys,
  kind: ProposalKind,
  { key, value, tags = [] }: ValidFact,
): Promise<Entry | undefined> {
  const similarityTo = memory.gate.similarityTo({ key, value, tags });
  const newest = { kinds: [kind], newestFirst: true, limit: MAX_COMPARED } as const;
  for (const row of await memory.store.scan(keys.ns, newest)) {
    const known = isLive(row, memory.now()) ? open(keys, row) : undefined;
    if (!known || known.source?.by !== memory.seat?.by) continue;
    const score = similarityTo({ key: known.key, value: known.value, tags: known.tags ?? [] });
    if (score >= MIN_SAME_SIMILARITY) return known;
  }
  return undefined;
}
