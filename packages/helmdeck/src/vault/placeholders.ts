import { AppError } from '../errors.ts';
import { headerAllowed, hostAllowed, isSecretName } from './secret-policy.ts';
import type { Secret } from './vault.ts';

// Matches any text between the braces, so that a mistyped name is refused instead of being sent as it is.
const PLACEHOLDER = /\$\{vault:([^}]*)\}/g;

/** An outgoing request, with `${vault:NAME}` where secrets belong. */
export interface OutgoingText {
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** The request with the secrets filled in. It must be sent and go nowhere else. */
export interface FilledText extends OutgoingText {
  /** Headers that hold a secret now: they must not follow a redirect to another origin. */
  secretHeaders: ReadonlySet<string>;
  secretBody: boolean;
  /** The secrets that were filled in, so that a response which echoes them can be scrubbed. */
  secrets: readonly { name: string; value: string }[];
}

/** The names of the secrets that a request refers to, without duplicates and without those that are literal text. */
export function placeholdersIn(
  { url, headers, body }: OutgoingText,
  literal?: ReadonlySet<string>,
): string[] {
  const texts = [url, ...Object.values(headers), ...(typeof body === 'string' ? [body] : [])];
  return [...new Set(texts.flatMap(placeholderNames))].filter((name) => !literal?.has(name));
}

/** The names in the placeholders of a text. */
export function placeholderNames(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}

/**
 * Replaces placeholders by their secrets, encoded for the context: percent-encoded in a URL, escaped in JSON, verbatim
 * elsewhere. A secret never decides where the request goes, and stands only where it may. `literal` names are not filled
 * in: they came with data, not from the author of the request.
 */
export function fillPlaceholders(
  text: OutgoingText,
  secrets: ReadonlyMap<string, Secret>,
  literal?: ReadonlySet<string>,
): FilledText {
  const names = placeholdersIn(text, literal);
  const inHeaders = Object.values(text.headers).flatMap(placeholderNames);
  if (inHeaders.some((name) => literal?.has(name)))
    refuse('A placeholder also occurs in the output of an earlier step, so it is not filled in.', 'unusable');
  if (names.length === 0) return { ...text, secretHeaders: new Set(), secretBody: false, secrets: [] };
  const host = hostOf(text.url);
  for (const name of names) {
    const secret = usableSecret(secrets.get(name), name, host);
    assertPlaces(secret, text);
  }
  const filled = new Set(names);
  const replaced = (source: string, encode: (value: string) => string = (value) => value) =>
    replaceNames(source, (name, match) => (filled.has(name) ? encode(secrets.get(name)!.value) : match));

  const headers: Record<string, string> = {};
  const secretHeaders = new Set<string>();
  for (const [header, value] of Object.entries(text.headers)) {
    headers[header] = replaced(value);
    if (headers[header] === value) continue;
    secretHeaders.add(header.toLowerCase());
    if (/[\0\r\n]/.test(headers[header]))
      refuse('A secret with line breaks cannot be sent in a header.', 'unusable');
  }
  const body =
    typeof text.body === 'string'
      ? replaced(text.body, (value) => escapedFor(contentTypeOf(headers), value))
      : text.body;
  return {
    url: replaced(text.url, encodeURIComponent),
    headers,
    body,
    secretHeaders,
    secretBody: body !== text.body,
    secrets: names.map((name) => ({ name, value: secrets.get(name)!.value })),
  };
}

/** A single pass, so that text inside a secret is never taken for a placeholder. */
function replaceNames(text: string, replacement: (name: string, match: string) => string): string {
  return text.replace(PLACEHOLDER, (match, name: string) => replacement(name, match));
}

/** The host, as parsed by the URL parser that the request uses; it must not depend on a secret. */
function hostOf(url: string): string {
  const [one, other] = ['a', 'b'].map((sample) => {
    const text = replaceNames(url, () => sample);
    return URL.canParse(text) ? new URL(text) : undefined;
  });
  const before = (parsed: URL | undefined) =>
    parsed && [parsed.protocol, parsed.username, parsed.password, parsed.host, parsed.hash].join(' ');
  if (!one || before(one) !== before(other))
    refuse('A secret can only be used in the path or the query of a URL.', 'unusable');
  return one.hostname;
}

function usableSecret(secret: Secret | undefined, name: string, host: string): Secret {
  if (!isSecretName(name) || !secret)
    refuse('The request refers to a secret that is not in your vault.', 'unknown_secret');
  if (!hostAllowed(secret.hosts, host))
    refuse('The request would send a secret to a host that it is not allowed for.', 'host_not_allowed');
  return secret;
}

/** A server repeats bodies, URLs and most headers, and may store them: a secret stands there only if it says so. */
function assertPlaces({ name, places }: Secret, { url, headers, body }: OutgoingText): void {
  const holds = (text: string) => placeholderNames(text).includes(name);
  const inHeaders = Object.keys(headers).filter((header) => holds(headers[header]!));
  const isAllowed =
    inHeaders.length <= 1 &&
    inHeaders.every((header) => headerAllowed(places, header.toLowerCase())) &&
    (places.includes('url') || !holds(url)) &&
    (places.includes('body') || typeof body !== 'string' || !holds(body));
  if (!isAllowed) refuse('The request has a secret where it may not stand.', 'place_not_allowed');
}

const DEFAULT_HINT = 'Check the placeholder, or write the secret with the pack "vault.write".';
const HINTS: Record<string, string> = {
  host_not_allowed: 'Send it to one of its hosts, or write the secret again with this host.',
  place_not_allowed:
    'Use it in one header such as authorization, or write the secret again with "places": header:NAME, url or body.',
};

function refuse(message: string, reason: string): never {
  throw new AppError('credential_invalid', message, { reason, hint: HINTS[reason] ?? DEFAULT_HINT });
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
