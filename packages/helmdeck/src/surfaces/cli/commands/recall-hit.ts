import { cautionText } from '../../../memory/facts/freshness.ts';
import type { Why } from '../../../recall/ranking/explain.ts';
import { relativeTime } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

const INDENT = '  ';
const MIN_COLUMNS = 20;

export interface RecallHit {
  key: string;
  /** Set if several memories were searched, or a space. */
  space?: string;
  kind: string;
  category: string;
  tags: string[];
  score: number;
  confident: boolean;
  snippet: string;
  /** Start and end of each match in the snippet. */
  highlights: number[][];
  updated_at: string;
  confirmed_at?: string;
  stale?: true;
  why?: Why;
}

/** How well a hit matches; `newest` if the query had no words. */
type Fit = 'good' | 'weak' | 'newest';

/** Renders one hit: score, key and details, then the snippet with its matches. */
export function renderHit(screen: Screen, hit: RecallHit, fit: Fit, nowMs: number): string {
  const details = [
    fit === 'weak' ? 'weak' : '',
    hit.kind === 'fact' ? '' : `${hit.kind.replace(/^audit\./, '')} run`,
    hit.space ?? '',
    hit.category,
    hit.tags.join(', '),
    relativeTime(hit.updated_at, nowMs),
    hit.stale ? cautionText(Date.parse(hit.confirmed_at!), nowMs) : '',
  ].filter((detail) => detail !== '');
  const title = [
    ...(fit === 'newest' ? [] : [screen.paint('dim', hit.score.toFixed(2))]),
    fit === 'weak' ? onOneLine(hit.key) : screen.paint('bold', onOneLine(hit.key)),
    screen.paint('dim', onOneLine(details.join(' · '))),
  ].join('  ');
  const why = hit.why ? whyLines(hit.why).map((line) => screen.paint('dim', INDENT + onOneLine(line))) : [];
  return [title, ...snippetLines(screen, hit), ...why].join('\n');
}

/** Replaces characters one by one, so that the offsets of highlights stay valid. */
const onOneLine = (text: string) => printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');

function snippetLines(screen: Screen, { snippet, highlights }: RecallHit): string[] {
  const text = onOneLine(snippet);
  const maxWidth =
    screen.columns === undefined ? text.length : Math.max(MIN_COLUMNS, screen.columns - INDENT.length);
  return wrapped(text, maxWidth).map(
    ([from, to]) => INDENT + paintMatches(screen, text, highlights, from, to),
  );
}

/** Start and end of each line, broken between words if possible. */
function wrapped(text: string, maxWidth: number): [number, number][] {
  const lines: [number, number][] = [];
  let from = 0;
  while (text.length - from > maxWidth) {
    const blank = text.lastIndexOf(' ', from + maxWidth);
    const to = blank > from ? blank : wholeCharacters(text, from + maxWidth);
    lines.push([from, to]);
    from = text[to] === ' ' ? to + 1 : to;
  }
  if (from < text.length) lines.push([from, text.length]);
  return lines;
}

/** Moves a position out of the middle of a surrogate pair. */
const wholeCharacters = (text: string, at: number) =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;

function paintMatches(
  screen: Screen,
  text: string,
  highlights: readonly number[][],
  from: number,
  to: number,
): string {
  let line = '';
  let at = from;
  for (const [start = 0, end = 0] of highlights) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)];
    if (first >= last) continue;
    line += text.slice(at, first) + screen.paint(['bold', 'yellow'], text.slice(first, last));
    at = last;
  }
  return line + text.slice(at, to);
}

function whyLines({ sentence, lexical, meaning, vector }: Why): string[] {
  const shares = { words: lexical, 'related words': meaning, embeddings: vector };
  const numbers = Object.entries(shares).flatMap(([name, share]) =>
    share === undefined ? [] : [`${name} ${share.toFixed(2)}`],
  );
  return [sentence, numbers.join(' · ')];
}
