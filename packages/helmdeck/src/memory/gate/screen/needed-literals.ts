// Which patterns for markup are worth trying on a text: those whose signs the text contains.

import { splitAt } from './screen-phrases.ts';

/** What every match of a pattern contains. */
interface Needs {
  /** One of these; '' stands for anything. */
  literals: readonly string[];
  /** A character beyond ASCII. */
  beyondAscii: boolean;
}

const known = new WeakMap<RegExp, Needs>();

/** False if the pattern cannot match the text: far cheaper than to try it. */
export function mayMatch(pattern: RegExp, text: string, isAscii: boolean): boolean {
  const { literals, beyondAscii } = known.get(pattern) ?? analysed(pattern);
  return !(beyondAscii && isAscii) && literals.some((literal) => text.includes(literal));
}

function analysed(pattern: RegExp): Needs {
  const { source, ignoreCase } = pattern;
  const literals = splitAt('|', source).map((alternative) => longestLiteral(alternative, ignoreCase));
  const needs = { literals, beyondAscii: literals.includes('') && source.includes('\\u') };
  known.set(pattern, needs);
  return needs;
}

const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gs;

/** The longest literal text that stands outside of groups and is not optional. */
function longestLiteral(source: string, ignoresCase: boolean): string {
  const tokens = Array.from(source.matchAll(TOKENS), ([token]) => token);
  let longest = '';
  let literal = '';
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    const isOptional = /^[?*{]/.test(tokens[index + 1] ?? '');
    const character = depth > 0 || isOptional ? undefined : literalOf(token);
    const isCounted = character !== undefined && !(ignoresCase && /[a-z]/i.test(character));
    literal = isCounted ? literal + character : '';
    if (literal.length > longest.length) longest = literal;
  }
  return longest;
}

function literalOf(token: string): string | undefined {
  if (/^\\[^\w]$/.test(token)) return token[1];
  return /^[^\\^$.*+?()[\]{}|]$/.test(token) ? token : undefined;
}
