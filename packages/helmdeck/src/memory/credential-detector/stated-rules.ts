import { isFamousPassword, isOrdinaryWord, isThrowAway } from './ordinary-words.ts';
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

const VALUE = '[^\\s"\'`,;&<>|][^\\s"\'`,;&<|]{0,63}';
/** Names of passwords, which people choose. */
const PASSWORD =
  '(?<!1|one)pass(?:words?|wd|phrases?|codes?|wort)|(?<![a-z])pwd?|(?<=[_.]|my)pwd|(?<![a-z])psk|contraseñ?n?a|mot de passe|(?<![a-z])mdp|senha|' +
  'palavra-passe|(?<![a-z])clave|kennw(?:ort|örter)|wachtwoord|lösenord|hasł[oa]|heslo|jelszó|salasana|(?<![a-zçğıöşü])(?:şifre|parola)(?:si)?|' +
  'парол[ья]|пассворд|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|(?:wlan|wifi|wi-fi)[- ]?(?:schlüssel|key|code|clave)';
/** Names of secrets that are issued: long and random. */
const ISSUED =
  '(?<![0-9]:)secret(?:[_ -]?(?:key|id))?|(?:api|app|access|private|encrypt(?:ion)?|signing|master|auth|account|admin|service|server|sdk|license|' +
  'preshared|unseal|stream|webhook|application|deploy|consumer|environment|project)[_ -]?key|token|(?<![a-z])pat(?![a-z])|clé (?:api|privée|secrète)|ключ api|api-schlüssel';
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
const FOR =
  "for|to|of|on|at|in|für|fürs|vom|von|zum|zur|im|am|auf|des|der|du|de|d'|pour|del|da|do|di|para|van|voor|от|к|для|на|в";
/** "password", optionally "for the guest wifi", then one of the links above, then one word. */
const ASSIGNMENT = new RegExp(
  `(?<name>${NAMES})["'\`*\\\\\\])]{0,4}(?:\\s(?:${FOR})\\s(?:(?!${CLAUSE})[^\\n.:;,=!?|]|[.:](?!\\s)){1,60}?|` +
    `(?<label>(?:\\s[^\\s\\d:=,.;!?()|"'<>]{2,20}){1,2}(?=\\s?[:=]))|\\s?\\([^)\\n]{1,40}\\))?(?<is>${IS})(?<open>["'\`*\\\\]{0,4})(?<value>${VALUE})`,
  'gi',
);

/** "public key", "cache key", "next page token" …: names that end like a secret's but are not secret. */
const OPEN_KEY =
  /(?:pub|public|publishable|anon|primary|foreign|cache|partition|sort|shard|idempotency|dedupe?|routing|object|s3|page|cursor|continuation|site|host|jira|issue|project|translation|row|hash|map|redis|lookup|tree|json|i18n|dictionary)[ _-]?$/i;
const OPEN_TOKEN =
  /(?:page|cursor|continuation|next|sync|pagination|public|anon|idempotency|correlation|design|max|stop|device)[ _-]?$/i;
/** Build tools put variables with such names into web pages. */
const PUBLISHED_VARIABLE = /(?:^|[^A-Z])(?:NEXT_|NUXT_|EXPO_)?PUBLIC_[A-Z0-9_]*$/;
const isOpen = (match: RegExpExecArray, name: string): boolean =>
  (/key/i.test(name) ? OPEN_KEY : OPEN_TOKEN).test(before(match, 16)) ||
  PUBLISHED_VARIABLE.test(before(match, 40));

/** Words near a throw-away password which say that it guards nothing. */
const TEST_CONTEXT =
  /\b(?:tests?|testing|fixtures?|local(?:host|ly)?|dev(?:elopment)?|mock(?:ed|s)?|seed(?:s|ed)?|e2e|ci|docker-compose|compose|sandbox|demo|examples?|samples?|dummy|127\.0\.0\.1|::1)\b/i;
const isTestPassword = (match: RegExpExecArray, value: string): boolean =>
  isThrowAway(value) && TEST_CONTEXT.test(`${before(match, 100)} ${after(match, 60)}`);

/** What a rule for one language or form of statement needs to know about a match. */
interface Statement {
  isPassword: boolean;
  /** Configuration or code rather than a sentence. */
  isTight: boolean;
}

function statementOf(name: string, is: string, open: string): Statement {
  const isBarePass = /^pass$/i.test(name);
  const isPassword = !isBarePass && !/key|secret|token|^pat$|clé|ключ|api/i.test(name);
  return { isPassword, isTight: is === '=' || /["'`]/.test(open) };
}

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
  const { name = '', is = '', open = '' } = match.groups ?? {};
  const raw = quotedValue(match) ?? match.groups?.value ?? '';
  const value = raw.replace(/[.!?:)\]}*~\\]+$/, '');
  if (isOrdinaryWord(value) || isReference(raw) || (raw !== value && isReference(value))) return false;
  if (raw.endsWith('?') && !/[:=]/.test(is)) return false;
  const { isPassword, isTight } = statementOf(name, is, open);
  if (isSampleToken(value) || (!isTight && /^secret$/i.test(value)) || isTestPassword(match, value))
    return false;
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
  return (
    isPlainWordAlone(match, raw, value) &&
    isStatedWord(match, value, { isPassword: isEnglish(name), isTight })
  );
}

/** In other languages "ist", "est" and "es" are followed by ordinary words of which no list is kept. */
const isEnglish = (name: string): boolean => /^p(?:ass(?!wort)|wd?|sk)/i.test(name) && !/^pass$/i.test(name);

/** Whether nothing follows a value that is a plain word. */
function isPlainWordAlone(match: RegExpExecArray, raw: string, value: string): boolean {
  const { is = '', open = '' } = match.groups ?? {};
  const isTight = is === '=' || /["'`]/.test(open);
  const isDelimited = isTight || raw !== value || /^[ \t]?(?:$|[\r\n,;&<])/.test(after(match, 3));
  return (
    isDelimited &&
    !raw.endsWith(':') &&
    !/\n/.test(is) &&
    !/to:?\s$/i.test(is) &&
    /[A-Za-z0-9]{2}/.test(value)
  );
}

function isStatedWord(match: RegExpExecArray, value: string, { isPassword, isTight }: Statement): boolean {
  const { name = '', is = '' } = match.groups ?? {};
  if (isPassword && !isTight && hasOrdinaryShape(value)) return false;
  if (isPassword) return value.length >= 6 || isFamousPassword(value) || isTight || /^[0-9]{4,}$/.test(value);
  const isForeign = statementOf(name, is, '').isPassword;
  if (isForeign)
    return (isTight || /[:=]|lautet|hei(?:ß|ss)t/i.test(is)) && /^[A-Za-z0-9_-]{6,}$/.test(value);
  const isCompound = /[A-Za-z0-9][_-]$|[a-z]$/.test(before(match, 2)) || /_/.test(name);
  const isConfigured =
    /[:=]/.test(is) && (isTight || isCompound) && !/token|key$/i.test(name.replace(/api.?key/i, ''));
  return isConfigured && value.length >= 8 && !/secret|passw|token|key|cred/i.test(value);
}

/** Public keys, UUIDs and Helmdeck's own ids: random, but not credentials. */
const UUID = /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/;
const NOT_A_CREDENTIAL = new RegExp(
  `^AAAA|^pk_|^phc_|${UUID.source}|^(?:art|run|job|pipe|sess)_[\\da-f]{16,32}$`,
);

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

/** At least four words after "passphrase", or twelve after "seed phrase", few of which are common in sentences. */
function isPhrase(match: RegExpExecArray): boolean {
  const list = (match[2] ?? '').toLowerCase().split(/[ ,]+/);
  const plain = list.filter((word) => word !== 'correct' && isOrdinaryWord(word)).length;
  return list.length >= (/^pass/i.test(match[1] ?? '') ? 4 : 12) && plain * 5 <= list.length;
}

/** Small words that every sentence has, and rows that are counted: neither is in a seed phrase. */
const NOT_IN_SEED_PHRASES =
  /^(?:the|and|for|with|that|from|are|was|has|not|but|our|its|import|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|three|five|seven|eight|nine|eleven|tuesday|thursday|charlie|foxtrot|golf|juliett|lima|quebec|sierra|whiskey|gamma|epsilon|theta|lambda|red|blue|purple)$/;

/** A whole seed phrase is 12, 15, 18, 21 or 24 words in their base form, rarely the same one twice. */
function isSeedPhrase(match: RegExpExecArray): boolean {
  const list = match[0].match(/[a-z]+/g) ?? [];
  const others = list.filter((word) => NOT_IN_SEED_PHRASES.test(word)).length;
  const inflected = list.filter((word) => /(?:[^s]s|ing|ed|ly|tion)$/.test(word)).length;
  const letters = list.reduce((sum, word) => sum + word.length, 0);
  const isWhole = list.length % 3 === 0 && list.length >= 12 && list.length <= 24;
  // Lists that people keep are often sorted.
  const isSorted = list.every((word, i) => i === 0 || word >= list[i - 1]!);
  return isWhole && !isSorted && others < 2 && inflected * 8 <= list.length && letters >= list.length * 4.2;
}

/** Rules that consider the words around the value. */
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
    name: 'recovery-phrase',
    description: 'Passphrase of several words, or a wallet seed phrase',
    pattern:
      /(passphrase|password(?=["'`]?\s?[:=]\s?["'`])|(?:seed|recovery|mnemonic|backup|wallet)(?: (?:phrase|words?))?)["'`]?(?: (?:for|of) [\w' -]{1,30}?)?(?: is| are|\s?[:=])\s{0,3}["'`]?((?:[a-z]{3,8}[ ,]{1,2}){3,23}[a-z]{3,8})/gi,
    check: isPhrase,
  },
  {
    name: 'user-and-password',
    description: 'Credentials stated as user/password, or "with password …"',
    pattern: new RegExp(
      '(?:(?:logins?(?=\\s{0,2}[:=])|[a-z0-9]_auth(?==)|credentials?|creds|zugangsdaten|identifiants?|credenciales|credenziali|u/p|логин|user(?:name)?\\s?(?:[/&+]|and)\\s?pass(?:word)?)(?: is| are|\\s{0,2}[:=])\\s{0,3}["\'`]?' +
        '[^\\s"\'`:/,;]{1,64}(?:\\s?[:/]\\s?|\\s)|user(?:name)?\\s[^\\s,]{1,64}[\\s,/]{1,3}pass(?:word)?:?\\s|\\b(?:with|using|use|temp|temporary|default|initial|login \\S{1,64})\\s(?:the\\s|my\\s)?' +
        '(?:password|passphrase|pw)\\s|log(?:ged)?[ -]?in (?:(?:as \\S{1,64}|to [\\w ]{1,30}?) with |with \\S{1,64} / ))["\'`]?([^\\s"\'`,;]{6,128})',
      'gi',
    ),
    check: (match) => {
      const value = (match[1] ?? '').replace(/[.!?)]+$/, '');
      const isNamed = !/^log/i.test(match[0]) && /[:/]|pass|pw/i.test(match[0].slice(0, -value.length));
      return (
        !isReference(value) &&
        (isNamed ? looksChosen(value) : looksChosenAlone(value)) &&
        !isTestPassword(match, value)
      );
    },
  },
  {
    name: 'stated-secret',
    description: '"password is …", "password: …", "api_key = …" with a value that looks like one',
    pattern: ASSIGNMENT,
    check: assignsSecret,
  },
  {
    name: 'adjacent-secret',
    description: 'Password, token or key right behind its name',
    pattern: new RegExp(
      `(?:(?<password>${PASSWORD})|(?<issued>${ISSUED}|(?<=\\b[a-z]{3,12} )key))(?:\\s(?:${FOR})\\s[^\\s.:;,=]{1,24}|\\s[а-яё]{2,16})?\\s{1,3}(?:\\d:\\s)?["'\`]?(?<value>[^\\s"'\`,;&<>|]{8,256})`,
      'gi',
    ),
    check: (match) => {
      const { issued, value: raw = '' } = match.groups ?? {};
      const value = raw.replace(/[.!?:)]+$/, '');
      if (isReference(value) || isSampleToken(value)) return false;
      if (UUID.test(value))
        return issued !== undefined && /token|secret|api/i.test(issued) && !isOpen(match, issued);
      if (NOT_A_CREDENTIAL.test(value)) return false;
      if (issued === undefined) {
        // "password nas2019x is unknown": the name of a host or an entry, unless the clause ends with it.
        const isName =
          /^[a-z0-9-]+$/.test(value) &&
          (/-/.test(value) || !/^\s{0,2}(?:$|[\n,.;)"'`])/.test(after(match, 3)));
        return looksChosenAlone(value) && !isOrdinaryWord(value) && !isName && !raw.endsWith('?');
      }
      if (
        /^secret$/i.test(issued) &&
        looksChosenAlone(value) &&
        /[a-z]/.test(value) &&
        /[A-Z]/.test(value) &&
        /[!@#$%^&*]/.test(raw)
      )
        return true;
      return (
        !isOpen(match, issued) &&
        value.length >= 20 &&
        looksRandom(value) &&
        !/^sha[0-9]|[()<>{}]/i.test(value)
      );
    },
  },
  {
    name: 'secret-before-name',
    description: '"… is the password for …" and "use … as the password"',
    pattern: new RegExp(
      `\\s(?:is|was|as|ist|als|est|es|это)\\s(?:(?:the|our|my|your|das|mein|unser|le|mon|la|mi|an?|[\\w-]{2,16})\\s){0,3}(?:(?<password>${PASSWORD})|(?<issued>${ISSUED}))(?=\\s(?:${FOR}|there|now)\\s|[.,;!)]|\\s?$)`,
      'gi',
    ),
    check: (match) => {
      const value =
        /(?:^|["'`(:\s>])([^\s"'`,;<>|(]{6,256})(?:<\/\w{1,8}>)?["'`*]{0,3}$/.exec(before(match, 270))?.[1] ??
        '';
      if (match.groups?.password !== undefined) return looksChosenAlone(value);
      const isNamedOpen =
        /(?:public|publishable|cache|primary|foreign|idempotency|page|host|client|deploy(?=\w* key))\W/i.test(
          match[0],
        );
      return (
        looksRandom(value) &&
        !isNamedOpen &&
        !isReference(value) &&
        !isSampleToken(value) &&
        !NOT_A_CREDENTIAL.test(value)
      );
    },
  },
  {
    name: 'user-colon-password',
    description: 'root:password, or user:password@host without a scheme',
    pattern:
      /(?<![\w/:.@-])(?:(?:root|admin(?:istrator)?|ubuntu|pi|postgres|sa|oracle|ec2-user):([^\s"'`,;:@/]{8,64})(?=[\s.,;)]|$)|[a-z][\w.-]{0,63}:([^\s@:/"'`]{6,40})@(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}))/gi,
    hints: [':'],
    check: (match) => {
      const value = match[1] ?? match[2] ?? '';
      return (
        looksChosenAlone(value.replace(/[.!?]+$/, '')) &&
        (match[1] === undefined || /[A-Z!@#$%^&*]/.test(value))
      );
    },
  },
  {
    name: 'pin',
    description: 'PIN or code of a card, door or alarm',
    pattern:
      /(?<![a-z])(?:pin|puk|pin-?nummer|geheimzahl|cvv|cvc|(?:door|gate|alarm|entry|access|unlock|lock|safe|security|garage|building|verification|banking|keypad|tür|alarm)[ -]?(?:code|pin)|code (?:to|for|of|du|de|del|für|zum|zur|vom) (?:(?:the|our|my|la|le|l'|die|den|das|der) ?)?(?:safe|door|alarm|gate|garage|office|building|vault|lock|house|flat|coffre|porte|puerta|caja|tür|tresor|haus|tor))(?:\s(?:for|of|on|to|der|für|du|de|del)\s[\w' -]{1,40}?)?(?:\s{0,2}[:=]\s{0,2}|\s(?:is|ist|est|es|lautet)\s|\s)["'`]?([0-9]{3,12})(?![\w.:%-]|,[0-9])/gi,
    check: (match) => {
      // "pin 4821 to the board" is a verb.
      if (/^pin\s[0-9]/i.test(match[0]) && !match[0].startsWith('PIN')) return false;
      return (
        (match[1] ?? '').length >= (/^cv/i.test(match[0]) ? 3 : 4) &&
        !/gpio|pin ?out/i.test(before(match, 20))
      );
    },
  },
  {
    name: 'login-call',
    description: 'User and password as arguments of a call',
    pattern:
      /(?:log_?in\w{0,12}|sign_?in\w{0,30}|auth(?!or)\w{0,16}|connect\w{0,8}|credentials?|sp_addlogin)\s?(?:=\s?)?[([ ]\s{0,2}(?:["'`][^"'`\n]{1,80}["'`]\s?,\s{0,2}){1,3}["'`]([^"'`\s]{6,128})["'`]\s?(?:[,)\]]|$)/gi,
    check: (match) => looksChosenAlone(match[1] ?? ''),
  },
];

/** Runs only on texts with a long row of short words. */
export const SEED_PHRASE: CredentialRule = {
  name: 'seed-phrase',
  description: 'Twelve to twenty-four words of a wallet, without a name',
  pattern:
    /(?<![A-Za-z0-9][ ,-]{0,2})(?:(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8}(?:, ?| |\n(?=[0-9]))){11,23}(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8}(?![ ,-]{0,2}[A-Za-z0-9])/g,
  check: isSeedPhrase,
};
