import { isFamousPassword, isOrdinaryWord } from './ordinary-words.ts';
import { FOR, ISSUED, isOpen, isTestPassword, NOT_A_CREDENTIAL, PASSWORD } from './secret-names.ts';
import type { CredentialRule } from './token-rules.ts';
import {
  after,
  before,
  decodes,
  hasOrdinaryShape,
  isReference,
  isSampleToken,
  looksChosen,
  looksChosenAlone,
  looksIssued,
  looksRandom,
} from './value-shapes.ts';

/** One word; an ampersand ends it in a query or before an entity. */
const AMPERSAND = '&(?![\\w.-]{1,30}=|\\w{2,5};)';
const VALUE = `(?:[^\\s"'\`,;&<>|]|${AMPERSAND})(?:[^\\s"'\`,;&<|]|${AMPERSAND}){0,63}`;
const NAMES = `${PASSWORD}|(?<![a-z]|boarding |ski |bus |train |day |season )pass|${ISSUED}`;
/** Between the name and the value: an operator, a verb, a table cell, an argument list, or a field named "value". */
const IS = [
  '["\'`]?\\s{0,2}(?:,\\s{0,12}|\\n\\s{0,12})["\'`]?value["\'`]?\\s{0,2}[:=]\\s{0,2}',
  ':\\s?[|>][+-]?\\n\\s{1,12}',
  '\\s{0,3}(?::=|=>|->|→|={1,3}|:|[—–](?=\\s))[*_]{0,2}\\s{0,4}',
  '\\s(?:(?:is|was|has been|now|be|got) )?(?:(?:set|changed|updated|reset) )?to:?\\s',
  "(?:\\s(?:is|was|are|es|est|c'est|ist|lautet|hei(?:ß|ss)t|é|è|är|jest|это)|'s)(?:\\s(?:now|still|currently|just|always|simply|also|probably|jetzt|immer|maintenant|ahora)){0,2}:?\\s{1,3}",
  '\\s{0,2}(?:[は是为為]|는|은)[:\\s]{0,3}',
  '\\s{0,4}\\|\\s{0,4}',
  '\\((?=["\'`])|["\'`)\\]]{0,3}\\s?,\\s{0,2}(?=["\'`])|["\'`]?\\)\\.\\w{2,16}\\((?=["\'`])',
].join('|');
/** The start of another clause, whose "is" does not refer to the password. */
const CLAUSE =
  '\\s(?:(?:but|so|then|because|when|while|which|that)|and (?:an?|the|our|my|we|it|i|he|she|they|now|is))\\s';
/** "password", optionally "for the guest wifi", then one of the links above, then one word. */
const ASSIGNMENT = new RegExp(
  `(?<name>${NAMES})["'\`*\\\\\\])]{0,4}(?:\\s(?:${FOR})\\s(?:(?!${CLAUSE})[^\\n.:;,=!?|]|[.:](?!\\s)){1,60}?|` +
    `(?<label>(?:\\s[^\\s\\d:=,.;!?()|"'<>]{2,20}){1,2}(?=\\s?[:=]))|\\s?\\([^)\\n]{1,40}\\))?(?<is>${IS})(?<open>["'\`*\\\\]{0,4})(?<value>${VALUE})`,
  'gi',
);

const isPasswordName = (name: string): boolean => !/^pass$|key|secret|token|^pat$|clé|ключ|api/i.test(name);
/** In other languages "ist", "est" and "es" are followed by ordinary words of which no list is kept. */
const isEnglishPasswordName = (name: string): boolean =>
  /^p(?:ass(?!wort)|wd?|sk)/i.test(name) && !/^pass$/i.test(name);
/** Configuration or code rather than a sentence. */
const isTight = ({ groups }: RegExpExecArray): boolean =>
  groups?.is === '=' || /["'`]/.test(groups?.open ?? '');

const MAX_QUOTED_CHARS = 128;
/** A value in quotes ends at the closing one; a comma or an ampersand in it does not end it. */
function quotedValue(match: RegExpExecArray): string | undefined {
  const { open = '', value = '' } = match.groups ?? {};
  const quote = /["'`]$/.exec(open)?.[0];
  if (quote === undefined) return undefined;
  const start = match.index + match[0].length - value.length;
  const end = match.input.slice(start, start + MAX_QUOTED_CHARS).indexOf(quote);
  const quoted = match.input.slice(start, start + Math.max(0, end)).replace(/\\+$/, '');
  return quoted === '' || /\s/.test(quoted) ? undefined : quoted;
}

/** Whether the assigned word is a credential rather than the rest of an ordinary sentence. */
function assignsSecret(match: RegExpExecArray): boolean {
  const { name = '', is = '' } = match.groups ?? {};
  const raw = quotedValue(match) ?? match.groups?.value ?? '';
  const value = raw.replace(/[.!?:)\]}*~\\]+$/, '');
  if (isOrdinaryWord(value) || isReference(raw) || (raw !== value && isReference(value))) return false;
  if (raw.endsWith('?') && !/[:=]/.test(is)) return false;
  if (isSampleToken(value) || (!isTight(match) && /^secret$/i.test(value)) || isTestPassword(match, value))
    return false;
  const isPassword = isPasswordName(name);
  const isChosen = isPassword || /^pass$/i.test(name);
  if (!isChosen && isOpen(match, name)) return false;
  // A bare "pass" may be a mountain pass or a ticket, so it counts only in configuration syntax.
  if (/^pass$/i.test(name) && !/^pass["'`*]{0,4}\s{0,3}[:=]/i.test(match[0])) return false;
  // "password policy: …" and "password manager: …" say something about passwords.
  if (match.groups?.label !== undefined) return isPassword && looksChosenAlone(value);
  // An argument or a cell may be a label; it counts only if it looks like a password by itself.
  if (/^\s*\|/.test(is) && !/\|[\s*`"']{0,6}(?:[\w-]{1,20} ){0,2}[\w-]{0,20}$/.test(before(match, 60)))
    return false;
  if (/^[^:]*[|,(]/.test(is) && !/value/i.test(is))
    return isChosen
      ? looksChosenAlone(value)
      : looksIssued(value) && looksChosenAlone(value) && !/key|token|secret/i.test(value);
  if (isChosen ? looksChosen(value) : looksIssued(value)) return true;
  if (/^secret$/i.test(name) && looksChosenAlone(value) && /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value))
    return true;
  return isPlainWordAlone(match, raw, value) && isStatedWord(match, value);
}

/** Whether nothing follows a value that is a plain word. */
function isPlainWordAlone(match: RegExpExecArray, raw: string, value: string): boolean {
  const is = match.groups?.is ?? '';
  const isDelimited = isTight(match) || raw !== value || /^[ \t]?(?:$|[\r\n,;&<])/.test(after(match, 3));
  return (
    isDelimited &&
    !raw.endsWith(':') &&
    !/\n/.test(is) &&
    !/to:?\s$/i.test(is) &&
    /[A-Za-z0-9]{2}/.test(value)
  );
}

/** Whether a plain word is a credential by its name and the operator before it. */
function isStatedWord(match: RegExpExecArray, value: string): boolean {
  const { name = '', is = '' } = match.groups ?? {};
  const isPassword = isEnglishPasswordName(name);
  const tight = isTight(match);
  if (isPassword && !tight && hasOrdinaryShape(value)) return false;
  if (isPassword) return value.length >= 6 || isFamousPassword(value) || tight || /^[0-9]{4,}$/.test(value);
  if (isPasswordName(name))
    return (tight || /[:=]|lautet|hei(?:ß|ss)t/i.test(is)) && /^[A-Za-z0-9_-]{6,}$/.test(value);
  const isCompound = /[A-Za-z0-9][_-]$|[a-z]$/.test(before(match, 2)) || /_/.test(name);
  const isConfigured =
    /[:=]/.test(is) && (tight || isCompound) && !/token|key$/i.test(name.replace(/api.?key/i, ''));
  return isConfigured && value.length >= 8 && !/secret|passw|token|key|cred/i.test(value);
}

function isAuthorization(match: RegExpExecArray): boolean {
  const value = match[2] ?? '';
  if (/^basic$/i.test(match[1] ?? '')) return decodes(value, /^[\x20-\x7e]{0,200}:[\x20-\x7e]+$/);
  if (isReference(value) || isSampleToken(value)) return false;
  if (/^auth/i.test(match[0])) return looksIssued(value) || /^[A-Za-z0-9+/=]{20,}$/.test(value);
  return value.length >= 16 && (looksIssued(value) || looksRandom(value));
}

/** KEY=hex: an upper-case name that contains "key", "secret" or the like, or any name that ends in one of them. */
function namesRandomValue(match: RegExpExecArray): boolean {
  const [, name = '', value = ''] = match;
  if (isOpen(match, name) || NOT_A_CREDENTIAL.test(value) || isSampleToken(value) || isReference(value))
    return false;
  if (/^[([]/.test(after(match, 1))) return false;
  const isUpperCase =
    name === name.toUpperCase() && !/_(?:ID|URL|URI|NAME|PATH|FILE|SHA[0-9]*|DIGEST|ARN|REF)$/.test(name);
  return (
    (isUpperCase || /(?:key|secret|token|pat|login|auth|credential|^api)s?$|^secret_key/i.test(name)) &&
    looksRandom(value)
  );
}

/** Credentials that an operator, a verb, a table cell or an argument list assigns to their name. */
export const STATED_RULES: readonly CredentialRule[] = [
  {
    name: 'authorization-header',
    description: 'Bearer, Basic or Token credential of an HTTP request',
    pattern:
      /(?:authorization["'\\]{0,2}\s{0,2}[:=]\s{0,2}["'\\]{0,2}|\b)(bearer|basic|(?<=[:=]\s{0,2}["'\\]{0,2})(?:token|apikey|ssws|splunk|genie-?key|key|bot|negotiate))\s{1,3}["'`]?([\w.~+/=-]{8,4096})/gi,
    check: isAuthorization,
  },
  {
    name: 'named-random-value',
    description: 'Random-looking value assigned to a key, secret or token',
    pattern:
      /((?:key|secret|token|pass|pwd|cred|auth|(?<![a-z])pat|salt|\.login|(?<=x-[a-z-]{0,20})api)[a-z0-9_]{0,40}?)["'`*\\\])]{0,4}\s{0,3}(?::=|=>|[:=]|\sis\s|>)\s{0,3}["'`\\]{0,3}([a-z0-9+/_:.-]{20,256})/gi,
    check: namesRandomValue,
  },
  {
    name: 'stated-secret',
    description: '"password is …", "password: …", "api_key = …" with a value that looks like one',
    pattern: ASSIGNMENT,
    check: assignsSecret,
  },
];
