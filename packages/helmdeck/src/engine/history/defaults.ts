import { groupId } from '../../memory/crypto/sealed.ts';
import type { ValueTrace } from '../../memory/entry.ts';
import { type Memory, walkEntries } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import type { Finding, PackRecord, PipelineRecord } from './run-history.ts';

/** How often a learned value was used, of how many runs that set the field. */
export interface Evidence {
  count: number;
  of: number;
  last_unix: number;
}

export interface LearnedInputs {
  common_inputs?: Record<string, string>;
  evidence?: Record<string, Evidence>;
}

export interface PackDefaults extends LearnedInputs {
  id: string;
  calls: number;
  last_used_unix: number;
}

export interface PipelineDefaults extends LearnedInputs {
  id: string;
  runs: number;
  last_used_unix: number;
}

export interface CommonFinding {
  code: string;
  occurrence_count: number;
  pack: string;
  severity?: string;
  last_seen_unix: number;
}

export interface RecentRun {
  kind: 'pack' | 'pipeline';
  key: string;
  id: string;
  outcome: string;
  at_unix: number;
  duration_ms?: number;
  learn_inputs?: Record<string, string>;
  cached?: true;
}

/** The caller's habits, learned from run records: the `helmdeck://my-defaults` document. */
export interface Defaults {
  scope: string;
  fetched_at: string;
  packs: PackDefaults[];
  pipelines: PipelineDefaults[];
  common_findings: CommonFinding[];
  recent: RecentRun[];
  note?: string;
}

const MAX_IDS = 12;
const MAX_FINDINGS = 20;
const MAX_RECENT = 200;
const MAX_RUNS_WITH_FINDINGS = 500;

/** Derives the caller's defaults from their run records, pending ones included. */
export async function learnedDefaults(memory: Memory): Promise<Defaults> {
  const packs = createTally();
  const pipelines = createTally();
  const findings = new Map<string, CommonFinding>();
  const recent: RecentRun[] = [];
  for await (const { run, record } of walkRuns(memory)) {
    if (recent.length < MAX_RECENT) recent.push(run);
    if (run.kind === 'pack' && run.outcome === 'ok') packs.add(run);
    if (run.kind === 'pipeline' && (run.outcome === 'succeeded' || run.outcome === 'ok')) pipelines.add(run);
    for (const finding of (record as PackRecord).findings ?? []) countFinding(findings, finding, run);
  }
  return {
    scope: memory.scope,
    fetched_at: isoMs(memory.now()),
    packs: packs.top().map(({ times, ...rest }) => ({ ...rest, calls: times })),
    pipelines: pipelines.top().map(({ times, ...rest }) => ({ ...rest, runs: times })),
    common_findings: topFindings(findings),
    recent,
    ...(recent.length === 0 ? { note: 'Nothing has been run yet.' } : {}),
  };
}

const topFindings = (findings: ReadonlyMap<string, CommonFinding>) =>
  [...findings.values()]
    .sort((a, b) => b.occurrence_count - a.occurrence_count || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_FINDINGS);

/** What the latest runs of a pack, or of all packs, reported most. */
export async function commonFindings(memory: Memory, pack: string | undefined): Promise<CommonFinding[]> {
  const findings = new Map<string, CommonFinding>();
  await memory.pending.drain(memory.directory.idOf(memory.caller));
  const keys = await memory.directory.runs.find(memory.caller);
  if (!keys) return [];
  const group = pack === undefined ? undefined : groupId(keys, 'pack', pack);
  let runs = 0;
  for await (const { value } of walkEntries(memory, keys, {
    kinds: ['audit.pack'],
    group,
    newestFirst: true,
  })) {
    const record = JSON.parse(value) as PackRecord;
    for (const finding of record.findings ?? [])
      countFinding(findings, finding, { ...record, id: record.pack });
    if (++runs === MAX_RUNS_WITH_FINDINGS) break;
  }
  return topFindings(findings);
}

/** The caller's run records, newest first, after pending ones are written. */
export async function* walkRuns(
  memory: Memory,
  beforeSeq?: number,
): AsyncGenerator<{ run: RecentRun; record: PackRecord | PipelineRecord; trace?: ValueTrace; seq: number }> {
  await memory.pending.drain(memory.directory.idOf(memory.caller));
  const keys = await memory.directory.runs.find(memory.caller);
  if (!keys) return;
  for await (const { kind, key, value, trace, seq } of walkEntries(memory, keys, {
    kinds: ['audit.pack', 'audit.pipeline'],
    beforeSeq,
    newestFirst: true,
  })) {
    const record = JSON.parse(value) as PackRecord | PipelineRecord;
    const { outcome, at_unix, duration_ms, learn_inputs } = record;
    const id = 'pack' in record ? record.pack : record.pipeline;
    const run: RecentRun = { kind: kind === 'audit.pack' ? 'pack' : 'pipeline', key, id, outcome, at_unix };
    if (duration_ms !== undefined) run.duration_ms = duration_ms;
    if (learn_inputs) run.learn_inputs = learn_inputs;
    if ('cached' in record && record.cached) run.cached = true;
    yield { run, record, trace, seq };
  }
}

interface UsageCount {
  id: string;
  times: number;
  last_used_unix: number;
  /** By field, then by value. */
  inputs: Map<string, Map<string, { count: number; lastUnix: number }>>;
}

function createTally() {
  const byId = new Map<string, UsageCount>();
  return {
    add({ id, at_unix, learn_inputs = {} }: RecentRun): void {
      const usage: UsageCount = byId.get(id) ?? { id, times: 0, last_used_unix: 0, inputs: new Map() };
      byId.set(id, usage);
      usage.times++;
      usage.last_used_unix = Math.max(usage.last_used_unix, at_unix);
      for (const [field, value] of Object.entries(learn_inputs)) {
        const values = usage.inputs.get(field) ?? new Map<string, { count: number; lastUnix: number }>();
        usage.inputs.set(field, values);
        const seen = values.get(value) ?? { count: 0, lastUnix: 0 };
        values.set(value, { count: seen.count + 1, lastUnix: Math.max(seen.lastUnix, at_unix) });
      }
    },
    /** The most used, each with the most frequent value of every field. */
    top() {
      return [...byId.values()]
        .sort((a, b) => b.times - a.times || b.last_used_unix - a.last_used_unix || (a.id < b.id ? -1 : 1))
        .slice(0, MAX_IDS)
        .map(({ inputs, ...rest }) => ({ ...rest, ...mostFrequent(inputs) }));
    },
  };
}

function mostFrequent(inputs: UsageCount['inputs']): LearnedInputs {
  if (inputs.size === 0) return {};
  const common: [string, string][] = [];
  const evidence: [string, Evidence][] = [];
  for (const [field, values] of [...inputs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [[value, { count, lastUnix }]] = [...values].sort(
      ([a, first], [b, second]) => second.count - first.count || (a < b ? -1 : 1),
    ) as [[string, { count: number; lastUnix: number }]];
    const of = [...values.values()].reduce((sum, each) => sum + each.count, 0);
    common.push([field, value]);
    evidence.push([field, { count, of, last_unix: lastUnix }]);
  }
  return { common_inputs: Object.fromEntries(common), evidence: Object.fromEntries(evidence) };
}

/** Records come newest first, so the first occurrence is the latest: it gives pack, severity and time. */
function countFinding(
  findings: Map<string, CommonFinding>,
  finding: Finding,
  run: Pick<RecentRun, 'id' | 'at_unix'>,
): void {
  const known = findings.get(finding.code);
  if (known) {
    known.occurrence_count++;
    return;
  }
  findings.set(finding.code, {
    code: finding.code,
    occurrence_count: 1,
    pack: run.id,
    ...(finding.severity === undefined ? {} : { severity: finding.severity }),
    last_seen_unix: run.at_unix,
  });
}
