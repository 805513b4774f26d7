type Range = readonly [start: number, end: number];

export interface RowText {
  text: string;
  highlights: Range[];
}

/** What Markdown adds to a text; the first group of a match, if there is one, is kept. */
const MARKS = [
  /^[ \t]*(?:```|~~~)\w*[ \t]*$\n?/gm,
  /^#{1,6}[ \t]+/gm,
  /^[ \t]*[-*+][ \t]+(?:\[[ x]\][ \t]+)?/gm,
  /^>[ \t]?/gm,
  /^[ \t]*(?:-{3,}|\*{3,})[ \t]*$\n?/gm,
  /!?\[([^\]\n]+)\]\([^)\s]*\)/g,
  /`+/g,
  /\*\*/g,
];

/** A text without its Markdown marks, for one line of a row; highlights stay on their words. */
export function withoutMarks(text: string, highlights: readonly Range[] = []): RowText {
  const gone = new Uint8Array(text.length);
  for (const mark of MARKS) {
    for (const match of text.matchAll(mark)) {
      gone.fill(1, match.index, match.index + match[0].length);
      const kept = match[1];
      if (kept !== undefined) {
        const start = match.index + match[0].indexOf(kept);
        gone.fill(0, start, start + kept.length);
      }
    }
  }
  const places = new Uint32Array(text.length + 1);
  let shown = '';
  for (let at = 0; at < text.length; at++) {
    places[at] = shown.length;
    if (!gone[at]) shown += text[at];
  }
  places[text.length] = shown.length;
  const placeOf = (offset: number) => places[Math.min(text.length, Math.max(0, offset))]!;
  return { text: shown, highlights: highlights.map(([start, end]) => [placeOf(start), placeOf(end)]) };
}

/** A row shows a line or two, which the browser truncates; it need not be given 64 KiB. */
const MAX_CHARS = 300;
const MAX_JSON_CHARS = 16_384;
const MAX_JSON_KEYS = 6;

/** The beginning of a value on one line: JSON by its first keys, anything else without Markdown marks. */
export function rowText(value: string): string {
  const start = value.trimStart().slice(0, MAX_CHARS);
  return (jsonKeys(value) ?? withoutMarks(start).text).replaceAll(/\s+/g, ' ').trim();
}

function jsonKeys(value: string): string | undefined {
  if (!/^\s*[{[]/.test(value) || value.length > MAX_JSON_CHARS) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const entries = Object.entries(parsed);
    const shown = entries
      .slice(0, MAX_JSON_KEYS)
      .map(([key, item]) => (Array.isArray(parsed) ? brief(item) : `${key}: ${brief(item)}`));
    return [...shown, ...(entries.length > MAX_JSON_KEYS ? ['…'] : [])].join(', ').slice(0, MAX_CHARS);
  } catch {
    return undefined; // only looks like JSON
  }
}

function brief(item: unknown): string {
  if (Array.isArray(item)) return item.length === 0 ? '[]' : '[…]';
  return typeof item === 'object' && item !== null ? '{…}' : String(item);
}
