import type { Memory } from '../../memory/memory.ts';
import { type RecentRun, walkRuns } from './defaults.ts';
import type { Finding, PackRecord, PipelineRecord, RunError } from './run-history.ts';

const SUCCESSES: readonly string[] = ['ok', 'succeeded'];

/** A run with everything its record has. */
export interface RecordedRun extends RecentRun {
  version?: string;
  /** The run of a pipeline, while it is kept. */
  run_id?: string;
  findings?: Finding[];
  error?: RunError;
}

/** Which runs to list; what is absent does not restrict. */
export interface RunFilter {
  key?: string;
  pack?: string;
  pipeline?: string;
  /** An outcome, or the code of a finding. */
  code?: string;
  /** Only runs that did not succeed. */
  failed?: boolean;
  fromMs?: number;
  toMs?: number;
}

/** The caller's runs that match, newest first; `lastSeq` continues the list if there are more. */
export async function listRuns(
  memory: Memory,
  filter: RunFilter,
  page: { limit: number; beforeSeq?: number },
): Promise<{ runs: RecordedRun[]; lastSeq?: number }> {
  const runs: RecordedRun[] = [];
  let lastSeq = 0;
  for await (const { run, record, seq } of walkRuns(memory, page.beforeSeq)) {
    if (!matches(run, record, filter)) continue;
    if (runs.length === page.limit) return { runs, lastSeq };
    runs.push(withRecord(run, record));
    lastSeq = seq;
    if (filter.key !== undefined) break;
  }
  return { runs };
}

function matches(
  { kind, key, id, outcome, at_unix }: RecentRun,
  record: PackRecord | PipelineRecord,
  filter: RunFilter,
): boolean {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, code } = filter;
  if (filter.key !== undefined && key !== filter.key) return false;
  if (filter.pack !== undefined && (kind !== 'pack' || id !== filter.pack)) return false;
  if (filter.pipeline !== undefined && (kind !== 'pipeline' || id !== filter.pipeline)) return false;
  if (filter.failed && SUCCESSES.includes(outcome)) return false;
  if (at_unix * 1000 < fromMs || at_unix * 1000 >= toMs) return false;
  return code === undefined || outcome === code || findingsOf(record).some((each) => each.code === code);
}

const findingsOf = (record: PackRecord | PipelineRecord) =>
  ('findings' in record ? record.findings : undefined) ?? [];

function withRecord(run: RecentRun, record: PackRecord | PipelineRecord): RecordedRun {
  if ('run_id' in record) return { ...run, run_id: record.run_id };
  const { version, findings, error } = record;
  return { ...run, version, ...(findings && { findings }), ...(error && { error }) };
}
