import { detectCredential } from '../credential-detector/credential-detector.ts';
import type { FactRules, ValidFact } from '../facts/validate-fact.ts';

// The sentence that a proposal was taken from: it lets a person decide without opening the document or conversation.

export const MAX_QUOTE_CHARS = 500;
/** Checked beyond what is kept, so that a credential that the cut would split is recognised. */
const MAX_CHECKED_CHARS = 4 * MAX_QUOTE_CHARS;

/**
 * A fact with the sentence that it was taken from, for a harvest or an import; no request sets it. The sentence is kept
 * with a proposal only, is shown in the inbox only, and is screened with the fact. One that holds a credential is omitted.
 */
export function withQuote(fact: ValidFact, sentence: string, rules: FactRules): ValidFact {
  const oneLine = sentence
    .slice(0, 2 * MAX_CHECKED_CHARS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  const checked = [...oneLine].slice(0, MAX_CHECKED_CHARS);
  const text = checked.join('');
  if (text === '' || (rules.secretGuard && holdsCredential(fact.key, text))) return fact;
  const isCut = checked.length > MAX_QUOTE_CHARS;
  return { ...fact, quote: isCut ? `${checked.slice(0, MAX_QUOTE_CHARS - 1).join('')}…` : text };
}

/** Under a key such as `wifi/password` even an ordinary word is a credential. */
export function holdsCredential(key: string, quote: string): boolean {
  return detectCredential(`${key}: ${quote}`) !== undefined;
}
