import { errorEnvelope, toAppError } from '../errors.ts';
import type { Source } from '../memory/entry.ts';
import { previewWrite } from '../memory/facts/remember.ts';
import type { Adviser } from '../memory/facts/store-answer.ts';
import { FACT_POLICY, type FactRules, validateFact } from '../memory/facts/validate-fact.ts';
import { withQuote } from '../memory/gate/quote.ts';
import { createExtractor } from '../memory/harvest/extract.ts';
import { isAboutProject } from '../memory/harvest/statement-key.ts';
import { createTalkLimit } from '../memory/harvest/talk-limit.ts';
import { type LineReport, outcomeOf, rememberAtRate } from '../memory/import-export.ts';
import { findEntry, type Memory } from '../memory/memory.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import type { Candidate, Conversation } from './candidate.ts';
import { distinctKey } from './content-key.ts';
import { type ForeignInput, readForeign } from './read-foreign.ts';

export interface ForeignImportOptions {
  source: Source;
  rules: FactRules;
  adviser: Pick<Adviser, 'review'>;
  proposeOnly: boolean;
  dryRun: boolean;
  /** Store as facts at once, instead of into the inbox. */
  accept: boolean;
  /** Numbers of items to leave out. */
  skip: ReadonlySet<number>;
}

/** What happened to one item; in a dry run with its text, so that a person can choose. */
export interface ItemReport extends LineReport {
  file?: string;
  format?: string;
  value?: string;
  category?: string;
  /** In a dry run: what the fact under that key says. */
  current?: string;
  /** In a dry run: facts under other keys that contradict it. */
  conflicts?: { key: string; mine: string; theirs: string }[];
}

const SHOWN_CHARS = 300;
/** Keys that were given away in this import, so that two texts do not get the same one. */
const MAX_KEPT_KEYS = 1_000_000;

type Quoted = Candidate & { quote?: string };

/** Imports a foreign file or archive, item by item. The same file a second time changes nothing. */
export async function* importForeign(
  memory: Memory,
  input: ForeignInput,
  options: ForeignImportOptions,
): AsyncGenerator<ItemReport> {
  const taken = new Map<string, string>();
  const yieldIfDue = createYielder();
  let line = 0;
  for await (const read of readForeign(input)) {
    const place = { ...(read.file === '' ? {} : { file: read.file }), format: read.format };
    await yieldIfDue();
    if ('problem' in read) {
      yield { line: ++line, status: 'failed', ...place, error: errorEnvelope(read.problem) };
      continue;
    }
    if ('omitted' in read.item) {
      yield { line: ++line, status: 'skipped', ...place, reason: read.item.omitted };
      continue;
    }
    const candidates =
      'conversation' in read.item ? statementsOf(memory, read.item, input.project) : [read.item];
    for (const candidate of candidates) {
      line++;
      const key = ownKey(taken, candidate);
      const report = options.skip.has(line)
        ? ({ line, status: 'skipped', key, reason: 'not_chosen' } as const)
        : await importCandidate(memory, line, { ...candidate, key }, input.project, options);
      const text = options.dryRun && report.status !== 'failed' ? shown(candidate) : {};
      yield { ...report, ...place, ...text };
      await yieldIfDue();
    }
  }
}

const shown = ({ value, category }: Candidate) => ({
  value: beginningOf(value),
  ...(category === undefined ? {} : { category }),
});

function beginningOf(text: string): string {
  const short = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS - 1)}…` : text;
  return short.toWellFormed();
}

/** The candidate's key, with a hash of its text if another text has that key already. */
function ownKey(taken: Map<string, string>, { key, value }: Candidate): string {
  const other = taken.get(key);
  if (other === undefined) {
    if (taken.size < MAX_KEPT_KEYS) taken.set(key, value.slice(0, SHOWN_CHARS));
    return key;
  }
  return other === value.slice(0, SHOWN_CHARS) ? key : distinctKey(key, value);
}

/** At most ten statements from an hour of a conversation, the same whenever it is imported. */
function statementsOf(memory: Memory, { conversation }: Conversation, project: string | undefined): Quoted[] {
  const extractor = createExtractor(project);
  conversation.turns.forEach(extractor.read);
  const nowMs = memory.now();
  const statements = extractor
    .statements()
    .map((each) => ({ ...each, atMs: Math.min(each.atMs ?? nowMs, nowMs) }));
  const chosen = createTalkLimit().choose(memory.directory.idOf(memory.caller), conversation.id, statements);
  return chosen.map(({ key, value, category, quote, atMs }) => ({
    key,
    value,
    category,
    quote,
    createdMs: atMs,
  }));
}

async function importCandidate(
  memory: Memory,
  line: number,
  candidate: Quoted,
  project: string | undefined,
  { source, rules, adviser, proposeOnly, dryRun, accept }: ForeignImportOptions,
): Promise<ItemReport> {
  try {
    const { key, value, category, tags, quote, createdMs, expiresMs } = candidate;
    const nowMs = memory.now();
    if (expiresMs !== undefined && expiresMs <= nowMs)
      return { line, status: 'skipped', key, reason: 'expired' };
    const about = isAboutProject(key) ? { project } : {};
    const checked = validateFact({ key, value, category, tags, ...about }, rules);
    const fact = quote === undefined ? checked : withQuote(checked, quote, rules);
    const present = await findEntry(memory, 'fact', fact.key);
    if (present?.value === fact.value) return { line, status: 'unchanged', key };
    const needsAdvice = dryRun || !(present || candidate.isKeyGiven);
    const { similar, conflicts } = needsAdvice ? await adviser.review(memory, fact) : {};
    if (similar && !present && !candidate.isKeyGiven)
      return { line, status: 'skipped', key, reason: 'duplicate' };
    const trust = accept ? undefined : ('untrusted_document' as const);
    // An open gate stores what is not asked to wait.
    const asked = !accept && memory.gate.mode === 'open' ? { ...fact, propose: true } : fact;
    const times = accept ? timesOf(nowMs, createdMs, expiresMs) : undefined;
    const write = { source, trust, proposeOnly, times };
    const isPresent = present !== undefined;
    if (!dryRun) return outcomeOf(line, key, await rememberAtRate(memory, asked, write), isPresent);
    return {
      ...outcomeOf(line, key, await previewWrite(memory, asked, write), isPresent),
      ...(present ? { current: beginningOf(present.value) } : {}),
      ...(conflicts
        ? { conflicts: conflicts.map(({ key: other, mine, theirs }) => ({ key: other, mine, theirs })) }
        : {}),
    };
  } catch (thrown) {
    // The key of a refused text may be made of its words.
    return { line, status: 'failed', error: errorEnvelope(toAppError(thrown)) };
  }
}

function timesOf(nowMs: number, createdMs = nowMs, expiresMs?: number) {
  const latestMs = nowMs + FACT_POLICY.maxTtlSeconds * 1000;
  const endMs = expiresMs ?? nowMs + FACT_POLICY.defaultTtlSeconds * 1000;
  return {
    createdMs: Math.min(createdMs, nowMs),
    expiresMs: Math.floor(Math.min(endMs, latestMs) / 1000) * 1000,
  };
}
