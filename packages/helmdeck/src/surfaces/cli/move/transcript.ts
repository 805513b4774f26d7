import type { Turn } from '../../../memory/harvest/extract.ts';
import { isNotSaid, saidByUser } from '../hook/transcript.ts';

// Turns of a conversation as programs keep them: JSON Lines of Claude Code, Codex and others, or Gemini's one JSON file.

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The turns of a person and of the model. Results of tools, reasoning and what a program added are left out. */
export function transcriptTurns(text: string): (Turn & { at?: string })[] {
  return recordsOf(text).flatMap((record) => {
    if (isNotSaid(record)) return [];
    // Claude Code: {type, message}; Codex: {type: "response_item", payload}; others have the turn itself.
    const turn = isFields(record.message)
      ? record.message
      : isFields(record.payload)
        ? record.payload
        : record;
    const role = roleOf(textOf(turn.role) || textOf(turn.type) || textOf(record.type));
    if (role === undefined) return [];
    const whole = contentOf(turn.content ?? turn.text ?? turn.parts ?? turn.message);
    const said = role === 'user' ? saidByUser(whole) : whole.trim();
    if (said === '') return [];
    const at = textOf(record.timestamp) || textOf(turn.timestamp) || textOf(turn.at);
    return [
      { role, text: said, ...(Number.isNaN(Date.parse(at)) ? {} : { at: new Date(at).toISOString() }) },
    ];
  });
}

function recordsOf(text: string): Fields[] {
  try {
    const whole: unknown = JSON.parse(text);
    const list = isFields(whole) ? (whole.messages ?? whole.history ?? whole.turns ?? [whole]) : whole;
    return Array.isArray(list) ? list.filter(isFields) : [];
  } catch {
    // JSON Lines. The last one may be cut: the program is still writing it.
    return text.split('\n').flatMap((line) => {
      try {
        const record: unknown = JSON.parse(line);
        return isFields(record) ? [record] : [];
      } catch {
        return [];
      }
    });
  }
}

function roleOf(name: string): string | undefined {
  if (['user', 'human', 'user_message'].includes(name)) return 'user';
  if (['assistant', 'model', 'gemini', 'agent_message'].includes(name)) return 'assistant';
  return undefined;
}

/** What was written: text parts only, so that the result of a tool in a person's turn is not taken for their words. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      const isText =
        isFields(part) && ['text', 'input_text', 'output_text', undefined].includes(part.type as string);
      return isText ? textOf(part.text) : '';
    })
    .filter(Boolean)
    .join('\n');
}
