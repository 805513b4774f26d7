import { type Entry, type Kind, PROPOSAL_KINDS } from '../../memory/entry.ts';
import { confirmedMs } from '../../memory/facts/freshness.ts';
import { trustOf } from '../../memory/gate/trust.ts';
import { type Memory, walkMemory } from '../../memory/memory.ts';
import { shownSource } from '../../memory/spaces/space-memory.ts';
import { isoMs, isoSeconds } from '../../memory/times.ts';

/** A line of a full export: `type` says what the rest is. */
export type FullExportLine = { type: string } & Record<string, unknown>;

/**
 * Everything that is kept about a caller, as the law lets a person ask for: facts with source and confirmation, their
 * earlier versions, what waits in the inbox, what agents were given, and records of runs.
 */
export async function* exportAll(
  memory: Memory,
  others: { runs: AsyncIterable<object>; recalls: () => Promise<object[]>; withProposals: boolean },
): AsyncGenerator<FullExportLine> {
  const { scope } = memory;
  yield { type: 'export', scope, exported_at: isoMs(memory.now()), format: 'helmdeck-all', version: 1 };
  const kinds: Kind[] = ['fact', 'version', ...(others.withProposals ? PROPOSAL_KINDS : [])];
  for await (const entry of walkMemory(memory, { kinds })) yield lineOf(memory, entry);
  for (const recall of await others.recalls()) yield { type: 'recall', ...recall };
  for await (const run of others.runs) yield { type: 'run', ...run };
  if (!others.withProposals)
    yield { type: 'omitted', what: 'proposals', why: 'Only those who may decide on them may export them.' };
}

const TYPES: Partial<Record<Kind, string>> = { quarantine: 'quarantined' };

function lineOf(memory: Memory, entry: Entry): FullExportLine {
  const { kind, key, value, category, tags = [], version, source, confirmedBy, reason, quote } = entry;
  const isFact = kind === 'fact';
  return {
    type: TYPES[kind] ?? kind,
    key,
    value,
    ...(category === undefined ? {} : { category }),
    tags,
    // A proposal's version is the name of its revision, and means nothing elsewhere.
    ...(isFact || kind === 'version' ? { version: version ?? 1 } : { reason, quote }),
    source: source && shownSource(memory, source),
    trust: trustOf(entry),
    created_at: isoMs(entry.createdMs),
    updated_at: isoMs(entry.valueAtMs ?? entry.updatedMs),
    ...(entry.expiresMs === null ? {} : { expires_at: isoSeconds(entry.expiresMs) }),
    ...(isFact
      ? {
          confirmed_at: isoMs(confirmedMs(entry)),
          confirmed_by: confirmedBy && shownSource(memory, confirmedBy),
        }
      : {}),
    ...(entry.reviewAfterSeconds ? { review_after_seconds: entry.reviewAfterSeconds } : {}),
  };
}
