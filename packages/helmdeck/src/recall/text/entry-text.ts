import type { EntryContent } from '../../memory/entry.ts';
import { visibleText } from '../../memory/facts/hidden-characters.ts';
import type { RecallKind } from '../index/documents.ts';

// The text forms of an entry: Markdown for readers, the content to index, and the text to embed.

/** An entry as a Markdown file in a folder of notes. */
export interface Chunk {
  file: string;
  collection: string;
  title: string;
  markdown: string;
}

/** The value of a run record, written by the engine as JSON. */
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
    const markdown = `## ${key}\n\n${asBody(value)}\n\n(category: ${category})`;
    return { file: `facts/${key}`, collection: `helmdeck-${category}`, title: key, markdown };
  }
  const run = JSON.parse(content.value) as RunRecord;
  return kind === 'audit.pack' ? packCall(run) : pipelineRun(run);
}

// Headings, underlines of headings, rules between documents, and the line that ends one. Some programs take U+0085 for a
// line end.
const STRUCTURE =
  /(?<=^|\u0085)(?= {0,3}(?:#{1,6}(?:[ \t\u0085]|$)|[-=]+[ \t]*(?:\u0085|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}(?:\u0085|$)|\(category: ))/gm;

/** A value as the body of a document: hidden characters are shown, and no line can pass for a part of the document. */
function asBody(value: string): string {
  return visibleText(value).replaceAll(STRUCTURE, '\\');
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

/** The content of an entry as it is indexed: a fact as it is, a run record as its Markdown. */
export function indexedContent(kind: RecallKind, content: EntryContent): EntryContent {
  if (kind === 'fact') return content;
  const { title, markdown } = chunkOf(kind, content);
  return { key: title, value: markdown, tags: content.tags, category: content.category };
}

const MAX_EMBEDDED_CHARS = 8_000;

/**
 * The text of a fact that is embedded: the words of its key and the value. Tags are labels to filter by, which words find
 * as well; names and dates in them only blur what the fact is about.
 */
export function embeddingText({ key, value }: EntryContent): string {
  const parts = [key.replaceAll(/[/_.-]+/g, ' '), value.slice(0, MAX_EMBEDDED_CHARS)];
  return parts.filter(Boolean).join('\n').slice(0, MAX_EMBEDDED_CHARS);
}
