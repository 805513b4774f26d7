import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { type AppError, ERRORS, errorEnvelope } from '../../errors.ts';

/** Beyond this a model's window is better spent on something else; all of it is in `structuredContent`. */
const MAX_TEXT_CHARS = 8_000;
const MAX_STRING_CHARS = 1_000;
const MAX_ITEMS = 20;

/** A result for programs, and the same in short as text for models whose client shows them nothing else. */
export function toolResult(structured: Record<string, unknown>, meta?: object): CallToolResult {
  return {
    content: [{ type: 'text', text: shortJson(structured) }],
    structuredContent: structured,
    ...(meta ? { _meta: { 'helmdeck/run': meta } } : {}),
  };
}

/** A failure of a request that is no tool call: a JSON-RPC error with the envelope of every surface. */
export function protocolFailure(error: AppError, requestId: string): ProtocolError {
  return new ProtocolError(ERRORS[error.code].jsonRpc, error.message, errorEnvelope(error, requestId));
}

/** Valid JSON of bounded size: long texts and lists are cut and say so. */
function shortJson(value: unknown): string {
  const whole = JSON.stringify(value);
  if (whole.length <= MAX_TEXT_CHARS) return whole;
  let [chars, items] = [MAX_STRING_CHARS, MAX_ITEMS];
  for (;;) {
    const text = JSON.stringify(cut(value, chars, items));
    if (text.length <= MAX_TEXT_CHARS || chars <= 40) return text;
    [chars, items] = [Math.floor(chars / 2), Math.max(1, Math.floor(items * 0.75))];
  }
}

function cut(value: unknown, chars: number, items: number): unknown {
  if (typeof value === 'string') {
    const left = value.length - chars;
    return left <= 0 ? value : `${value.slice(0, chars).toWellFormed()}… (${left} more characters)`;
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, items).map((item) => cut(item, chars, items));
    return value.length > items ? [...shown, `… (${value.length - items} more)`] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, chars, items)]));
}
