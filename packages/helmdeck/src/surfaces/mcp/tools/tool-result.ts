import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { type AppError, ERRORS, errorEnvelope } from '../../../errors.ts';

/** Longer text would waste the context window of a model; the whole result is in `structuredContent`. */
const MAX_TEXT_CHARS = 8_000;
const MAX_STRING_CHARS = 1_000;
const MAX_ITEMS = 20;

/** A structured result for programs, and a short text of it for models: most clients show them only one of the two. */
export function toolResult(
  structured: Record<string, unknown>,
  meta?: object,
  text = shortJson(structured),
): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: structured,
    ...(meta ? { _meta: { 'helmdeck/run': meta } } : {}),
  };
}

/** The failure of a request other than a tool call: a JSON-RPC error with the error envelope as data. */
export function protocolFailure(error: AppError, requestId: string): ProtocolError {
  return new ProtocolError(ERRORS[error.code].jsonRpc, error.message, errorEnvelope(error, requestId));
}

/** Valid JSON of bounded size: long strings and lists are truncated, with a count of what is missing. */
function shortJson(value: unknown): string {
  const full = JSON.stringify(value);
  if (full.length <= MAX_TEXT_CHARS) return full;
  let [chars, items] = [MAX_STRING_CHARS, MAX_ITEMS];
  for (;;) {
    const text = JSON.stringify(truncate(value, chars, items));
    if (text.length <= MAX_TEXT_CHARS || chars <= 40) return text;
    [chars, items] = [Math.floor(chars / 2), Math.max(1, Math.floor(items * 0.75))];
  }
}

function truncate(value: unknown, chars: number, items: number): unknown {
  if (typeof value === 'string') {
    const left = value.length - chars;
    return left <= 0 ? value : `${value.slice(0, chars).toWellFormed()}… (${left} more characters)`;
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, items).map((item) => truncate(item, chars, items));
    return value.length > items ? [...shown, `… (${value.length - items} more)`] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, truncate(item, chars, items)]),
  );
}
