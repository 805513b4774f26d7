import { isOrdinaryWord } from './ordinary-words.ts';
import { FOR, ISSUED, isOpen, isTestPassword, NOT_A_CREDENTIAL, PASSWORD, UUID } from './secret-names.ts';
import type { CredentialRule } from './token-rules.ts';
import {
  after,
  before,
  isReference,
  isSampleToken,
  looksChosen,
  looksChosenAlone,
  looksRandom,
} from './value-shapes.ts';

/** At least four words after "passphrase", or twelve after "seed phrase", few of which are common in sentences. */
function isPhrase(match: RegExpExecArray): boolean {
  const list = (match[2] ?? '').toLowerCase().split(/[ ,]+/);
  const plain = list.filter((word) => word !== 'correct' && isOrdinaryWord(word)).length;
  return list.length >= (/^pass/i.test(match[1] ?? '') ? 4 : 12) && plain * 3 <= list.length;
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

/** Credentials beside their name in sentences, without an operator or a verb of assignment between the two. */
export const SENTENCE_RULES: readonly CredentialRule[] = [
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
      '(?:(?:logins?(?=\\s{0,2}[:=]| for [\\w .-]{1,30}? (?:is|are) )|[a-z0-9]_auth(?==)|credentials?|creds|zugangsdaten|identifiants?|credenciales|credenziali|u/p|логин|user(?:name)?\\s?(?:[/&+]|and)\\s?pass(?:word)?)(?: for [\\w .-]{1,30}?|\\s[\\w-]{2,20}(?=\\s?[:=]))?(?: is| are|\\s{0,2}[:=])\\s{0,3}["\'`]?' +
        '[^\\s"\'`:/,;]{1,64}(?:\\s?[:/]\\s?|\\s)|user(?:name)?\\s[^\\s,]{1,64}[\\s,/]{1,3}pass(?:word)?:?\\s|\\b(?:with|using|use|temp|temporary|default|initial|login \\S{1,64})\\s(?:the\\s|my\\s)?' +
        '(?:password|passphrase|pw)\\s|log(?:ged)?[ -]?in (?:(?:as \\S{1,64}|to [\\w ]{1,30}?) with |with \\S{1,64} / )|\\blogin [\\w.@-]{1,64}\\s?/\\s?|\\bunlock(?:ed|s)? (?:[\\w-]{1,20} ){0,3}with )["\'`]?([^\\s"\'`,;]{6,128})',
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
    name: 'adjacent-secret',
    description: 'Password, token or key right behind its name',
    pattern: new RegExp(
      `(?:(?<password>${PASSWORD})|(?<issued>${ISSUED}|(?<=\\b[a-z]{3,12} )key))(?:\\s(?:${FOR})\\s[^\\s.:;,=]{1,24}|\\s[а-яё]{2,16})?\\s{1,3}(?:\\d:\\s)?["'\`]?(?<value>[^\\s"'\`,;<>|]{8,256})`,
      'gi',
    ),
    check: (match) => {
      const { issued, value: raw = '' } = match.groups ?? {};
      const value = raw.replace(/[.!?:)]+$/, '');
      if (isReference(raw) || isReference(value) || isSampleToken(value) || isTestPassword(match, value))
        return false;
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
      `(?:,?\\s(?:is|was|as|that's|that is|which is|ist|als|est|es|это)|(?<=(?:enter|type|use|try) [^\\s]{6,64})\\s(?:at|for|in))\\s(?:(?:the|our|my|your|das|mein|unser|le|mon|la|mi|an?|[\\w-]{2,16})\\s){0,3}(?:(?<password>${PASSWORD})|(?<issued>${ISSUED}))(?=\\s(?:${FOR}|there|now)\\s|\\s(?:prompt|field)|[.,;!)]|\\s?$)`,
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
      // "mailto:anna84@…" is an address: it has no capitals and none of these marks.
      return looksChosenAlone(value.replace(/[.!?]+$/, '')) && /[A-Z!#$%^&*]/.test(value);
    },
  },
  {
    name: 'pin',
    description: 'PIN or code of a card, door or alarm',
    pattern:
      /(?<![a-z])(?:pin|puk|combination|pin-?nummer|geheimzahl|cvv|cvc|(?:door|gate|alarm|entry|access|unlock|lock|safe|security|garage|building|verification|banking|keypad|tür|alarm)[ -]?(?:code|pin)|code (?:to|for|of|du|de|del|für|zum|zur|vom) (?:(?:the|our|my|la|le|l'|die|den|das|der) ?)?(?:safe|door|alarm|gate|garage|office|building|vault|lock|house|flat|coffre|porte|puerta|caja|tür|tresor|haus|tor))(?:\s(?:for|of|on|to|der|für|du|de|del)\s[\w' -]{1,40}?)?(?:\s{0,2}[:=]\s{0,2}|\s(?:is|ist|est|es|lautet)\s|\s)["'`]?([0-9]{3,12}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?![\w:%-]|[.,][0-9])/gi,
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
    name: 'app-password',
    description: 'App password in groups of four characters',
    pattern:
      /app[- ]?(?:specific )?password(?: for [\w .-]{1,24}?)?(?: is|\s?[:=])?\s{0,3}["'`]?((?:[a-z0-9]{4}[ -]){3}[a-z0-9]{4})(?![\w-]| [a-z])/gi,
    check: (match) => (match[1] ?? '').split(/[ -]/).filter(isOrdinaryWord).length < 2,
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
