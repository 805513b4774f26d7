import { strings } from '../strings.ts';

/** A private-use character that marks a note in place of a text which is shown elsewhere. */
const ELSEWHERE = '\uE000';
const MAX_COLOURED_CHARS = 30_000;
/** A longer string, such as a base64 file, is shortened; copying and saving keep it whole. */
const LONG_CHARS = 2_000;
const SHOWN_CHARS = 300;
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?/g;

interface JsonViewProps {
  value: unknown;
  /** A field whose text is shown above, so that only its length is shown here. */
  above?: { field: string; note: string };
}

/** Highlighted JSON, as text nodes only. */
export function JsonView({ value, above }: JsonViewProps) {
  const shown = above ? { ...(value as object), [above.field]: ELSEWHERE + above.note } : value;
  const text = JSON.stringify(shown, shorten, 2) ?? '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard
    <pre className="code json-view" tabIndex={0}>
      {text.length > MAX_COLOURED_CHARS ? text : coloured(text)}
    </pre>
  );
}

function shorten(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONG_CHARS) return value;
  return `${value.slice(0, SHOWN_CHARS)}… (${strings.packRun.characters(value.length)})`;
}

function coloured(text: string) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string = '', colon] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    if (colon !== undefined) parts.push(<b key={match.index}>{string}</b>, colon);
    else if (string[1] === ELSEWHERE) parts.push(<u key={match.index}>{string.slice(2, -1)}</u>);
    else parts.push(<i key={match.index}>{string}</i>);
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}
