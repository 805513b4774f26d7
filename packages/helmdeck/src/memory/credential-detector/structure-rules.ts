import { isOrdinaryWord, isThrowAway } from './ordinary-words.ts';
import type { CredentialRule } from './token-rules.ts';
import {
  after,
  before,
  isReference,
  isSampleToken,
  looksChosen,
  looksChosenAlone,
  looksIssued,
} from './value-shapes.ts';

const USERINFO =
  ':\\/\\/([^\\s/?#:@["\'<>`]{0,128}):(?![0-9]{1,5}[/?#,;)\\]])([^\\s@"\'<>`]{1,256})@(?!sha[0-9])(?=[\\w[.*$-])';
const DATABASES =
  '(?:postgres(?:ql)?|mysqlx?|mysql2|mariadb|mongodb|rediss?|valkey|amqps?|mssql|sqlserver|clickhouse|cockroachdb|neo4j|bolt|oracle)';

const isReal = (value: string): boolean =>
  !isReference(value) &&
  !isSampleToken(value) &&
  !/^(?:pass(?:word|wd)?|pwd?|token|secret_?key|api[-_]?key)$/i.test(value);

/** A machine that only its own users or containers reach: localhost, or a name without a dot. */
const LOCAL_HOST =
  /^(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal|[a-z0-9_-]+)(?=[:/?;,)\s"'`]|$)/i;

/** "postgres:postgres@localhost" guards nothing; a password of one's own does, also on localhost. */
function isRealUserinfo(match: RegExpExecArray): boolean {
  const [, user = '', password = ''] = match;
  if (!isReal(password)) return false;
  const isThrownAway = isThrowAway(password) || (user === password && !/[0-9]/.test(password));
  return !(isThrownAway && LOCAL_HOST.test(after(match, 64)));
}

const LOCAL_SERVER = /localhost|127\.0\.0\.1|\(local\)|:\/\/[a-z0-9_-]+[:/]/i;
function isRealDsn(match: RegExpExecArray): boolean {
  const password = match[1] ?? match[2] ?? '';
  return isReal(password) && !(isThrowAway(password) && LOCAL_SERVER.test(before(match, 120) + match[0]));
}

const PASSWORD_WORD =
  '(?:pass(?:word|wort|wd|phrase|code)|pwd|kennwort|contraseña|contrasena|mot de passe|senha|пароль|wachtwoord|hasło|密码|パスワード)';
const SECRET_WORD = '(?:secret|token|api[_ -]?key|access[_ -]?key)';

/** Whether the text of an element is a credential; "required" and "string" stand in documentation. */
function isElementSecret(match: RegExpExecArray): boolean {
  const { password, value = '' } = match.groups ?? {};
  if (isReference(value) || isSampleToken(value) || isOrdinaryWord(value)) return false;
  if (password === undefined) return looksIssued(value);
  return (
    looksChosen(value) ||
    (value.length >= 5 && /^<[^<>]{1,120}>/.test(match[0]) && !/string|required/i.test(value))
  );
}

const MAX_ROWS = 6;
const MAX_ROW_CHARS = 300;

/** Whether a row below the column named "password" holds one; `match` is the cell with the name. */
function isColumnSecret(match: RegExpExecArray): boolean {
  const lineStart = match.input.lastIndexOf('\n', match.index - 1) + 1;
  if (match.index - lineStart > MAX_ROW_CHARS) return false;
  const left = match.input.slice(lineStart, match.index);
  const header = left + match[0] + (after(match, MAX_ROW_CHARS).split('\n', 1)[0] ?? '');
  const separator = ['|', '\t', ';', ','].find((mark) => header.includes(mark));
  if (separator === undefined) return false;
  const names = header.split(separator);
  if (names.filter((name) => /\w/.test(name)).length < 2) return false;
  const column = left.split(separator).length - 1;
  const rows = after(match, MAX_ROWS * MAX_ROW_CHARS)
    .split('\n')
    .slice(1, 1 + MAX_ROWS);
  return rows.some((row) => {
    const cells = row.split(separator);
    const cell = (cells.length === names.length ? (cells[column] ?? '') : '')
      .trim()
      .replace(/^["'`*]+|["'`*]+$/g, '');
    return !/\s/.test(cell) && looksChosen(cell) && !isReference(cell) && !isSampleToken(cell);
  });
}

/** Credentials at a fixed place in an address, a connection string, an element or a table. */
export const STRUCTURE_RULES: readonly CredentialRule[] = [
  {
    name: 'database-url',
    description: 'Database or broker address with a password',
    pattern: new RegExp(`(?<![a-z0-9])${DATABASES}(?:\\+[a-z0-9]{1,20})?${USERINFO}`, 'gi'),
    hints: ['://'],
    check: isRealUserinfo,
  },
  {
    name: 'url-password',
    description: 'Address with a password before its host',
    pattern: new RegExp(`(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}${USERINFO}`, 'gi'),
    hints: ['://'],
    check: isRealUserinfo,
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
    hints: ['=', '@'],
    check: isRealDsn,
  },
  {
    name: 'element-secret',
    description: 'Credential as the text or the value of an XML or HTML element',
    pattern: new RegExp(
      `(?:<[^<>\\n]{0,80}(?:(?<password>${PASSWORD_WORD})|${SECRET_WORD})\\w{0,12}["']?(?:\\s[^<>\\n]{0,80})?>\\s{0,4}|` +
        `${PASSWORD_WORD}[:*\\s]{0,3}</\\w{1,8}>\\s{0,8}(?:<\\w[^<>\\n]{0,60}>\\s{0,8}){0,2})(?<value>[^\\s<>]{4,256})(?=\\s{0,4}<|\\s|$)`,
      'gi',
    ),
    hints: ['<'],
    check: (match) =>
      match[0].startsWith('<') && /^\s*<\//.test(after(match, 6))
        ? isElementSecret(match)
        : looksChosenAlone(match.groups?.value ?? ''),
  },
  {
    name: 'attribute-secret',
    description: 'Credential as the value of an attribute beside one that names it',
    pattern: new RegExp(
      `<[^<>\\n]{1,200}(?:${PASSWORD_WORD}|${SECRET_WORD})["'][^<>\\n]{0,120}\\svalue\\s?=\\s?["']([^"'<>\\s]{4,256})["']`,
      'gi',
    ),
    hints: ['value'],
    check: ({ 1: value = '' }) =>
      !isReference(value) && !isOrdinaryWord(value) && (looksChosen(value) || looksIssued(value)),
  },
  {
    name: 'column-secret',
    description: 'Column named "password" of a Markdown, CSV or tab-separated table',
    pattern: new RegExp(
      `(?<=^|[\\n|,;\\t:][ ]{0,16}["'*]{0,2})(?:[\\w-]{1,16}[ _-])?${PASSWORD_WORD}s?["'*]{0,2}[ ]{0,16}(?=[|,;\\t]|\\r?\\n)`,
      'gi',
    ),
    hints: ['\n'],
    check: isColumnSecret,
  },
];
