import { isFillIn } from './ordinary-words.ts';

/** Instead of a value: a mask, a template, a variable, code, or a reference to where the value is stored. */
const REFERENCES: readonly RegExp[] = [
  /^(?:[*xX•.#_?…-]+|[$%][A-Z_][A-Z0-9_]*%?|[$%][A-Za-z_]+%?|:['"]?[a-z_]+['"]?|__\w+__|@[A-Za-z_]+@)$/,
  /^(?:\$[({]|\$env:|%[(sdv]|[!@#]?\{(?!S?(?:SHA|MD5|CRYPT))|[[<(]|!(?:vault|ref|env)|\$[0-9]$)/i,
  /^(?:your|insert|enter|replace|placeholder|redacted|example|dummy|fake)(?:[-_ ]|$)|^your(?:pass|sec|tok|key)/i,
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^(?:[A-Za-z_$.]+|[\w$.]+\.[A-Za-z_]\w*)[([]|^[A-Za-z_]\w*\(\)/,
  /\.{3}$|…$/,
  /%[sd](?![A-Za-z0-9])|\{[a-z_]*\}/i,
  /^(?:self|this|cls|config|settings|process|os|env|ctx|app|args|opts|options|req|request)\.[A-Za-z_]/,
  /^[a-z]+(?:Password|Passwd|Pwd|Token|Secret|Key|Credentials?|Hash)$|^(?:password|passwd|token|secret|key|credentials?)(?:[A-Z][A-Za-z]*|_[a-z_]+)$/,
  /^[A-Za-z_]+(?:[!?]?\.[A-Za-z_]+)+$|^[A-Za-z_]+=[^=]|^[a-z_]*(?:_|get)(?:pass|pwd?|auth|cred|user|info|mgr)[a-z_]*$/,
  /^[a-z][a-z0-9+.-]*:\/\/|^(?:vault|arn|env|file|ref|ssm|secrets?|kms|keyvault|sha256|op|bws?|doppler):|^[A-Z]:[\\/]/i,
  /^(?:~|\.{0,2})\/{1,2}(?:[\w.-]+\/|[a-z.-]*$)|^[a-z0-9_.-]+(?:\/[a-z0-9_.{}-]+)+\/?$/,
  /\.(?:json|ya?ml|env|txt|pem|key|kdbx|md|toml|ini|conf|cfg|csv|gpg|asc|enc|html?|tsx?|jsx?|py)$/i,
  /^[\w.+-]+@[\w-]+\.[a-z]{2,}$|^[\w.-]+\.(?:com|org|net|io|dev|app|internal|local)$/i,
];

/** A long key in base64 may begin like a path. */
const isBase64Key = (value: string): boolean =>
  /^[A-Za-z0-9+/]{40,}={0,2}$/.test(value) && isScattered(value);

export const isReference = (value: string): boolean =>
  (REFERENCES.some((shape) => shape.test(value)) && !isBase64Key(value)) || isFillIn(value);

/** Placeholders in documentation, such as "ghp_xxxxxxxx", "sk-ant-your-key-here" or the keys in the manual of AWS. */
export function isSampleToken(body: string): boolean {
  return (
    /x{8}|(?:^|[-_])your[-_]|[-_]here$|placeholder|redacted|change-?me|EXAMPLE(?:KEY)?$|\.{3}$/i.test(body) ||
    /^[0*._-]+$/.test(body)
  );
}

/** Algorithms, products, durations, ordinals, dates, prices, versions: words with digits that are not credentials. */
const ORDINARY_SHAPE = new RegExp(
  `^(?:${[
    '(?:sha|md|pbkdf|bcrypt|scrypt|argon|aes|rsa|hmac|[herp]s|oauth|base|utf|tls|pkcs|fips|ipv)-?[0-9][\\w.-]{0,12}$',
    '(?:(?:ed|x)(?:25519|448)|x509|x86(?:[_-]64)?|p-?(?:256|384|521))$',
    '(?:1pass|ip(?:hone|ad)|icloud|ios|macos|git[hl]|lastp|keep|onel|jumpc|linked|paypal|mysql|postg|auth0)[\\w-]*$',
    '[0-9]{1,4}-[a-z-]+$|[0-9]fa\\b|[0-9]{4}-[0-9]{2}|[$€£][0-9.,]+|v[0-9]+$|v?[0-9]+(?:\\.[0-9]+)+[\\w.:+-]*$',
    '[0-9.]+(?:st|nd|rd|th|[smhdxk]|ms|[kmg]i?b|(?:min|hour|day|week|month|year|char|character|bit|byte)s?)$',
  ].join('|')})`,
  'i',
);

export const hasOrdinaryShape = (value: string): boolean => ORDINARY_SHAPE.test(value);

/** How often letters and digits alternate: rarely in names and words, often in random strings. */
export function alternations(value: string): number {
  return (value.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])/g) ?? []).length;
}

/** Mixed case with few words, acronyms or numbers in it: random text that has too few digits for `alternations`. */
export function isScattered(value: string): boolean {
  const rest = value.replace(/[A-Z]?[a-z]{3,}|[A-Z]{4,}|[0-9]{2,}|[^A-Za-z0-9]/g, '').length;
  return rest * 5 >= value.length * 2 && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** ≥ 32 hex digits, or ≥ 20 characters of a base64 alphabet that are not words, a path or a name. */
export function looksRandom(value: string): boolean {
  if (/^(?:0x)?[A-Fa-f0-9]{32,}$/.test(value)) return /[1-9a-f]/i.test(value);
  return value.length >= 20 && (alternations(value) >= 3 || isScattered(value));
}

/** Whether the characters alone make this a password that a person chose. */
export function looksChosen(value: string): boolean {
  if (value.length < 6 || ORDINARY_SHAPE.test(value)) return false;
  if (!/[A-Za-z]/.test(value)) return /^[0-9]{6,}$|[0-9].*[!@#$%^&*]/.test(value);
  return /[0-9!@#$%^&*+=~|]/.test(value) || (value.length >= 8 && /[a-z][A-Z]/.test(value));
}

/** The same where no "is" or "=" says so: letters with digits, in no form that names, dates or tickets have. */
export function looksChosenAlone(value: string): boolean {
  if (value.length < 8 || !looksChosen(value) || isReference(value) || isSampleToken(value)) return false;
  if (!/[A-Za-z]/.test(value) || /[/\\()<>[\]{}]/.test(value)) return false;
  if (!/[0-9]/.test(value) && value.length >= 10 && isScattered(value)) return true;
  if (!/[0-9]/.test(value)) return /[a-z]/.test(value) && /[A-Z]/.test(value) && /[!@#$%^&*]/.test(value);
  return !/^[A-Z]{1,10}-[0-9]+$|^[A-Za-z]+-?[0-9]$/i.test(value);
}

/** The same for values of "token", "secret" or "api key", which are generated. */
export function looksIssued(value: string): boolean {
  if (value.length < 7 || ORDINARY_SHAPE.test(value) || /^[A-Z]{2,10}-[0-9]+$/.test(value)) return false;
  if (alternations(value) >= 3 || (value.length >= 12 && isScattered(value))) return true;
  const parts = value.split(/[^A-Za-z0-9]+/);
  return /[A-Za-z]/.test(value) && parts.some((part) => part.length >= 7 && /[0-9]/.test(part));
}

/** Whether a text in either base64 alphabet decodes to something that matches; decoded as Latin-1, so that no byte is lost. */
export function decodes(base64: string, wanted: RegExp): boolean {
  return wanted.test(Buffer.from(base64, 'base64').toString('latin1'));
}

/** The characters before a match, at most `count`. */
export const before = (match: RegExpExecArray, count: number): string =>
  match.input.slice(Math.max(0, match.index - count), match.index);

/** The characters after a match, at most `count`. */
export function after(match: RegExpExecArray, count: number): string {
  const end = match.index + match[0].length;
  return match.input.slice(end, end + count);
}
