import { AppError } from '../../errors.ts';

/** What only the connection itself may say. */
const OWN =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|expect|accept-encoding|http2-settings)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const CREDENTIAL = /authori[sz]ation|cookie|token|secret|api-?key|password|credential/;
const MAX_HEADERS = 64;
const MAX_VALUE_CHARS = 16_384;

const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?)$/;
const MAX_ANSWER_HEADERS = 100;
const MAX_ANSWER_VALUE_CHARS = 4_096;

/** Names in lower case; refuses what would change the meaning of the request. Values are never repeated. */
export function checkedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) refuse(`At most ${MAX_HEADERS} headers are allowed.`);
  const headers: Record<string, string> = {};
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!NAME.test(name)) refuse('A header has a name that is none.');
    if (OWN.test(lower)) refuse(`The header ${lower} cannot be set.`);
    if (typeof value !== 'string' || value.length > MAX_VALUE_CHARS || NOT_A_VALUE.test(value))
      refuse(`The value of the header ${lower} cannot be sent.`);
    headers[lower] = value;
  }
  return headers;
}

/** What may go along to another origin: nothing that looks like a credential, and nothing that holds a secret. */
export function headersForStranger(
  headers: Readonly<Record<string, string>>,
  secretHeaders: ReadonlySet<string>,
): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIAL.test(name) && !secretHeaders.has(name));
  return Object.fromEntries(kept);
}

/** What of an answer's headers is worth showing: no cookies, nothing about the connection, nothing without end. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers)
    .filter(([name]) => !HOP_BY_HOP.test(name))
    .slice(0, MAX_ANSWER_HEADERS)
    .map(([name, value]) => [name, value.slice(0, MAX_ANSWER_VALUE_CHARS)]);
  return Object.fromEntries(shown) as Record<string, string>;
}

function refuse(message: string): never {
  throw new AppError('invalid_input', message, { reason: 'bad_header' });
}
