import {
  ANY_PREFIX,
  alternations,
  type CredentialRule,
  decodes,
  isSampleToken,
  isScattered,
  looksRandom,
  MARKED_RULES,
  OPEN_NAME,
  ORDINARY_SHAPE,
  PREFIX_RULES,
  SHAPE_RULES,
} from './credential-rules.ts';

/** The name of the rule that matched, never the text. */
export interface CredentialFinding {
  rule: string;
}

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));
/** Words that follow "password is" or "password:" in ordinary notes, templates and code. */
const ORDINARY = words(`
  1password a about absent access active actually admins again already also always an and annually any
  anyone anything apparently apple as ask at auto automatic aws azure back bad basic because been before
  behind being below between big bitwarden blank bool boolean both broken by bytes char chars check clear
  common complex contact confidential confluence correct critical crucial current currently daily dashlane dead
  default different difficult doppler due during dynamic easy either elsewhere email empty enough env
  environment ephemeral essential every everywhere example exempt expected external false field fine first
  for forgotten found from github gitlab get given gone good google hard held here hex hidden hopefully how
  icloud identical if important impossible in incorrect infisical insecure inside intact integer internal
  into invalid irrelevant it its itself jira just keepass keepassxc keeper kept keychain known last lastpass
  later length local long lost made manual maximum met mine minimum missing monthly more my n/a na never new
  next nil no none nordpass normally not nothing notion now null number objects obsolete obviously of off
  often ok okay okta old on once one onepassword only optional or other our ours out over pass passbolt
  passwd password passwords per permanent personal plain plaintext please present private probably proper
  proton public pwd quarterly quite random read ready really redacted refresh reset right rotate rotation
  safe same secure see sent separate session set shared short shown similar simple since slack so some
  someone something somewhere sops static still str string strings strong such tbd temp temporary text than
  that the their theirs them then there they this through to today todo token too tricky trivial true twice
  two type typically unavailable undefined under unique universal unknown unsafe unset until up upon us use
  user username usually valid value varchar vault vaultwarden very via wait we weak weekly what when where
  whether which who why will with within without wrong yearly yes you your yours zero`);

/** Passwords shorter than the minimum length. */
const FAMOUS = words('admin root guest toor test demo');

/** Participles and adjectives: "is hashed", "is expiring", "is memorable", "is mandatory", "is sensitive". */
const ORDINARY_ENDING = /^[a-z'-]{2,}(?:ed|ing|able|ible|less|ory|ary|ive|tten|wide|specific|only|free|own)$/;

/** Instead of a value: a mask, a template, a variable, code, or a reference to where the value is stored. */
const REFERENCES: readonly RegExp[] = [
  /^(?:[*xX•.#_?-]+|[$%][A-Z_][A-Z0-9_]*%?|[$%][A-Za-z_]+%?)$/,
  /^(?:\$[({]|%[(sdv]|[!@#]?\{|[[<(]|!(?:vault|ref|env))/,
  /^(?:your|insert|enter|replace|placeholder|redacted|example|dummy|fake)(?:[-_ ]|$)|^your(?:pass|sec|tok|key)/i,
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^(?:[A-Za-z_$.]+|[\w$.]+\.[A-Za-z_]\w*)[([]/,
  /^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^[A-Za-z_]+=[^=]|^[a-z_]*(?:_|get)(?:pass|pwd?|auth|cred|user|info|mgr)[a-z_]*$/,
  /^[a-z][a-z0-9+.-]*:\/\/|^(?:vault|arn|env|file|ref|ssm|secrets?|kms|keyvault|sha256):|^[A-Z]:[\\/]/i,
  /^(?:~|\.{0,2})\/{1,2}(?:[\w.-]+\/|[a-z.-]*$)|^[a-z0-9_.-]+(?:\/[a-z0-9_.{}-]+)+\/?$/,
  /\.(?:json|ya?ml|env|txt|pem|key|kdbx|md|toml|ini|conf|cfg|csv|gpg|asc|enc)$/i,
  /^[\w.+-]+@[\w-]+\.[a-z]{2,}$|^[\w.-]+\.(?:com|org|net|io|dev|app|internal|local)$/i,
];

const isReference = (value: string): boolean => REFERENCES.some((shape) => shape.test(value));
function isOrdinaryWord(word: string): boolean {
  const lower = word.toLowerCase();
  return ORDINARY.has(lower) || ORDINARY_ENDING.test(lower);
}

/** Whether the characters alone make this a password that a person chose. */
function looksChosen(value: string): boolean {
  if (value.length < 6 || ORDINARY_SHAPE.test(value)) return false;
  if (!/[A-Za-z]/.test(value)) return /^[0-9]{6,}$|[0-9].*[!@#$%^&*]/.test(value);
  return /[0-9!@#$%^&*+=~|]/.test(value) || (value.length >= 8 && /[a-z][A-Z]/.test(value));
}

/** The same for values of "token", "secret" or "api key", which are generated. */
function looksIssued(value: string): boolean {
  if (value.length < 7 || ORDINARY_SHAPE.test(value) || /^[A-Z]{2,10}-[0-9]+$/.test(value)) return false;
  if (alternations(value) >= 3 || (value.length >= 12 && isScattered(value))) return true;
  const parts = value.split(/[^A-Za-z0-9]+/);
  return /[A-Za-z]/.test(value) && parts.some((part) => part.length >= 7 && /[0-9]/.test(part));
}

const before = (match: RegExpExecArray, count: number): string =>
  match.input.slice(Math.max(0, match.index - count), match.index);

const VALUE = '[^\\s"\'`,;&<>][^\\s"\'`,;&<]{0,63}';
const NAMES = [
  '(?<!1|one)pass(?:words?|wd|phrases?|codes?|wort)|(?<![a-z])pwd?|(?<=[_.]|my)pwd|contraseña|mot de passe|senha',
  'пароль|密码|パスワード|(?<![a-z]|boarding |ski |bus |train |day |season )pass',
  '(?<![0-9]:)secret(?:[_ -]?key)?|(?:api|access|private|encrypt(?:ion)?|signing|master|auth|account)[_ -]?key|token',
].join('|');
const IS = [
  '\\s{0,3}(?::=|=>|->|→|={1,3}|:)[*_]{0,2}\\s{0,4}',
  '\\s(?:(?:is|was|has been|now|be|got) )?(?:(?:set|changed|updated|reset) )?to:?\\s',
  "(?:\\s(?:is|was|are|es|est|ist)|'s)(?:\\s(?:now|still|currently|just|always|simply|also|probably)){0,2}:?\\s{1,3}",
].join('|');
/** The start of another clause, whose "is" does not refer to the password. */
const CLAUSE =
  '\\s(?:(?:but|so|then|because|when|while|which|that)|and (?:an?|the|our|my|we|it|i|he|she|they|now|is))\\s';
/** "password", optionally "for the guest wifi", then "is" or an assignment operator, then one word. */
const ASSIGNMENT = new RegExp(
  `(?<name>${NAMES})["'\`*\\\\\\])]{0,4}(?:\\s(?:for|to|of|on|at|in)\\s(?:(?!${CLAUSE})[^\\n.:;,=!?]|[.:](?!\\s)){1,60}?|` +
    `\\s?\\([^)\\n]{1,40}\\))?(?<is>${IS})(?<open>["'\`*\\\\]{0,4})(?<value>${VALUE})`,
  'gi',
);

/** Whether the assigned word is a credential rather than the rest of an ordinary sentence. */
function assignsSecret(match: RegExpExecArray): boolean {
  const { name = '', is = '', open = '', value: raw = '' } = match.groups ?? {};
  const value = raw.replace(/[.!?:)\]}*~\\]+$/, '');
  if (isOrdinaryWord(value) || isReference(raw) || (raw !== value && isReference(value))) return false;
  const tight = is === '=' || /["'`]/.test(open);
  if (isSampleToken(value) || (!tight && /^secret$/i.test(value))) return false;
  const password = /^p(?:ass(?!wort)|wd?)/i.test(name) && !/^pass$/i.test(name);
  const chosen = password || !/key|secret|token/i.test(name);
  if (!chosen && OPEN_NAME.test(before(match, 16))) return false;
  // A bare "pass" may be a mountain pass or a ticket, so it counts only in configuration syntax.
  if (/^pass$/i.test(name) && !/^pass["'`*]{0,4}\s{0,3}[:=]/i.test(match[0])) return false;
  if (chosen ? looksChosen(value) : looksIssued(value)) return true;
  // From here on the value is a plain word: it counts only if nothing follows it.
  const rest = match.input.slice(match.index + match[0].length, match.index + match[0].length + 3);
  const isDelimited = tight || raw !== value || /^[ \t]?(?:$|[\r\n,;&<])/.test(rest);
  if (
    !isDelimited ||
    raw.endsWith(':') ||
    /\n/.test(is) ||
    /to:?\s$/i.test(is) ||
    !/[A-Za-z0-9]{2}/.test(value)
  )
    return false;
  if (password && !tight && ORDINARY_SHAPE.test(value)) return false;
  if (password) return value.length >= 6 || FAMOUS.has(value) || tight || /^[0-9]{4,}$/.test(value);
  const compound = /[A-Za-z0-9][_-]$|[a-z]$/.test(before(match, 2)) || /_/.test(name);
  const configured =
    /[:=]/.test(is) && (tight || compound) && !/token|key$/i.test(name.replace(/api.?key/i, ''));
  return configured && value.length >= 8 && !/secret|passw|token|key|cred/i.test(value);
}

/** Public keys, UUIDs and Helmdeck's own ids: random, but not credentials. */
const NOT_A_CREDENTIAL =
  /^AAAA|^pk_|^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$|^(?:art|run|job|pipe|sess)_[\da-f]{16,32}$/;
const isReal = (value: string): boolean =>
  !isReference(value) && !/^(?:pass(?:word|wd)?|pwd?|token|secret_?key|api[-_]?key)$/i.test(value);

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
  if (OPEN_NAME.test(before(match, 16)) || NOT_A_CREDENTIAL.test(value) || isSampleToken(value)) return false;
  const isUpperCase =
    name === name.toUpperCase() && !/_(?:ID|URL|URI|NAME|PATH|FILE|SHA[0-9]*|DIGEST|ARN|REF)$/.test(name);
  return (isUpperCase || /(?:key|secret|token)s?$|^secret_key/i.test(name)) && looksRandom(value);
}

/** At least four words after "passphrase", or twelve after "seed phrase", few of which are common in sentences. */
function isPhrase(match: RegExpExecArray): boolean {
  const list = (match[2] ?? '').toLowerCase().split(/[ ,]+/);
  const plain = list.filter((word) => word !== 'correct' && isOrdinaryWord(word)).length;
  return list.length >= (/^pass/i.test(match[1] ?? '') ? 4 : 12) && plain * 5 <= list.length;
}

const USERINFO =
  ':\\/\\/[^\\s/?#:@["\'<>`]{0,128}:(?![0-9]{1,5}[/?#,;)\\]])([^\\s@"\'<>`]{1,256})@(?!sha[0-9])[\\w[.*$-]';
const DATABASES =
  '(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|valkey|amqps?|mssql|sqlserver|clickhouse|cockroachdb|neo4j|bolt|oracle)';

/** Rules that consider the words around the value. */
const PROSE_RULES: readonly CredentialRule[] = [
  {
    name: 'database-url',
    description: 'Database or broker address with a password',
    pattern: new RegExp(`(?<![a-z0-9])${DATABASES}(?:\\+[a-z0-9]{1,20})?${USERINFO}`, 'gi'),
    hints: ['://'],
    check: (match) => isReal(match[1] ?? ''),
  },
  {
    name: 'url-password',
    description: 'Address with a password before its host',
    pattern: new RegExp(`(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}${USERINFO}`, 'gi'),
    hints: ['://'],
    check: (match) => isReal(match[1] ?? ''),
  },
  {
    name: 'database-dsn',
    description: 'JDBC, ADO.NET or Go connection string with a password',
    pattern: new RegExp(
      `(?:jdbc:[^\\s"']{1,300}?[?&;:]|(?:server|data source|host|user id|uid|database)\\s?=[^\\n"']{1,200}?;\\s?)` +
        `(?:password|pwd)\\s?=\\s?(?!\\s|[;&"'<>])([^\\s;&"']{1,128})|` +
        `(?:jdbc:oracle:thin:[^\\s/@]{1,64}/|(?<![\\w.-])[\\w.-]{1,64}:)([^\\s@:/]{1,128})@(?:tcp\\(|unix\\(|//)`,
      'gi',
    ),
    check: (match) => isReal(match[1] ?? match[2] ?? ''),
  },
  {
    name: 'authorization-header',
    description: 'Bearer, Basic or Token credential of an HTTP request',
    pattern:
      /(?:authorization["'\\]{0,2}\s{0,2}[:=]\s{0,2}["'\\]{0,2}|\b)(bearer|basic|(?<=[:=]\s{0,2}["'\\]{0,2})(?:token|apikey|ssws))\s{1,3}["'`]?([\w.~+/=-]{8,4096})/gi,
    check: isAuthorization,
  },
  {
    name: 'command-line-credential',
    description: 'curl -u user:password, or a --password or --token option',
    pattern:
      /(?:curl\s[^\n]{0,200}?(?:-u|--user)[ =]?["']?[^\s:"']{1,64}:|--(?:password|passwd|token|api-?key|secret)[ =]["']?)([^\s"']{4,256})/gi,
    check: (match) => isReal(match[1] ?? '') && looksChosen(match[1] ?? ''),
  },
  {
    name: 'named-random-value',
    description: 'Random-looking value assigned to a key, secret or token',
    pattern:
      /((?:key|secret|token|pass|pwd|cred|auth)[a-z0-9_]{0,40}?)["'`*\\\])]{0,4}\s{0,3}(?::=|=>|[:=]|\sis\s)\s{0,3}["'`\\]{0,3}([a-z0-9+/_-]{20,128})/gi,
    check: namesRandomValue,
  },
  {
    name: 'recovery-phrase',
    description: 'Passphrase of several words, or a wallet seed phrase',
    pattern:
      /(passphrase|password(?=["'`]?\s?[:=]\s?["'`])|(?:seed|recovery|mnemonic|backup)(?: (?:phrase|words?))?)["'`]?(?: is| are|\s?[:=])\s{0,3}["'`]?((?:[a-z]{3,8}[ ,]{1,2}){3,23}[a-z]{3,8})/gi,
    check: isPhrase,
  },
  {
    name: 'user-and-password',
    description: 'Credentials stated as user/password, or "with password …"',
    pattern: new RegExp(
      '(?:(?:credentials?|creds|user(?:name)?\\s?(?:[/&+]|and)\\s?pass(?:word)?)(?: is| are|\\s?[:=])\\s{0,3}["\'`]?' +
        '[^\\s"\'`:/,;]{1,64}\\s?[:/]\\s?|\\b(?:with|using|use|temp|temporary|default|initial|login \\S{1,64})\\s(?:the\\s|my\\s)?' +
        '(?:password|passphrase|pw)\\s)["\'`]?([^\\s"\'`,;]{6,128})',
      'gi',
    ),
    check: (match) => !isReference(match[1] ?? '') && looksChosen((match[1] ?? '').replace(/[.!?)]+$/, '')),
  },
  {
    name: 'stated-secret',
    description: '"password is …", "password: …", "api_key = …" with a value that looks like one',
    pattern: ASSIGNMENT,
    check: assignsSecret,
  },
];

const RULES = [...PREFIX_RULES, ...SHAPE_RULES, ...MARKED_RULES, ...PROSE_RULES];
/** The rules in the order in which they are tried. */
export const CREDENTIAL_RULES: readonly { name: string; description: string }[] = RULES.map((rule) => {
  return { name: rule.name, description: rule.description };
});

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

/** Every generated token contains this many characters of its alphabet in a row; ordinary words do not. */
const LONG_RUN = 16;
const IN_TOKEN = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.~+=$-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function hasLongRun(text: string): boolean {
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    run = IN_TOKEN[text.charCodeAt(i)] ? run + 1 : 0;
    if (run === LONG_RUN) return true;
  }
  return false;
}

/** Words of which at least one must occur for a marked or prose rule to match. */
const ANY_WORD =
  /pass|pwd?|secret|token|key|auth|bearer|basic|cred|seed|recovery|mnemonic|backup|curl|:\/\/|@(?:tcp|unix|\/\/)|contrase|senha|парол|密码|パスワ/i;

/** Maps full-width letters to ASCII and removes zero-width characters, which would hide a credential from the rules. */
function normalise(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  // Combining marks are removed first: normalising thousands of them in a row takes quadratic time.
  return text.replace(/[\p{M}\p{Cf}]+/gu, '').normalize('NFKC');
}

/** The first credential found in a text, if any. */
export function detectCredential(text: string): CredentialFinding | undefined {
  const plain = normalise(text);
  const find = (rules: readonly CredentialRule[]): CredentialRule | undefined =>
    rules.find((rule) => holds(rule, plain));
  let found: CredentialRule | undefined;
  if (hasLongRun(plain)) {
    if (ANY_PREFIX.test(plain)) found = find(PREFIX_RULES);
    found ??= find(SHAPE_RULES);
  }
  if (!found && ANY_WORD.test(plain)) found = find(MARKED_RULES) ?? find(PROSE_RULES);
  return found && { rule: found.name };
}
