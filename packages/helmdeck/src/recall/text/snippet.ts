import { tokenise } from './tokens.ts';

/** An excerpt of a text with the matched words to highlight. */
export interface Snippet {
  text: string;
  /** Start and end of each match, in UTF-16 units of the snippet. */
  highlights: [number, number][];
}

const MAX_LENGTH = 240;
/** A longer text is searched up to here. */
const MAX_SEARCHED = 65_536;
/** How far a cut may move to fall on a word boundary. */
const WORD_SLACK = 24;

/** The window of a text with the most distinct query terms. */
export function snippetOf(text: string, wanted: ReadonlySet<string>): Snippet {
  const searched = text.slice(0, MAX_SEARCHED);
  // Tokens are not in order of `start`: a compound comes after its parts.
  const hits = tokenise(searched)
    .filter((token) => wanted.has(token.term))
    .sort((a, b) => a.start - b.start);
  const [start, end] = text.length <= MAX_LENGTH ? [0, text.length] : bestWindow(text, hits);
  const before = start > 0 ? '…' : '';
  const after = end < text.length ? '…' : '';
  const shift = before.length - start;
  const highlights: [number, number][] = [];
  for (const hit of hits) {
    if (hit.start < start || hit.end > end) continue;
    const last = highlights.at(-1);
    // Parts of a compound and bigrams of a script without spaces overlap: merge them.
    if (last && hit.start + shift <= last[1]) last[1] = Math.max(last[1], hit.end + shift);
    else highlights.push([hit.start + shift, hit.end + shift]);
  }
  return { text: before + text.slice(start, end) + after, highlights };
}

interface Hit {
  term: string;
  start: number;
  end: number;
}

/** Slides a window of `MAX_LENGTH` over the hits. */
function bestWindow(text: string, hits: readonly Hit[]): [number, number] {
  let best = { distinct: 0, from: hits[0]?.start ?? 0, to: hits[0]?.end ?? 0 };
  let first = 0;
  const inside = new Map<string, number>();
  for (const hit of hits) {
    inside.set(hit.term, (inside.get(hit.term) ?? 0) + 1);
    while (hit.end - hits[first]!.start > MAX_LENGTH && hits[first] !== hit) {
      const { term } = hits[first++]!;
      const left = inside.get(term)! - 1;
      if (left === 0) inside.delete(term);
      else inside.set(term, left);
    }
    if (inside.size > best.distinct) best = { distinct: inside.size, from: hits[first]!.start, to: hit.end };
  }
  const middle = (best.from + best.to) / 2;
  const start = Math.max(0, Math.min(Math.floor(middle - MAX_LENGTH / 2), text.length - MAX_LENGTH));
  return [wordStart(text, start), wordEnd(text, Math.min(text.length, start + MAX_LENGTH))];
}

/** Moves a cut to the next white space, so that words and surrogate pairs stay whole. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  for (let next = at - 1; next < at + WORD_SLACK; next++) if (/\s/.test(text[next] ?? '')) return next + 1;
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function wordEnd(text: string, at: number): number {
  if (at === text.length) return at;
  for (let next = at; next > at - WORD_SLACK; next--) if (/\s/.test(text[next] ?? '')) return next;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

const isLowSurrogate = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
