// Recognises texts that are written to steer a model rather than to state a fact: deterministic, without a model. It
// knows patterns; what it does not find is not thereby harmless.

import { asciiLookAlike, visibleText } from '../facts/hidden-characters.ts';
import { SCREEN_RULES, type ScreenRule } from './screen-rules.ts';

export interface ScreenFinding {
  rule: string;
  /** One sentence that a person understands. */
  reason: string;
}

const PRINTABLE_ASCII = /^[\t\n\r\x20-\x7e]*$/;
const BEFORE_MATCH_CHARACTERS = 120;
const AFTER_MATCH_CHARACTERS = 80;

/** The first rule that the text meets, in the order of the rules. */
export function screenText(text: string): ScreenFinding | undefined {
  const forms = readings(text);
  const rule = SCREEN_RULES.find((rule) => forms.some((form) => meets(rule, form)));
  return rule && { rule: rule.name, reason: rule.reason };
}

interface Reading {
  raw: string;
  lines: string;
  flat: string;
}

/** The text as it may be read: as it is, and with look-alike letters replaced. */
function readings(text: string): Reading[] {
  const asIs = reading(text);
  if (PRINTABLE_ASCII.test(text)) return [asIs];
  const imitated = asciiLookAlike(asIs.lines);
  return imitated === asIs.lines ? [asIs] : [asIs, reading(imitated)];
}

function reading(raw: string): Reading {
  const lines = plainLines(raw);
  return { raw, lines, flat: flatten(lines) };
}

/** Lower case, compatibility forms and accents of Latin letters resolved, invisible characters removed. */
function plainLines(text: string): string {
  const lower = (PRINTABLE_ASCII.test(text) ? text : visibleText(text).normalize('NFKC')).toLowerCase();
  if (PRINTABLE_ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u2060]|\ufe0f/g, '')
    .replace(/[‘’ʼ´]/g, "'");
}

/** One line without emphasis and quotation marks; words that `_` and `-` join stand apart. */
function flatten(lines: string): string {
  return lines
    .replace(/\n[\t\n\r ]*(?=[-*#\d]|\n)/g, '. ')
    .replace(/["*`“”„«»]/g, '')
    .replace(/[\s_-]+/g, ' ');
}

function meets(rule: ScreenRule, form: Reading): boolean {
  return (
    rule.raw?.some((pattern) => found(pattern, form.raw, rule.unless)) ||
    rule.lines?.some((pattern) => found(pattern, form.lines, rule.unless)) ||
    rule.flat?.some((pattern) => found(pattern, form.flat, rule.unless)) ||
    false
  );
}

function found(pattern: RegExp, text: string, unless: RegExp | undefined): boolean {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (!unless?.test(sentenceAround(text, match.index, match[0].length))) return true;
  }
  return false;
}

function sentenceAround(text: string, start: number, length: number): string {
  const before = text.slice(Math.max(0, start - BEFORE_MATCH_CHARACTERS), start);
  const after = text.slice(start, start + length + AFTER_MATCH_CHARACTERS);
  return before.slice(before.search(/[^.!?\n]*$/)) + after;
}
