import { AppError } from '../errors.ts';
import { hostAllowed, isSecretName } from './secret-policy.ts';
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

/** The names of the secrets that a request refers to, without duplicates. */
export function placeholdersIn({ url, headers, body }: OutgoingText): string[] {
  const texts = [url, ...Object.values(headers), ...(typeof body === 'string' ? [body] : [])];
  const names = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!));
  return [...new Set(names)];
}

/**
 * Replaces placeholders by their secrets, encoded for the context: percent-encoded in a URL, escaped in JSON, verbatim
 * elsewhere. A secret never decides where the request goes.
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

/** A single pass, so that text inside a secret is never taken for a placeholder. */
function replaced(text: string, secretValue: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_match, name: string) => secretValue(name));
}

/** The host, as parsed by the URL parser that the request uses; it must not depend on a secret. */
function hostOf(url: string): string {
  const [one, other] = ['a', 'b'].map((sample) => {
    const text = replaced(url, () => sample);
    return URL.canParse(text) ? new URL(text) : undefined;
  });
  const before = (parsed: URL | undefined) =>
    parsed && [parsed.protocol, parsed.username, parsed.password, parsed.host, parsed.hash].join(' ');
  if (!one || before(one) !== before(other))
    refuse('A secret can only be used in the path or the query of a URL.', 'unusable');
  return one.hostname;
}

function assertUsable(secret: Secret | undefined, name: string, host: string): void {
  if (!isSecretName(name) || !secret)
    refuse('The request refers to a secret that is not in your vault.', 'unknown_secret');
  if (!hostAllowed(secret.hosts, host))
    refuse('The request would send a secret to a host that it is not allowed for.', 'host_not_allowed');
}

function refuse(message: string, reason: string): never {
  const hint =
    reason === 'host_not_allowed'
      ? 'Send it to one of its hosts, or write the secret again with this host.'
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
