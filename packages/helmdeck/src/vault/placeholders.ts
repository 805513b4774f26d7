import { AppError } from '../errors.ts';
import { hostAllowed, isSecretName } from './secret-policy.ts';
import type { Secret } from './vault.ts';

// Anything between the braces counts, so that a mistyped name is refused instead of being sent as it is.
const PLACEHOLDER = /\$\{vault:([^}]*)\}/g;

/** What is about to leave, with `${vault:NAME}` where secrets belong. */
export interface OutgoingText {
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** The same with the secrets in place. It must go to the wire and nowhere else. */
export interface FilledText extends OutgoingText {
  /** Headers that hold a secret now: they must not follow a redirect to another origin. */
  secretHeaders: ReadonlySet<string>;
  secretBody: boolean;
  /** What was filled in, so that an answer which repeats it can be cleaned. */
  secrets: readonly { name: string; value: string }[];
}

/** Which secrets a text asks for, each once. */
export function placeholdersIn({ url, headers, body }: OutgoingText): string[] {
  const texts = [url, ...Object.values(headers), ...(typeof body === 'string' ? [body] : [])];
  const names = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!));
  return [...new Set(names)];
}

/**
 * Puts secrets in place of their placeholders, each written the way its place demands: percent-encoded in a URL,
 * escaped in JSON, as it is elsewhere. A secret never decides where the request goes.
 */
export function fillPlaceholders(text: OutgoingText, secrets: ReadonlyMap<string, Secret>): FilledText {
  const names = placeholdersIn(text);
  if (names.length === 0) return { ...text, secretHeaders: new Set(), secretBody: false, secrets: [] };
  const host = hostOf(text.url);
  for (const name of names) assertUsable(secrets.get(name), name, host);
  const secretValue = (name: string) => secrets.get(name)!.value;

  const headers: Record<string, string> = {};
  const secretHeaders = new Set<string>();
  for (const [header, value] of Object.entries(text.headers)) {
    headers[header] = replaced(value, secretValue);
    if (headers[header] === value) continue;
    secretHeaders.add(header.toLowerCase());
    if (/[\0\r\n]/.test(headers[header]))
      refuse('A secret with line breaks cannot be sent in a header.', 'unusable');
  }
  const body =
    typeof text.body === 'string'
      ? replaced(text.body, (name) => escapedFor(contentTypeOf(headers), secretValue(name)))
      : text.body;
  return {
    url: replaced(text.url, (name) => encodeURIComponent(secretValue(name))),
    headers,
    body,
    secretHeaders,
    secretBody: body !== text.body,
    secrets: names.map((name) => ({ name, value: secretValue(name) })),
  };
}

/** One pass: what a secret contains is never read as a placeholder. */
function replaced(text: string, secretValue: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_match, name: string) => secretValue(name));
}

/** The host, as the parser sees it that the request will go through; it must not depend on what is filled in. */
function hostOf(url: string): string {
  const [one, other] = ['a', 'b'].map((sample) => {
    const text = replaced(url, () => sample);
    return URL.canParse(text) ? new URL(text) : undefined;
  });
  const before = (parsed: URL | undefined) =>
    parsed && [parsed.protocol, parsed.username, parsed.password, parsed.host, parsed.hash].join(' ');
  if (!one || before(one) !== before(other))
    refuse('A secret can stand in the path or the query of a URL, nowhere else.', 'unusable');
  return one.hostname;
}

function assertUsable(secret: Secret | undefined, name: string, host: string): void {
  if (!isSecretName(name) || !secret)
    refuse('The request asks for a secret that is not in your vault.', 'unknown_secret');
  if (!hostAllowed(secret.hosts, host))
    refuse('The request would send a secret to a host it is not meant for.', 'host_not_allowed');
}

function refuse(message: string, reason: string): never {
  const hint =
    reason === 'host_not_allowed'
      ? 'Send it to one of its hosts, or write it again with other ones.'
      : 'Check the placeholder, or write the secret with the pack "vault.write".';
  throw new AppError('credential_invalid', message, { reason, hint });
}

function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'content-type');
  return name === undefined ? '' : headers[name]!.toLowerCase();
}

function escapedFor(contentType: string, value: string): string {
  if (/\bjson\b/.test(contentType)) return JSON.stringify(value).slice(1, -1);
  if (contentType.includes('x-www-form-urlencoded')) return encodeURIComponent(value);
  return value;
}
