import { visibleText } from '../../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';

export interface TextPart {
  text: string;
  marked: boolean;
  /** The offset it starts at; used as its React key. */
  start: number;
}

/** Splits a text at the matches the server found, so that they are marked as text nodes and never as markup, and shows hidden characters. */
export function highlightParts(text: string, highlights: readonly (readonly [number, number])[]): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  const add = (from: number, to: number, marked: boolean) => {
    if (to > from) parts.push({ text: visibleText(text.slice(from, to)), marked, start: from });
  };
  for (const [start, end] of [...highlights].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, end);
    if (to <= from) continue;
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, text.length, false);
  return parts;
}
