import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ErrorEnvelope, errorEnvelope, toAppError } from '../errors.ts';
import type { Source } from './entry.ts';
import { confirmedMs } from './facts/freshness.ts';
import { projectView } from './facts/read-facts.ts';
import { previewWrite, type RememberOptions, rememberFact, type WritePreview } from './facts/remember.ts';
import type { WriteAnswer } from './facts/store-answer.ts';
import {
  asObject,
  FACT_POLICY,
  type FactRules,
  type ValidFact,
  validateFact,
} from './facts/validate-fact.ts';
import { type Trust, trustOf } from './gate/trust.ts';
import { findEntry, type Memory, walkMemory } from './memory.ts';
import { isoMs, isoSeconds } from './times.ts';

/** One line of an export: everything import needs to restore the fact. */
export interface ExportLine {
  key: string;
  value: string;
  category: string;
  tags: string[];
  project?: string;
  created_at: string;
  expires_at: string;
  /** As it was here; an import may lower it, never raise it. */
  trust: Trust;
  confirmed_at: string;
  review_after_seconds?: number;
}

export async function* exportFacts(memory: Memory): AsyncGenerator<ExportLine> {
  // Oldest first: a fact written during the export appears again at the end, and import keeps the last line of a key.
  for await (const fact of walkMemory(memory, { kinds: ['fact'] })) {
    yield {
      key: fact.key,
      value: fact.value,
      category: fact.category ?? FACT_POLICY.defaultCategory,
      tags: fact.tags ?? [],
      ...projectView(fact),
      created_at: isoMs(fact.createdMs),
      expires_at: isoSeconds(fact.expiresMs ?? 0),
      trust: trustOf(fact),
      confirmed_at: isoMs(confirmedMs(fact)),
      ...(fact.reviewAfterSeconds ? { review_after_seconds: fact.reviewAfterSeconds } : {}),
    };
  }
}

export type LineStatus = 'stored' | 'proposed' | 'unchanged' | 'skipped' | 'failed';

export interface LineReport {
  line: number;
  status: LineStatus;
  key?: string;
  /** Set if another fact was under that key. */
  replaces?: true;
  /** Why a line was skipped. */
  reason?: string;
  error?: ErrorEnvelope;
}

export interface ImportOptions {
  source: Source;
  /** The most that the lines are trusted, if that is less than their source. */
  trust?: Trust;
  proposeOnly: boolean;
  rules: FactRules;
  dryRun: boolean;
}

/** Imports one line. An error is reported for that line and never stops the others. */
export async function importLine(
  memory: Memory,
  line: number,
  text: string,
  options: ImportOptions,
): Promise<LineReport> {
  try {
    const { fact, ...times } = parseLine(text, memory.now(), options.rules);
    if (times.expiresMs <= memory.now()) return { line, status: 'skipped', key: fact.key, reason: 'expired' };
    const present = await findEntry(memory, 'fact', fact.key);
    const same =
      present?.value === fact.value &&
      present.category === fact.category &&
      (present.project ?? '') === fact.project &&
      present.expiresMs === times.expiresMs &&
      // A line that confirms nothing new must not take back a later confirmation.
      confirmedMs(present) >= (times.confirmedMs ?? 0) &&
      present.reviewAfterSeconds === (fact.reviewAfterSeconds || undefined) &&
      JSON.stringify(present.tags) === JSON.stringify(fact.tags);
    if (same) return { line, status: 'unchanged', key: fact.key };
    const { source, trust, proposeOnly } = options;
    const write = { source, trust, proposeOnly, times };
    const outcome = options.dryRun
      ? await previewWrite(memory, fact, write)
      : await rememberAtRate(memory, fact, write);
    return outcomeOf(line, fact.key, outcome, present !== undefined);
  } catch (thrown) {
    return { line, status: 'failed', error: errorEnvelope(toAppError(thrown)) };
  }
}

/** A line after its write, or as it would be after it. */
export function outcomeOf(
  line: number,
  key: string,
  outcome: WriteAnswer | WritePreview,
  isPresent: boolean,
): LineReport {
  if (outcome.status === 'declined') return { line, status: 'skipped', key, reason: 'declined' };
  const replaces = isPresent ? { replaces: true as const } : {};
  if (outcome.status === 'active') return { line, status: 'stored', key, ...replaces };
  if (outcome.folded) return { line, status: 'unchanged', key, reason: 'waiting' };
  return { line, status: 'proposed', key, reason: outcome.reason, ...replaces };
}

/** Waits out the caller's rate limit: an import is one long request, and refusing every other line would be useless. */
export async function rememberAtRate(
  memory: Memory,
  fact: ValidFact,
  options: RememberOptions,
): Promise<WriteAnswer> {
  for (;;) {
    try {
      return await rememberFact(memory, fact, options);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'rate_limited') throw thrown;
      await delay((thrown.retryAfterSeconds ?? 1) * 1000);
    }
  }
}

function parseLine(text: string, nowMs: number, rules: FactRules) {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AppError('invalid_input', 'The line is not JSON.', { reason: 'bad_type' });
  }
  const fields = asObject(json, LINE_FIELDS);
  const { created_at, expires_at, confirmed_at, ...rest } = fields;
  // A line is the whole fact: what it omits has the default, also over a fact that is there.
  const {
    category = FACT_POLICY.defaultCategory,
    tags = [],
    project = '',
    reviewAfterSeconds = 0,
    ...required
  } = validateFact(rest, rules);
  const fact = { ...required, category, tags, project, reviewAfterSeconds };
  const expiresMs =
    expires_at === undefined
      ? nowMs + FACT_POLICY.defaultTtlSeconds * 1000
      : instant('expires_at', expires_at);
  if (expiresMs > nowMs + FACT_POLICY.maxTtlSeconds * 1000) {
    throw new AppError('invalid_input', 'expires_at is more than a year away.', { reason: 'ttl_too_long' });
  }
  const createdMs = created_at === undefined ? nowMs : Math.min(instant('created_at', created_at), nowMs);
  return {
    fact,
    createdMs,
    expiresMs: Math.floor(expiresMs / 1000) * 1000,
    confirmedMs:
      confirmed_at === undefined ? undefined : Math.min(instant('confirmed_at', confirmed_at), nowMs),
  };
}

const LINE_FIELDS = [
  'key',
  'value',
  'category',
  'tags',
  'project',
  'created_at',
  'expires_at',
  'confirmed_at',
  'review_after_seconds',
  'trust',
];

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 time into milliseconds. */
export function instant(field: string, input: unknown): number {
  const ms = typeof input === 'string' && RFC3339.test(input) ? Date.parse(input) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new AppError('invalid_input', `${field} must be an RFC 3339 time such as 2026-01-31T12:00:00Z.`, {
      reason: 'bad_type',
    });
  }
  return ms;
}
