import { decodedTexts } from './encoded-text.ts';
import { FORMAT_RULES } from './format-rules.ts';
import { SEED_PHRASE, SENTENCE_RULES } from './sentence-rules.ts';
import { STATED_RULES } from './stated-rules.ts';
import { STRUCTURE_RULES } from './structure-rules.ts';
import { featuresOf, type TextFeatures } from './text-features.ts';
import { ANY_PREFIX, type CredentialRule, PREFIX_RULES, SHAPE_RULES } from './token-rules.ts';

/** The name of the rule that matched, never the text. */
export interface CredentialFinding {
  rule: string;
}

const WORD_RULES = [...FORMAT_RULES, ...STRUCTURE_RULES, ...STATED_RULES, ...SENTENCE_RULES];
/** The rules in the order in which they are tried. */
export const CREDENTIAL_RULES: readonly { name: string; description: string }[] = [
  ...PREFIX_RULES,
  ...SHAPE_RULES,
  ...WORD_RULES,
  SEED_PHRASE,
].map(({ name, description }) => ({ name, description }));

function holds(rule: CredentialRule, text: string): boolean {
  if (rule.hints && !rule.hints.some((hint) => text.includes(hint))) return false;
  const { pattern, check } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (!check || check(match)) return true;
    // A rejected match may overlap a real one: "password is the password is hunter2".
    pattern.lastIndex = match.index + 1;
  }
  return false;
}

/** Words of which at least one stands beside every credential that is neither a token nor in configuration syntax. */
const ANY_NAME =
  /pass|pwd?|secret|senha|seed|token|key|kennw|auth|bearer|basic|backup|cred|contrase|curl|clave|recovery|mnemonic|mdp|login|:\/\/|wachtw/i;
/** The same for credentials that always contain digits. */
const ANY_NAME_OF_DIGITS =
  /co(?:nnect|okie|de|mbination)|log[- ]in|otp|[2m]fa|factor|p(?:in|uk|at|sk)\b|parola|cv[vc]\b|heslo|u(?:\/p|nlock)|net user|signtool|w(?:allet|ifi:)|zugangs|identif|snmp|geheim|root:|admin:|:[0-9]{2,5}:| -[apw]/i;
const ANY_NAME_BEYOND_ASCII = /lösen|hasł|jelszó|şifre|schlüssel|парол|логин|密|口令|パスワ|暗証|비밀|암호/i;
const CARD_DIGITS = 13;

function mayState(text: string, { isAscii, hasLongRun, hasMark, digits }: TextFeatures): boolean {
  return (
    hasMark ||
    hasLongRun ||
    digits >= CARD_DIGITS ||
    ANY_NAME.test(text) ||
    (digits > 0 && ANY_NAME_OF_DIGITS.test(text)) ||
    (!isAscii && ANY_NAME_BEYOND_ASCII.test(text))
  );
}

/** Maps full-width letters to ASCII and removes zero-width characters, which would hide a credential from the rules. */
function normalise(text: string): string {
  // Combining marks are removed first: normalising thousands of them in a row takes quadratic time.
  return text.replace(/[\p{M}\p{Cf}]+/gu, '').normalize('NFKC');
}

function find(rules: readonly CredentialRule[], text: string): CredentialRule | undefined {
  return rules.find((rule) => holds(rule, text));
}

function ruleThatHolds(text: string, features: TextFeatures): CredentialRule | undefined {
  if (features.hasLongRun) {
    const found = (ANY_PREFIX.test(text) ? find(PREFIX_RULES, text) : undefined) ?? find(SHAPE_RULES, text);
    if (found) return found;
  }
  const stated = mayState(text, features) ? find(WORD_RULES, text) : undefined;
  return stated ?? (features.hasWordRun && holds(SEED_PHRASE, text) ? SEED_PHRASE : undefined);
}

/** The first credential found in a text, or in what it encodes, if any. */
export function detectCredential(text: string): CredentialFinding | undefined {
  let plain = text;
  let features = featuresOf(text);
  if (!features.isAscii) {
    plain = normalise(text);
    features = featuresOf(plain);
  }
  let found = ruleThatHolds(plain, features);
  if (!found && (features.hasMark || features.hasLongRun))
    for (const decoded of decodedTexts(plain)) {
      found = ruleThatHolds(decoded, featuresOf(decoded));
      if (found) break;
    }
  return found && { rule: found.name };
}
