import { AppError } from '../../errors.ts';

/** Headers that are set by the connection and not by a pack. */
const CONNECTION_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|expect|accept-encoding|http2-settings)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;
const CREDENTIAL = /authori[sz]ation|cookie|token|secret|api-?key|password|credential/;
const MAX_HEADERS = 64;
const MAX_VALUE_CHARS = 16_384;

const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?)$/;
const MAX_VISIBLE_HEADERS = 100;
const MAX_VISIBLE_VALUE_CHARS = 4_096;

/** Validates request headers and lower-cases their names. Errors never contain values. */
export function checkedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) refuse(`At most ${MAX_HEADERS} headers are allowed.`);
  const headers: Record<string, string> = {};
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!NAME.test(name)) refuse('A header name is not valid.');
    if (CONNECTION_HEADER.test(lower)) refuse(`The header ${lower} cannot be set.`);
    if (typeof value !== 'string' || value.length > MAX_VALUE_CHARS || INVALID_VALUE_CHARACTER.test(value))
      refuse(`The value of the header ${lower} cannot be sent.`);
    headers[lower] = value;
  }
  return headers;
}

/** The headers that may follow a redirect to another origin: none that looks like a credential or contains a secret. */
export function crossOriginHeaders(
  headers: Readonly<Record<string, string>>,
  secretHeaders: ReadonlySet<string>,
): Record<string, string> {
  const safe = Object.entries(headers).filter(([name]) => !CREDENTIAL.test(name) && !secretHeaders.has(name));
  return Object.fromEntries(safe);
}

/** The response headers that a pack sees: no cookies, no hop-by-hop headers, limited in number and length. */
export function visibleHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const visible = Object.entries(headers)
    .filter(([name]) => !HOP_BY_HOP.test(name))
    .slice(0, MAX_VISIBLE_HEADERS)
    .map(([name, value]) => [name, value.slice(0, MAX_VISIBLE_VALUE_CHARS)]);
  return Object.fromEntries(visible) as Record<string, string>;
}

function refuse(message: string): never {
  throw new AppError('invalid_input', message, { reason: 'bad_header' });
}
