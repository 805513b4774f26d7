import type { Entry, ProposalKind } from '../entry.ts';
import { PROPOSAL_KINDS } from '../entry.ts';
import type { DecisionRecord } from '../gate/decisions.ts';
import { proposalId, statusOf } from '../gate/proposal-rows.ts';
import { type Memory, walkMemory } from '../memory.ts';
import { isoMs, isoSeconds } from '../times.ts';

/** What somebody proposed to a space, and what became of it. */
export interface OwnProposal {
  id: string;
  key: string;
  status: 'proposed' | 'quarantined' | 'accepted' | 'rejected';
  proposed_at: string;
  /** While it waits. */
  value?: string;
  reason?: string;
  expires_at?: string;
  /** Once it was decided. */
  decided_at?: string;
  decided_by?: string;
}

const MAX_LISTED = 200;

/** The newest of one's own proposals in a space, waiting and decided ones. */
export async function ownProposals(memory: Memory): Promise<OwnProposal[]> {
  const found: OwnProposal[] = [];
  for await (const entry of walkMemory(memory, {
    kinds: [...PROPOSAL_KINDS, 'decision'],
    newestFirst: true,
  })) {
    const view = entry.kind === 'decision' ? decidedView(memory, entry) : waitingView(memory, entry);
    if (view) found.push(view);
    if (found.length === MAX_LISTED) break;
  }
  return found;
}

function waitingView({ seat }: Memory, entry: Entry): OwnProposal | undefined {
  if (!seat || entry.source?.by === undefined || entry.source.by !== seat.by) return undefined;
  return {
    id: proposalId(entry),
    key: entry.key,
    status: statusOf(entry.kind as ProposalKind),
    proposed_at: isoMs(entry.updatedMs),
    value: entry.value,
    reason: entry.reason ?? 'asked',
    expires_at: isoSeconds(entry.expiresMs ?? 0),
  };
}

function decidedView({ seat }: Memory, entry: Entry): OwnProposal | undefined {
  const { decision, proposal } = JSON.parse(entry.value) as DecisionRecord;
  if (!seat || !proposal || proposal.by !== seat.by) return undefined;
  return {
    id: entry.key,
    key: proposal.key,
    status: decision,
    proposed_at: isoMs(proposal.proposedMs),
    decided_at: isoMs(entry.updatedMs),
    ...(proposal.decidedBy === undefined ? {} : { decided_by: seat.nameOf(proposal.decidedBy) }),
  };
}
