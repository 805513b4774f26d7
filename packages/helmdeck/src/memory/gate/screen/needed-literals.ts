// Which patterns for markup are worth trying on a text: those whose signs the text contains.

import type { Cue } from './screen-cues.ts';
import { ENOUGH_WEIGHT } from './screen-cues.ts';
import { type ScreenRule, splitAt } from './screen-phrases.ts';
import { signsOf, type TextTraits } from './text-traits.ts';

/** A pattern for text as it was sent or for lines, with what every match contains. */
export interface MarkupPattern {
  pattern: RegExp;
  owner: ScreenRule | Cue;
  isForLines: boolean;
  /** One of these; '' stands for anything. In lower case if the pattern ignores case. */
  literals: readonly string[];
  /** The punctuation that all of the literals have. */
  signs: number;
  ignoresCase: boolean;
  /** Two capitals in a row. */
  capitals: boolean;
  beyondAscii: boolean;
}

/** The forms of a text that these patterns are matched against. */
export interface MarkedText {
  raw: string;
  lines: string;
  traits: TextTraits;
}

export function markupPatternsOf(owners: readonly (ScreenRule | Cue)[]): MarkupPattern[] {
  return owners.flatMap((owner) => [
    ...(owner.raw ?? []).map((pattern) => analysed(pattern, owner, false)),
    ...(('lines' in owner && owner.lines) || []).map((pattern) => analysed(pattern, owner, true)),
  ]);
}

/** False if the pattern cannot match the text: far cheaper than to try it. */
export function mayMatch(markup: MarkupPattern, { raw, lines, traits }: MarkedText): boolean {
  const { literals, signs, ignoresCase, isForLines } = markup;
  if ((signs & ~traits.signs) !== 0 && traits.isPlain) return false;
  if (traits.isPlain && (markup.beyondAscii || (markup.capitals && !traits.hasCapitals))) return false;
  // Beyond ASCII, letters may have been replaced in `lines`.
  if (ignoresCase && !traits.isPlain) return true;
  const searched = isForLines || ignoresCase ? lines : raw;
  for (const literal of literals) if (searched.includes(literal)) return true;
  return false;
}

/** What the patterns that may match a text add up to: a rule is enough by itself. */
export function possibleWeightOfMarkup(patterns: readonly MarkupPattern[], text: MarkedText): number {
  let weight = 0;
  for (const markup of patterns) {
    if (mayMatch(markup, text)) weight += 'weight' in markup.owner ? markup.owner.weight : ENOUGH_WEIGHT;
  }
  return weight;
}

function analysed(pattern: RegExp, owner: ScreenRule | Cue, isForLines: boolean): MarkupPattern {
  const { source, ignoreCase: ignoresCase } = pattern;
  const alternatives = splitAt('|', source);
  const literals = alternatives.map(longestLiteral);
  return {
    pattern,
    owner,
    isForLines,
    literals: ignoresCase ? literals.map((literal) => literal.toLowerCase()) : literals,
    signs: literals.map(signsOf).reduce((common, signs) => common & signs),
    ignoresCase,
    capitals: !(ignoresCase || isForLines) && alternatives.every(needsCapitals),
    beyondAscii: literals.includes('') && (source.includes('\\u') || alternatives.every(needsBeyondAscii)),
  };
}

/** Whether a part that is not optional begins with two capitals in each of its forms. */
function needsCapitals(source: string): boolean {
  return /\[A-Z\]\{[2-9]/.test(requiredPart(source)) || hasGroupOf(/^[A-Z]{2}/, source);
}

/** Whether a part that is not optional has a character beyond ASCII in each of its forms. */
function needsBeyondAscii(source: string): boolean {
  return hasGroupOf(/[^\0-\x7f]/, source);
}

function requiredPart(source: string): string {
  return source.replace(/\(\?:[^()]*\)(?:[?*]|\{0,\d+\})/g, '').replace(/\(\?<?[!=][^()]*\)/g, '');
}

function hasGroupOf(shape: RegExp, source: string): boolean {
  const groups = requiredPart(source).matchAll(/\(\?:([^()]*)\)(?![?*{])/g);
  return Array.from(groups, ([, group]) => group!.split('|')).some((forms) =>
    forms.every((form) => shape.test(form)),
  );
}

const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gs;

/** The literal text with the most signs that stands outside of groups and is not optional. */
function longestLiteral(source: string): string {
  const tokens = Array.from(source.matchAll(TOKENS), ([token]) => token);
  let longest = '';
  let literal = '';
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    const isOptional = /^[?*{]/.test(tokens[index + 1] ?? '');
    const character = depth > 0 || isOptional ? undefined : literalOf(token);
    literal = character === undefined ? '' : literal + character;
    if (literal.trim().length > longest.trim().length) longest = literal;
  }
  return longest;
}

function literalOf(token: string): string | undefined {
  if (/^\\[^\w]$/.test(token)) return token[1];
  return /^[^\\^$.*+?()[\]{}|]$/.test(token) ? token : undefined;
}
