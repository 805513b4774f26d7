import { isCardNumber } from './card-numbers.ts';
import { isOrdinaryWord, isThrowAway } from './ordinary-words.ts';
import type { CredentialRule } from './token-rules.ts';
import {
  after,
  alternations,
  before,
  decodes,
  isReference,
  isSampleToken,
  looksChosen,
  looksChosenAlone,
  looksIssued,
  looksRandom,
} from './value-shapes.ts';

const IS = '["\'`*\\\\]{0,3}\\s{0,3}(?::=|=>|[:=]|\\sis\\s)\\s{0,3}["\'`\\\\]{0,3}';

const isValue = (value: string): boolean =>
  !isReference(value) && !isSampleToken(value) && !isOrdinaryWord(value);

/** Password hashes in the forms of crypt(3), LDAP, Django, Werkzeug, PostgreSQL and Windows. */
const HASHES: readonly string[] = [
  '\\$2[abxy]?\\$[0-9]{2}\\$[./A-Za-z0-9]{53}',
  '\\$(?:1|apr1)\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{22}',
  '\\$[56]\\$(?:rounds=[0-9]{1,9}\\$)?[./A-Za-z0-9]{1,16}\\$[./A-Za-z0-9]{43}',
  '\\$(?:g?y|7)\\$[./A-Za-z0-9]{1,60}\\$[./A-Za-z0-9$]{43}',
  '\\$[PH]\\$[./A-Za-z0-9]{31}',
  '\\$(?:argon2(?:id|i|d)|scrypt|bcrypt-sha256|pbkdf2[\\w-]{0,12})\\$[\\w=,.+/-]{1,60}\\$[\\w=,.+/-]{1,90}\\$?[\\w=.+/-]{20}',
  '(?:pbkdf2_sha[0-9]{1,3}|argon2|bcrypt(?:_sha256)?|scrypt|sha1|md5)\\$[0-9]*\\$?[\\w.+/=,-]{4,60}\\$[\\w.+/=$,-]{20}',
  '(?:scrypt|pbkdf2):[\\w:]{3,40}\\$[\\w./]{8,40}\\$[a-f0-9]{40}',
  '\\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2[\\w-]{0,10})\\}[A-Za-z0-9+/$.]{20}',
  'SCRAM-SHA-(?:1|256)\\$[0-9]{3,7}:[A-Za-z0-9+/=]{8,60}\\$[A-Za-z0-9+/=]{20}',
  '(?<=[0-9]):[a-f0-9]{32}:[a-f0-9]{32}:::',
  'aad3b435b51404eeaad3b435b51404ee:[a-f0-9]{32}',
  '(?<=(?:pass|hash|user|role|shadow)\\w{0,8}[\\s:="\'|]{1,4})md5[a-f0-9]{32}(?![\\w])',
];

/** Cookies that carry a session, by name. */
const SESSION_COOKIES =
  '(?:PHPSESSID|JSESSIONID|ASP\\.NET_SessionId|\\.ASPXAUTH|\\.AspNetCore\\.[\\w.]{1,40}|connect\\.sid|laravel_session|_?session_?id|sessionid|_gh_sess|user_session|li_at|sb-[\\w-]{1,40}-auth-token|(?:__(?:Secure|Host)-)?(?:next-auth|authjs)\\.session-token|wordpress_logged_in_\\w{1,40}|remember_(?:web|user)_\\w{1,60}|__(?:Secure|Host)-[\\w.-]{1,40}|(?<=\\w)_session)';

/** Only the key of a wallet is 64 hex digits behind such words; a hash or an address is not. */
const WALLET_WORDS =
  '(?:private|priv|wallet|deployer|signer|metamask|phantom|ledger|trezor|solana|ethereum|eth|bitcoin|btc)';

/** Credentials in the files and formats of programs, which a keyword or a form gives away. */
export const FORMAT_RULES: readonly CredentialRule[] = [
  {
    name: 'gcp-service-account',
    description: 'Google Cloud service account key file',
    pattern: /"private_key\\?"\s{0,4}:\s{0,4}\\?"-----BEGIN/g,
    hints: ['private_key'],
  },
  {
    name: 'private-key',
    description: 'PEM, OpenSSH, SSH2, PGP, OpenVPN or PuTTY private key',
    pattern:
      /-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY|-----BEGIN OpenVPN Static key|PuTTY-User-Key-File-[0-9]/g,
    hints: ['BEGIN', 'PuTTY'],
  },
  {
    name: 'private-key-body',
    description: 'Private key in DER form without its PEM lines',
    pattern: /(?<![A-Za-z0-9+/])MI[IGHCE][A-Za-z0-9+/]{2,6}(?:IBAD|IBAA|CAQE|AgEA|AIBA)[A-Za-z0-9+/]{40}/g,
    hints: ['MI'],
    check: (match) => /priv(?:ate)?[ _-]?key/i.test(before(match, 60)),
  },
  {
    name: 'private-jwk',
    description: 'JSON Web Key with its private part',
    pattern: /["'](d|k)\\?["']\s{0,4}:\s{0,4}\\?["'][\w-]{16}/g,
    hints: ['kty'],
    check: (match) =>
      match[1] === 'd' ||
      /kty\\?["']\s{0,4}:\s{0,4}\\?["']oct/.test(`${before(match, 300)}${match[0]}${after(match, 300)}`),
  },
  {
    name: 'azure-storage-key',
    description: 'Azure storage, Service Bus or Event Hub connection string',
    pattern: /(?:Account|SharedAccess)Key["']?\s{0,2}[:=]\s{0,2}["']?[A-Za-z0-9+/]{40}/gi,
  },
  {
    name: 'aws-secret-access-key',
    description: 'AWS secret access key beside its name',
    pattern: new RegExp(
      `(?:aws.?secret.?|secret.?access.?)key(?:${IS}|>)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
      'gi',
    ),
    check: (match) => !isSampleToken(match[1] ?? ''),
  },
  {
    name: 'npm-auth-config',
    description: 'Registry credential in an .npmrc line',
    pattern: /(?<![A-Za-z0-9])_(?:authToken|auth|password)\s?=\s?["']?([\w+/=.-]{16})/g,
    hints: ['_auth', '_password'],
    check: (match) => !isSampleToken(match[1] ?? ''),
  },
  {
    name: 'docker-auth',
    description: 'Registry credential in a Docker configuration',
    pattern: /["']?auth["']?\s{0,4}:\s{0,4}["']([A-Za-z0-9+/=]{8,400})["']/g,
    hints: ['auth'],
    check: (match) => decodes(match[1] ?? '', /^[\x20-\x7e]{1,200}:[\x20-\x7e]{3,}$/),
  },
  {
    name: 'password-hash',
    description: 'Hash of a password, as in htpasswd and shadow files',
    pattern: new RegExp(HASHES.join('|'), 'g'),
    hints: ['$', '{', ':::', 'md5'],
  },
  {
    name: 'netrc',
    description: 'Login of a .netrc file',
    pattern:
      /machine\s{1,4}[^\s]{1,120}\s{1,8}(?:login|account)\s{1,4}[^\s]{1,120}\s{1,8}password\s{1,4}([^\s]{1,256})/gi,
    hints: ['machine'],
    check: (match) => isValue(match[1] ?? ''),
  },
  {
    name: 'pgpass',
    description: 'Line of a .pgpass file',
    pattern: /:(?:[0-9]{2,5}|\*):(?:[\w-]{1,64}|\*):[\w.@-]{1,64}:([^\s:"']{4,128})(?![\w:])/g,
    hints: [':'],
    check: (match) => {
      const host = /(?<![\w.*:/-])(?:[\w.-]{1,120}|\*)$/.exec(before(match, 122))?.[0];
      return host !== undefined && isValue(match[1] ?? '') && (looksChosen(match[1] ?? '') || host === '*');
    },
  },
  {
    name: 'wifi-code',
    description: 'Wi-Fi network code with its password',
    pattern: /WIFI:(?:[TSHREI]{1,2}[0-9]?:[^;\n]{0,64};){0,5}P:([^;\n]{1,64});/g,
    hints: ['WIFI:'],
    check: (match) => isValue(match[1] ?? ''),
  },
  {
    name: 'session-cookie',
    description: 'Cookie of a session, by its name or in a Cookie header',
    pattern: new RegExp(
      `(?:${SESSION_COOKIES}\\s?[=:]\\s?|cookie["']?\\s?(?::|=|is)?\\s{0,2}["']?(?:[\\w.-]{1,60}=[^;\\n]{0,400};\\s?){0,3}[\\w.-]{0,60}[=\\s])["']?([\\w%.+/=:~|-]{16,2048})`,
      'gi',
    ),
    hints: ['ookie', 'OOKIE', '='],
    check: ({ 1: value = '' }) => {
      const bare = value.replace(/^s%3A/i, '');
      return !isReference(value) && !isSampleToken(value) && alternations(bare) >= 3 && !/^sess_/.test(bare);
    },
  },
  {
    name: 'wallet-private-key',
    description: 'Private key of a wallet beside words that name it',
    pattern: new RegExp(
      `${WALLET_WORDS}['\\w -]{0,24}(?:key|keypair|wallet|secret)['\\w ]{0,12}?["'\`*]{0,3}\\s{0,3}(?:[:=]|\\bis\\b)?\\s{0,3}["'\`]?((?:0x)?[a-f0-9]{64}|[1-9A-HJ-NP-Za-km-z]{86,88}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)(?![A-Za-z0-9+/=])`,
      'gi',
    ),
    check: (match) => looksRandom(match[1] ?? '') && !/pub(?:lic)?[ _-]?$/i.test(before(match, 10)),
  },
  {
    name: 'key-bytes',
    description: 'Private key as an array of 64 bytes',
    pattern: /\[\s?(?:[0-9]{1,3}\s?,\s{0,2}){63}[0-9]{1,3}\s?\]/g,
    hints: ['['],
    check: (match) => {
      const bytes = match[0].match(/[0-9]+/g)?.map(Number) ?? [];
      return bytes.every((byte) => byte < 256) && new Set(bytes).size > 32;
    },
  },
  {
    name: 'one-time-password-seed',
    description: 'Seed of one-time passwords',
    pattern:
      /(?:totp|otp|2fa|mfa|two[- ]factor|authenticator|one[- ]time)[\w '-]{0,24}?["'`*]{0,3}\s{0,3}(?:[:=]|is|ist)?\s{0,3}["'`]?((?:[A-Z2-7]{16,64}|(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4})(?![A-Za-z0-9]))/gi,
    check: (match) => /[2-7]/.test(match[1] ?? '') && /^(?:[A-Z2-7]+|[a-z2-7 ]+)$/.test(match[1] ?? ''),
  },
  {
    name: 'backup-codes',
    description: 'Backup or recovery codes, or a recovery key in groups',
    pattern:
      /(?:(?:backup|recovery|scratch|emergency|licen[cs]e|product|activation|stream|serial)[ _-]?(?:codes?|keys?)|(?:wiederherstellungs|einmal|sicherungs)(?:codes?|schlüssel))(?: for [\w .-]{1,24}?| of [\w .-]{1,24}?)?["'`*]{0,3}\s{0,3}(?::|=|is |are |sind )?\s{0,3}["'`]?((?:[A-Za-z0-9]{4,8}[-\s,;]{1,2}){3,24}[A-Za-z0-9]{4,8})/gi,
    check: (match) => {
      const groups = (match[1] ?? '').split(/[-\s,;]+/);
      const coded = groups.filter((group) => /[0-9]/.test(group)).length;
      return (
        coded * 2 >= groups.length &&
        /[-0-9]/.test(match[1] ?? '') &&
        !/20[0-9]{2}-[01][0-9]-/.test(match[1] ?? '')
      );
    },
  },
  {
    name: 'secret-in-query',
    description: 'Key, signature or one-time code in the query of an address',
    pattern:
      /[?&](?:appid|app_?key|key|sig(?:nature)?|x-(?:amz|goog)-signature|auth|code|otp|sid|session|secret|pwd?|passw(?:or)?d|hash_?key|subscription-key|token)=([\w%.~+/-]{16,2048})/gi,
    hints: ['?', '&'],
    check: (match) => isValue(match[1] ?? '') && looksRandom((match[1] ?? '').replace(/%[0-9a-f]{2}/gi, '')),
  },
  {
    name: 'command-line-credential',
    description: 'Password, token or key as an argument of a command',
    pattern: new RegExp(
      `(?:${[
        'curl\\s[^\\n]{0,200}?(?:-u|--user)[ =]?["\']?[^\\s:"\']{1,64}:',
        '--(?:[a-z]{1,16}-)?(?:password|passwd|pass|passphrase|token|api-?key|auth-?key|secret)[ =]["\']?',
        '(?:mysql\\w{0,10}|mariadb(?:-dump)?)\\s(?:[^\\n]{0,200}?\\s)?-p["\']?(?=\\S)',
        'sshpass\\s{1,3}-p\\s?["\']?',
        'redis-cli\\s(?:[^\\n]{0,200}?\\s)?-a\\s["\']?',
        'ldap(?:search|modify|add|delete|whoami)\\s[^\\n]{0,200}?\\s-w\\s?["\']?',
        '(?:docker|podman|helm registry|oras|az acr|crane)\\s(?:auth\\s)?login\\s[^\\n]{0,200}?\\s-p\\s["\']?',
        '(?:unzip|zip|7z|smbclient|rar)\\s[^\\n]{0,200}?-[Pp]\\s?["\']?',
        '-pass(?:in|out)?\\spass:|requirepass\\s|snmp[\\w -]{0,20}community(?: string)?\\s?[:=]?\\s|ConvertTo-SecureString\\s(?:-String\\s)?["\']|cmdkey[^\\n]{0,100}?/pass:|net use[^\\n]{0,100}?/user:\\S{1,64}\\s',
        '\\s-[uU]\\s?\\S{1,64}\\s(?:[^\\n]{0,80}?\\s)?-[pPw]\\s?["\']?(?=[^\\s-])|\\s-U\\s?[\\w.\\\\-]{1,64}%|\\s-a\\s[\\w.@-]{1,64}:',
        '(?:-(?:src|dest)?(?:store|key)pass|signtool[^\\n]{0,80}?/p|net user \\S{1,64}|secret set \\S{1,64} (?:--body|-b))\\s["\']?',
        'chpasswd[ <"\']{1,6}[\\w.-]{1,64}:|(?<=[\\w.-]:)(?=[^\\s"\']{4,64}["\']?\\s?\\|\\s?(?:sudo )?chpasswd)',
        'identified\\s(?:with\\s\\S{1,40}\\s)?by\\s["\']',
        'sqlplus\\s(?:-\\w\\s){0,3}[\\w.-]{1,64}/',
      ].join('|')})([^\\s"']{4,256})`,
      'gi',
    ),
    check: ({ 1: value = '' }) =>
      isValue(value) && looksChosen(value.replace(/@\/\/.*|@[\w.-]+$/, '')) && !isThrowAway(value),
  },
  {
    name: 'login-command',
    description: 'Token given to a login command, or piped into one',
    pattern:
      /(?:(?:add-authtoken|login|service install|authtoken|set-token)\s["']?([\w.+/=-]{20,512})(?![\w.+/=-])|echo\s["']?([^\s"']{8,256})["']?\s\|\s(?:docker|podman|helm|gh|sudo|crane|oras)\b)/gi,
    check: (match) => {
      const value = match[1] ?? match[2] ?? '';
      return (
        isValue(value) && (match[1] ? looksRandom(value) || looksIssued(value) : looksChosenAlone(value))
      );
    },
  },
  {
    name: 'card-number',
    description: 'Payment card number with a valid check digit',
    pattern:
      /(?<![\w.,:+/#=-]|[0-9] )(?:[2-6][0-9]{3}(?:([ -])[0-9]{4}){2,4}[0-9]{0,3}|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5}|[2-6][0-9]{13,18})(?![\w-]| [0-9](?![0-9]?\/))/g,
    check: isCardNumber,
  },
];
