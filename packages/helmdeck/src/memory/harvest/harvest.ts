import { AppError } from '../../errors.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import type { Source } from '../entry.ts';
import { rememberFact } from '../facts/remember.ts';
import type { Adviser } from '../facts/store-answer.ts';
import { type FactRules, type ValidFact, validateFact } from '../facts/validate-fact.ts';
import { withQuote } from '../gate/quote.ts';
import { findEntry, type Memory } from '../memory.ts';
import { createExtractor, type Statement, type Turn } from './extract.ts';
import { isAboutProject } from './statement-key.ts';
import type { TalkLimit } from './talk-limit.ts';

/** From this score on a statement says what a fact says already, as in advice. */
const MIN_SAME_SIMILARITY = 0.72;

export interface HarvestRequest {
  turns: readonly Turn[];
  project?: string;
  sessionId?: string;
  dryRun: boolean;
}

export interface HarvestOptions {
  source: Source;
  rules: FactRules;
  adviser: Pick<Adviser, 'review' | 'compare'>;
  limit: TalkLimit;
}

export interface HarvestProposal {
  /** Absent in a dry run. */
  id?: string;
  key: string;
  value: string;
  category: string;
  quote: string;
  rule: string;
  confidence: number;
  /** It was in the inbox already, in these words or similar ones. */
  folded?: true;
}

export interface HarvestAnswer {
  proposals: HarvestProposal[];
  /** The turns that were read; those of tools are not. */
  seen: number;
}

/** Proposes what a conversation says that is worth remembering and not known yet. Nothing becomes a fact by itself. */
export async function harvest(
  memory: Memory,
  { turns, project, sessionId, dryRun }: HarvestRequest,
  options: HarvestOptions,
): Promise<HarvestAnswer> {
  const yieldIfDue = createYielder();
  const extractor = createExtractor(project);
  for (const turn of turns) {
    extractor.read(turn);
    await yieldIfDue();
  }
  const nowMs = memory.now();
  const incoming: { statement: Statement; fact: ValidFact; confidence: number; atMs: number }[] = [];
  for (const statement of extractor.statements()) {
    const fact = allowedFact(statement, project, options.rules);
    if (fact && !(await isKnown(memory, fact, options.adviser))) {
      const { confidence, atMs = nowMs } = statement;
      incoming.push({ statement, fact, confidence, atMs: Math.min(atMs, nowMs) });
    }
    await yieldIfDue();
  }
  const { ns } = await memory.directory.findOrCreate(memory.caller);
  const proposals: HarvestProposal[] = [];
  for (const { statement, fact, atMs } of options.limit.choose(ns, sessionId, incoming)) {
    const { key, value, category, quote, rule, confidence } = statement;
    const shown = { key, value, category, quote, rule, confidence };
    const outcome: { id?: string; folded?: true } | undefined = dryRun
      ? {}
      : await propose(memory, fact, options);
    if (!outcome) continue;
    proposals.push({ ...outcome, ...shown });
    if (!dryRun && !outcome.folded) options.limit.count(ns, sessionId, atMs);
  }
  return { proposals, seen: extractor.seen() };
}

/** The statement as a fact; undefined if it holds a credential. */
function allowedFact(
  { key, value, category, quote }: Statement,
  project: string | undefined,
  rules: FactRules,
): ValidFact | undefined {
  try {
    const about = isAboutProject(key) ? { project } : {};
    return withQuote(validateFact({ key, value, category, ...about }, rules), quote, rules);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'secret_detected') return undefined;
    throw thrown;
  }
}

/** Whether a fact says this already. One that says otherwise is not the same, however alike. */
async function isKnown(
  memory: Memory,
  fact: ValidFact,
  adviser: HarvestOptions['adviser'],
): Promise<boolean> {
  const text = { key: fact.key, value: fact.value, tags: [] };
  const current = await findEntry(memory, 'fact', fact.key);
  if (current) {
    const known = { key: current.key, value: current.value, tags: current.tags ?? [] };
    if (known.value === text.value) return true;
    const isAlike = memory.gate.similarityTo(text)(known) >= MIN_SAME_SIMILARITY;
    if (isAlike && !adviser.compare(text, known)) return true;
  }
  const { similar } = await adviser.review(memory, text);
  return similar !== undefined;
}

/** Puts a statement into the inbox; undefined if a person declined it before. */
async function propose(
  memory: Memory,
  fact: ValidFact,
  { source }: HarvestOptions,
): Promise<{ id: string; folded?: true } | undefined> {
  // An open gate would store it at once, although the person did not ask to remember this sentence.
  const asked = memory.gate.mode === 'open' ? { ...fact, propose: true } : fact;
  const answer = await rememberFact(memory, asked, { source, trust: 'untrusted_document' });
  if (answer.status === 'declined' || answer.status === 'active') return undefined;
  return { id: answer.proposal_id, ...(answer.folded ? { folded: true } : {}) };
}
