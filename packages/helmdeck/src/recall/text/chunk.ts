import type { EntryContent } from '../../memory/entry.ts';
import type { RecallKind } from '../index/documents.ts';

/** What an entry is to a reader: where it would sit in a folder of notes, and its text. */
export interface Chunk {
  file: string;
  collection: string;
  title: string;
  markdown: string;
}

/** What an audit row says of a run; written by the engine as JSON. */
interface RunRecord {
  pack?: string;
  pipeline?: string;
  version?: string;
  outcome?: string;
  run_id?: string;
  duration_ms?: number;
  learn_inputs?: Record<string, string>;
}

export function chunkOf(kind: RecallKind, content: EntryContent): Chunk {
  if (kind === 'fact') {
    const { key, value, category = '' } = content;
    const markdown = `## ${key}\n\n${value}\n\n(category: ${category})`;
    return { file: `facts/${key}`, collection: `helmdeck-${category}`, title: key, markdown };
  }
  const run = JSON.parse(content.value) as RunRecord;
  return kind === 'audit.pack' ? packCall(run) : pipelineRun(run);
}

function packCall(run: RunRecord): Chunk {
  const pack = run.pack ?? 'unknown';
  const lines = [`## Pack call: ${pack}`, '', `Outcome: ${run.outcome}`];
  if (run.version !== undefined) lines.push(`Version: ${run.version}`);
  if (run.duration_ms !== undefined) lines.push(`Duration: ${run.duration_ms}ms`);
  lines.push(...inputLines(run));
  const markdown = lines.join('\n');
  return { file: `audit/pack/${pack}`, collection: 'helmdeck-pack_history', title: pack, markdown };
}

function pipelineRun(run: RunRecord): Chunk {
  const pipeline = run.pipeline ?? 'unknown';
  const lines = [`## Pipeline run: ${pipeline}`, '', `Outcome: ${run.outcome}`];
  if (run.run_id !== undefined) lines.push(`Run ID: ${run.run_id}`);
  lines.push(...inputLines(run));
  const file = `audit/pipeline/${pipeline}`;
  return { file, collection: 'helmdeck-pipeline_history', title: pipeline, markdown: lines.join('\n') };
}

function inputLines({ learn_inputs }: RunRecord): string[] {
  const inputs = Object.entries(learn_inputs ?? {});
  return inputs.length === 0 ? [] : ['Inputs used:', ...inputs.map(([name, value]) => `- ${name}: ${value}`)];
}

/** What the index reads of an entry. */
export function searchable(kind: RecallKind, content: EntryContent): EntryContent {
  if (kind === 'fact') return content;
  const { title, markdown } = chunkOf(kind, content);
  return { key: title, value: markdown, tags: content.tags, category: content.category };
}

const MAX_MEANING = 8_000;

/** What is embedded of a fact. */
export function meaningOf({ key, value, tags = [] }: EntryContent): string {
  const parts = [key.replaceAll(/[/_.-]+/g, ' '), value.slice(0, MAX_MEANING), tags.join(', ')];
  return parts.filter(Boolean).join('\n').slice(0, MAX_MEANING);
}
