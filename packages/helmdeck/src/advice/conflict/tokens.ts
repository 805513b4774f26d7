// The tokeniser of conflict detection. Unlike the one of recall it keeps numbers, dates, times and units whole.

/** A word, number or symbol of a text. */
export interface Token {
  lower: string;
  /** Its position in the normalised text. */
  start: number;
  end: number;
  capital: boolean;
  /** The text between the previous token and this one. */
  gap: string;
}

const TOKEN =
  /[#@$€£°+-]?[\p{L}\p{N}](?:(?:[\p{L}\p{N}\p{M}'._@/:%°+#&_-]|(?<=\d),(?=\d))*[\p{L}\p{N}\p{M}%°+#])?|[%°=→€$£]|->/gu;
const PLAIN = /^[a-z]+$/;

/** "Mr. Novak", "max. 10 MB": the point of an abbreviation does not end a sentence either. */
const ABBREVIATION_POINT = /\b(mrs?|ms|dr|prof|nr|no|ca|approx|max|min)\.(?= )/gi;
/** A cheap test before the expression below, whose lookbehind is slow. */
const NUMBER_POINT = /\d\. /;
/** "am 12. Juli", "im 3. Stock": the point of a German ordinal does not end a sentence. */
const ORDINAL_POINT = /(?<=\b(?:am|im|der|vom|zum|dem|den|bis|ab) \d{1,2})\.(?= \p{L})/gu;

/** Cuts and normalises a value: NFKC, plain apostrophes and hyphens. */
export function comparableText(value: string, maxChars: number): string {
  const cut = value.length > maxChars ? value.slice(0, maxChars).toWellFormed() : value;
  let text = cut.normalize('NFKC').replace(/[’ʼ`]/g, "'").replace(/[−‐‑]/g, '-');
  if (text.includes('. ')) text = text.replace(ABBREVIATION_POINT, '$1');
  return NUMBER_POINT.test(text) ? text.replace(ORDINAL_POINT, '') : text;
}

/** Splits normalised text into at most `limit` tokens: hyphenated words come apart, identifiers with digits or dots stay whole. */
export function tokenise(text: string, limit: number): Token[] {
  const tokens: Token[] = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length >= limit) break;
    const run = match[0];
    const start = match.index;
    const gap = text.slice(last, start);
    last = start + run.length;
    const lower = run.toLowerCase();
    if (PLAIN.test(lower) || !/[-']/.test(lower)) addToken(tokens, run, lower, start, gap);
    else addParts(tokens, run, lower, start, gap);
  }
  if (tokens.length > limit) tokens.length = limit;
  return tokens;
}

function addToken(tokens: Token[], run: string, lower: string, start: number, gap: string): void {
  tokens.push({ lower, start, end: start + run.length, capital: run[0] !== lower[0], gap });
}

const RANGE = /^([\d.:]+(?:[a-z%]{0,3}))-([\d.:]+[a-z%]{0,3})$/;
const CODED = /\d|[._@/:#]/;
const NUMBER_AND_WORD = /^(\d+(?:\.\d+)?)-(\p{L}+)$/u;
const ISO = /^\d{4}-\d{1,2}/;

function addParts(tokens: Token[], run: string, lower: string, start: number, gap: string): void {
  const apostrophe = lower.indexOf("'");
  if (apostrophe > 0) {
    // "Priya's" names Priya; "don't" is one word.
    const isPossessive = apostrophe >= lower.length - 2 && lower.endsWith('s');
    const end = isPossessive ? apostrophe : lower.length;
    addToken(tokens, run.slice(0, end), lower.slice(0, end).replaceAll("'", ''), start, gap);
    return;
  }
  const pair = ISO.test(lower) ? null : (RANGE.exec(lower) ?? NUMBER_AND_WORD.exec(lower));
  if (!pair && CODED.test(lower)) {
    addToken(tokens, run, lower, start, gap);
    return;
  }
  let at = start;
  for (const part of lower.split('-')) {
    if (part) {
      const original = run.slice(at - start, at - start + part.length);
      addToken(tokens, original, part, at, tokens.length > 0 && at > start ? '-' : gap);
    }
    at += part.length + 1;
  }
}
