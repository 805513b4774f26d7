/** Stands for a text that is shown elsewhere; from a range of characters that means nothing by itself. */
const ELSEWHERE = '\uE000';
const MAX_COLOURED_CHARS = 30_000;
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?/g;

interface JsonViewProps {
  value: unknown;
  /** A field whose text is shown above, so that only its length is told here. */
  above?: { field: string; note: string };
}

/** JSON with names and texts told apart; text nodes only. */
export function JsonView({ value, above }: JsonViewProps) {
  const shown = above ? { ...(value as object), [above.field]: ELSEWHERE + above.note } : value;
  const text = JSON.stringify(shown, null, 2) ?? '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard
    <pre className="code json-view" tabIndex={0}>
      {text.length > MAX_COLOURED_CHARS ? text : coloured(text)}
    </pre>
  );
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
