import { languagesOf, languageTerm, looseTerm } from './languages/languages.ts';
import { stem } from './stem.ts';
import { eachWord } from './tokens.ts';

/** An excerpt of a text with the matched words to highlight. */
export interface Snippet {
  text: string;
  /** Start and end of each match, in UTF-16 units of the snippet. */
  highlights: [number, number][];
}

export const MAX_SNIPPET_CHARS = 240;
/** How much of a longer text is tokenised: around the expected match first, then, if there is no match, more of it. */
const SEARCHED_CHARS = [4_096, 16_384];
/** How far a cut may move to fall on a word boundary. */
const WORD_SLACK = 24;

/**
 * The window of a text with the most distinct query terms. `position` is where to expect it, from 0 to 1: tokenising the
 * whole of a long text would take longer than the search.
 */
export function snippetOf(text: string, wanted: ReadonlySet<string>, position = 0): Snippet {
  const hits = findNear(text, wanted, position * text.length);
  const [start, end] = text.length <= MAX_SNIPPET_CHARS ? [0, text.length] : shownRange(text, hits, position);
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

interface Occurrence<T> {
  term: T;
  start: number;
  end: number;
}

/** The query terms near an index of the text, in order. */
function findNear(text: string, wanted: ReadonlySet<string>, index: number): Occurrence<string>[] {
  // A stem begins as its word does, so most words need not be stemmed.
  const initials = new Set(Array.from(wanted, (term) => term.charCodeAt(0)));
  const languages = languagesOf(wanted);
  for (const size of SEARCHED_CHARS) {
    const from = wordStart(text, Math.max(0, Math.min(Math.floor(index - size / 2), text.length - size)));
    const searched = text.slice(from, wordEnd(text, Math.min(text.length, from + size)));
    const hits: Occurrence<string>[] = [];
    eachWord(searched, (word, start, end) => {
      if (languages.length === 0 && !initials.has(word.charCodeAt(0))) return;
      const own = stem(word);
      const inLanguages = languages.flatMap((language) => [
        languageTerm(word, language) ?? '',
        looseTerm(word, language) ?? '',
      ]);
      const term = wanted.has(own) ? own : inLanguages.find((each) => wanted.has(each));
      if (term !== undefined) hits.push({ term, start: start + from, end: end + from });
    });
    // Words are not in order of `start`: a compound comes after its parts.
    hits.sort((a, b) => a.start - b.start);
    if (hits.length > 0 || searched.length === text.length) return hits;
  }
  return [];
}

/** Which part of a longer text to show: `MAX_SNIPPET_CHARS` characters around the densest hits, or where they were expected. */
function shownRange(text: string, hits: readonly Occurrence<string>[], position: number): [number, number] {
  const best = densestWindow(hits, MAX_SNIPPET_CHARS) ?? [position * text.length, position * text.length];
  const middle = (best[0] + best[1]) / 2;
  const start = Math.max(
    0,
    Math.min(Math.floor(middle - MAX_SNIPPET_CHARS / 2), text.length - MAX_SNIPPET_CHARS),
  );
  return [wordStart(text, start), wordEnd(text, Math.min(text.length, start + MAX_SNIPPET_CHARS))];
}

/** Slides a window over occurrences: the start and end of the first one with the most distinct terms. */
export function densestWindow<T>(
  occurrences: readonly Occurrence<T>[],
  length: number,
): [number, number] | undefined {
  let best: [number, number] | undefined;
  let distinct = 0;
  let first = 0;
  const inside = new Map<T, number>();
  for (const each of occurrences) {
    inside.set(each.term, (inside.get(each.term) ?? 0) + 1);
    while (each.end - occurrences[first]!.start > length && occurrences[first] !== each) {
      const { term } = occurrences[first++]!;
      const left = inside.get(term)! - 1;
      if (left === 0) inside.delete(term);
      else inside.set(term, left);
    }
    if (inside.size <= distinct) continue;
    distinct = inside.size;
    best = [occurrences[first]!.start, each.end];
  }
  return best;
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
