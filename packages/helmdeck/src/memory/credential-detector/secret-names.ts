import { isThrowAway } from './ordinary-words.ts';
import { after, before } from './value-shapes.ts';

/** Names of passwords, which people choose. */
export const PASSWORD =
  '(?<!1|one)pass(?:words?|wd|phrases?|codes?|wort)|(?<![a-z])pwd?|(?<=[_.]|my)pwd|(?<![a-z])psk|contraseñ?n?a|mot de passe|(?<![a-z])mdp|senha|' +
  'palavra-passe|(?<![a-z])clave|kennw(?:ort|örter)|wachtwoord|lösenord|hasł[oa]|heslo|jelszó|salasana|(?<![a-zçğıöşü])(?:şifre|parola)(?:si)?|' +
  'парол[ья]|пассворд|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|(?:wlan|wifi|wi-fi)[- ]?(?:schlüssel|key|code|clave)';
/** Names of secrets that are issued: long and random. */
export const ISSUED =
  '(?<![0-9]:)secret(?:[_ -]?(?:key|id))?|(?:api|app|access|private|encrypt(?:ion)?|signing|master|auth|account|admin|service|server|sdk|license|' +
  'preshared|local|network|hmac|jwt|shared|root|personal|team|bot|unseal|stream|webhook|application|deploy|consumer|environment|project)[_ -]?key|token|(?<![a-z])pat(?![a-z])|clé (?:api|privée|secrète)|ключ api|api-schlüssel';

/** Between the name of a secret and what it opens, in several languages. */
export const FOR =
  "for|to|of|on|at|in|für|fürs|vom|von|zum|zur|im|am|auf|des|der|du|de|d'|pour|del|da|do|di|para|van|voor|от|к|для|на|в";

/** "public key", "cache key", "next page token" …: names that end like a secret's but are not secret. */
const OPEN_KEY =
  /(?:pub|public|publishable|anon|primary|foreign|cache|partition|sort|shard|idempotency|dedupe?|routing|object|s3|page|cursor|continuation|site|host|jira|issue|project|translation|row|hash|map|redis|lookup|tree|json|i18n|dictionary)[ _-]?$/i;
const OPEN_TOKEN =
  /(?:page|cursor|continuation|next|sync|pagination|public|anon|idempotency|correlation|design|max|stop|device)[ _-]?$/i;
/** Build tools put variables with such names into web pages. */
const PUBLISHED_VARIABLE = /(?:^|[^A-Z])(?:NEXT_|NUXT_|EXPO_)?PUBLIC_[A-Z0-9_]*$/;
/** Whether the words before a match make the name one of these. */
export const isOpen = (match: RegExpExecArray, name: string): boolean =>
  (/key/i.test(name) ? OPEN_KEY : OPEN_TOKEN).test(before(match, 16)) ||
  PUBLISHED_VARIABLE.test(before(match, 40));

/** Words near a throw-away password which say that it guards nothing. */
const TEST_CONTEXT =
  /\b(?:tests?|testing|fixtures?|local(?:host|ly)?|dev(?:elopment)?|mock(?:ed|s)?|seed(?:s|ed)?|e2e|ci|docker-compose|compose|sandbox|demo|examples?|samples?|dummy|127\.0\.0\.1|::1)\b/i;
export const isTestPassword = (match: RegExpExecArray, value: string): boolean =>
  isThrowAway(value) && TEST_CONTEXT.test(`${before(match, 100)} ${after(match, 60)}`);

export const UUID = /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/;
/** Public keys, UUIDs and Helmdeck's own ids: random, but not credentials. */
export const NOT_A_CREDENTIAL = new RegExp(
  `^AAAA|^pk_|^phc_|${UUID.source}|^(?:art|run|job|pipe|sess)_[\\da-f]{16,32}$`,
);
