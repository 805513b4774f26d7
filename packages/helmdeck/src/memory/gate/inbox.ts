import { AppError } from '../../errors.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { open } from '../crypto/sealed.ts';
import { type Entry, isLive, PROPOSAL_KINDS, type ProposalKind, type Source } from '../entry.ts';
import { visibleText } from '../facts/hidden-characters.ts';
import { projectView } from '../facts/read-facts.ts';
import { currentFact } from '../facts/remember.ts';
import type { Advice, Adviser } from '../facts/store-answer.ts';
import { assertNoSecret, FACT_POLICY, type FactRules } from '../facts/validate-fact.ts';
import type { Memory } from '../memory.ts';
import { shownSource } from '../spaces/space-memory.ts';
import { isoMs, isoSeconds } from '../times.ts';
import { screenedText } from './gate.ts';
import { kindOf, parseProposalId, proposalId, statusOf } from './proposal-rows.ts';
import { holdsCredential } from './quote.ts';
import { screenTextInSteps } from './screen/screen.ts';
import { type Trust, trustOf } from './trust.ts';

/** A proposal as a person sees it, checked again at that moment. */
export interface ProposalView extends Pick<Advice, 'similar' | 'conflicts'> {
  id: string;
  status: 'proposed' | 'quarantined';
  reason: string;
  /** What the screen's rule means, for a quarantined text. */
  explanation?: string;
  key: string;
  /** Empty if the text is withheld. */
  value: string;
  category: string;
  tags: string[];
  project?: string;
  trust: Trust;
  /** The sentence that it was taken from. */
  quote?: string;
  source: Source;
  proposed_at: string;
  expires_at: string;
  current?: { value: string; version: number; trust: Trust };
  /** Keys of other facts that accepting it replaces. */
  replaces?: string[];
  /** Why it cannot be accepted as it is; its text is then withheld. */
  blocked?: { error: 'secret_detected'; reason?: string; message: string };
}

export interface InboxCounts {
  proposed: number;
  quarantined: number;
}

export interface InboxPage {
  proposals: ProposalView[];
  counts: InboxCounts;
  next_cursor?: string;
}

interface InboxRequest {
  status?: ProposalView['status'];
  limit: number;
  cursor?: string;
}

export interface InboxChecks {
  rules: FactRules;
  adviser: Pick<Adviser, 'review'>;
}

/** How many texts wait, from the store's counters: reads no rows. */
export async function inboxCounts(memory: Memory): Promise<InboxCounts> {
  const keys = await memory.directory.find(memory.caller);
  const usage = keys ? await memory.store.usage(memory.now(), keys.ns) : [];
  const rows = (kind: ProposalKind) => usage.find((each) => each.kind === kind)?.rows ?? 0;
  return { proposed: rows('proposal'), quarantined: rows('quarantine') };
}

/** A page of the inbox, newest first. Reads and checks no more rows than the page shows. */
export async function listInbox(
  memory: Memory,
  { status, limit, cursor }: InboxRequest,
  checks: InboxChecks,
): Promise<InboxPage> {
  const counts = await inboxCounts(memory);
  const keys = await memory.directory.find(memory.caller);
  const beforeSeq = cursor === undefined ? undefined : parseCursor(cursor);
  const proposals: ProposalView[] = [];
  if (!keys) return { proposals, counts };
  const kinds = status === undefined ? PROPOSAL_KINDS : [kindOf(status)];
  const rows = await memory.store.scan(keys.ns, { kinds, newestFirst: true, beforeSeq, limit: limit + 1 });
  const yieldIfDue = createYielder();
  for (const row of rows.slice(0, limit)) {
    await yieldIfDue(); // each text is checked again, which takes long for a long one
    const entry = isLive(row, memory.now()) ? open(keys, row) : undefined;
    if (entry) proposals.push(await proposalView(memory, entry, checks));
  }
  return { proposals, counts, ...(rows.length > limit ? { next_cursor: String(rows[limit - 1]!.seq) } : {}) };
}

/** One proposal as a person sees it; `undefined` if there is none with this id and text any more. */
export async function findProposal(
  memory: Memory,
  id: string,
  checks: InboxChecks,
): Promise<ProposalView | undefined> {
  const named = parseProposalId(id);
  const keys = await memory.directory.find(memory.caller);
  const row = named && keys && (await memory.store.get(keys.ns, named.id));
  if (!row || !PROPOSAL_KINDS.some((kind) => kind === row.kind) || !isLive(row, memory.now()))
    return undefined;
  const entry = open(keys, row);
  return entry?.version === named.version ? proposalView(memory, entry, checks) : undefined;
}

async function proposalView(memory: Memory, entry: Entry, checks: InboxChecks): Promise<ProposalView> {
  const keys = await memory.directory.findOrCreate(memory.caller);
  const { key, value, tags = [], project, category, source, quote } = entry;
  const { before } = await currentFact(memory, keys, { key });
  const blocked = checks.rules.secretGuard ? credentialIn({ key, value, tags, project }) : undefined;
  // A rule that is newer than the proposal quarantines it, too.
  const finding = await screenTextInSteps(screenedText(entry));
  const isQuoteShown =
    quote !== undefined && !blocked && !(checks.rules.secretGuard && holdsCredential(key, quote));
  const { similar, conflicts } = blocked ? {} : await checks.adviser.review(memory, { key, value, tags });
  return {
    id: proposalId(entry),
    status: finding ? 'quarantined' : statusOf(entry.kind as ProposalKind),
    reason: finding ? `screen:${finding.rule}` : (entry.reason ?? 'asked'),
    ...(finding ? { explanation: finding.reason } : {}),
    key: blocked ? '' : visibleText(key),
    value: blocked ? '' : visibleText(value),
    category: category ?? before?.category ?? FACT_POLICY.defaultCategory,
    tags: blocked ? [] : tags,
    ...(blocked ? {} : projectView(entry)),
    trust: trustOf(entry),
    ...(isQuoteShown ? { quote: visibleText(quote) } : {}),
    source: shownSource(memory, source ?? { surface: 'unknown' }),
    proposed_at: isoMs(entry.updatedMs),
    expires_at: isoSeconds(entry.expiresMs ?? 0),
    ...(before && !blocked
      ? {
          current: {
            value: visibleText(before.value),
            version: before.version ?? 1,
            trust: trustOf(before),
          },
        }
      : {}),
    ...(entry.replaces && !blocked ? { replaces: entry.replaces.map(visibleText) } : {}),
    ...(similar ? { similar } : {}),
    ...(conflicts ? { conflicts } : {}),
    ...(blocked ? { blocked } : {}),
  };
}

/** A rule for credentials that is newer than the proposal, or a guard that was off when it was proposed. */
function credentialIn(text: Parameters<typeof assertNoSecret>[0]): ProposalView['blocked'] {
  try {
    assertNoSecret(text);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'secret_detected') throw thrown;
    const { reason } = thrown;
    const message = `It looks like a credential (rule ${reason}): it is not shown and cannot be accepted as it is.`;
    return { error: 'secret_detected', reason, message };
  }
}

function parseCursor(cursor: string): number {
  if (/^\d{1,16}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });
}
