import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { QUESTION } from './hook-events.ts';

// Reads what was said since the last time from the transcript of a program: what the person and the agent wrote, never
// the output of tools.

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  at?: string;
}

export interface NewTurns {
  turns: Turn[];
  /** Where to read on: a byte of a file of lines, or a message of a file that is one JSON document. */
  offset: number;
}

/** Of a longer rest only the end is read. */
const MAX_READ_BYTES = 4 << 20;
const MAX_TURN_CHARS = 20_000;
/** What programs add to a conversation in the name of the user. */
const ADDED = /^\s*(?:<[a-z][\w-]*>|# AGENTS\.md|Caveat: )/;

/** Gemini CLI puts what hooks added before the words of the user, in the prompt of later hooks and in the transcript. */
const ADDED_BY_HOOKS = /^(?:\s*<hook_context>[\s\S]*?<\/hook_context>)+\s*/;

/** What the user said; empty if a program or a hook said it in their name. */
export function saidByUser(text: string): string {
  const said = text.replace(ADDED_BY_HOOKS, '').replace(QUESTION, '').trim();
  return ADDED.test(said) ? '' : said;
}

/** Claude Code's marks of records that nobody said in this conversation, such as the summary of a compacted one. */
const NOT_SAID_MARKS = ['isMeta', 'isSidechain', 'isCompactSummary'];

export const isNotSaid = (record: Record<string, unknown>) =>
  NOT_SAID_MARKS.some((mark) => record[mark] === true);

export function newTurns(path: string, offset: number): NewTurns {
  const { text, start, size } = readFrom(path, offset);
  const whole = start === 0 || text === '' ? undefined : text;
  const document = oneDocument(path, whole === undefined ? text : undefined, size);
  if (document) {
    const from = offset <= document.length ? offset : 0;
    return { turns: document.slice(from).flatMap(turnOf), offset: document.length };
  }
  const end = text.lastIndexOf('\n') + 1; // a line may be half written
  const lines = text.slice(0, end).split('\n');
  return {
    turns: lines.flatMap((line) => turnOf(parsed(line))),
    offset: start + Buffer.byteLength(text.slice(0, end)),
  };
}

/** The bytes from an offset on; from the start if the file is shorter than it was. */
function readFrom(path: string, offset: number): { text: string; start: number; size: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const start = Math.max(offset <= size ? offset : 0, size - MAX_READ_BYTES);
    const bytes = Buffer.alloc(size - start);
    const read = readSync(file, bytes, 0, bytes.length, start);
    return { text: bytes.toString('utf8', 0, read), start, size };
  } finally {
    closeSync(file);
  }
}

/** The messages of a transcript that is one JSON document, which is written again as a whole; undefined for lines. */
function oneDocument(path: string, text: string | undefined, size: number): unknown[] | undefined {
  if (!path.endsWith('.json') || size > MAX_READ_BYTES) return undefined;
  const { messages } = (parsed(text ?? readFrom(path, 0).text) ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? messages : undefined;
}

/** The turn in one record of Claude Code, Codex or Gemini CLI; none in any other. */
function turnOf(record: unknown): Turn[] {
  const fields = (record ?? {}) as Record<string, unknown>;
  if (isNotSaid(fields)) return [];
  const { type, message, payload, timestamp, content } = fields;
  const said = (message ?? payload ?? { role: type === 'gemini' ? 'assistant' : type, content }) as {
    type?: string;
    role?: string;
    content?: unknown;
  };
  const { role } = said;
  if (role !== 'user' && role !== 'assistant') return [];
  if (said.type !== undefined && said.type !== 'message') return [];
  const whole = textOf(said.content);
  const text = role === 'user' ? saidByUser(whole) : whole.trim();
  if (text === '') return [];
  const at = typeof timestamp === 'string' ? { at: timestamp } : {};
  return [{ role, text: text.slice(0, MAX_TURN_CHARS).toWellFormed(), ...at }];
}

const TEXT_TYPES = [undefined, 'text', 'input_text', 'output_text'];

/** The text parts of a message: not its tools, their results and its thoughts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((part) => TEXT_TYPES.includes(part?.type) && typeof part?.text === 'string')
    .map((part) => part.text as string)
    .join('\n');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
