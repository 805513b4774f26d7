import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import { composed, FACT_POLICY } from '../../memory/facts/validate-fact.ts';
import { instant } from '../../memory/import-export.ts';
import { bodyBytes, requestHeader } from '../http/request.ts';
import type { Call } from './route.ts';

/** The JSON body of a request, or exactly what is wrong with it. */
export async function jsonBody(c: Context): Promise<unknown> {
  const bytes = await bodyBytes(c);
  if (bytes.length === 0)
    throw new AppError('invalid_input', 'The body is empty; send a JSON object.', { reason: 'bad_type' });
  return parsedJson(c, bytes);
}

/** The same, but an empty body is `undefined`, whatever its headers say. */
export async function optionalJsonBody(c: Context): Promise<unknown> {
  const bytes = await bodyBytes(c);
  return bytes.length === 0 ? undefined : parsedJson(c, bytes);
}

function parsedJson(c: Context, bytes: Uint8Array): unknown {
  assertMediaType(c, 'application/json');
  if (!isUtf8(bytes))
    throw new AppError('invalid_input', 'The body is not valid UTF-8.', { reason: 'bad_type' });
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new AppError('invalid_input', 'The body is not valid JSON.', { reason: 'bad_type' });
  }
}

export function assertMediaType(c: Context, wanted: string): void {
  const type = requestHeader(c, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === wanted || (wanted === 'application/json' && type?.endsWith('+json'))) return;
  throw new AppError('unsupported_media_type', `The body must be ${wanted}.`, {
    hint: `Send it with "Content-Type: ${wanted}".`,
  });
}

/** A whole number from the query, within bounds. */
export function wholeQuery(
  call: Call,
  name: string,
  bounds: { min: number; max: number },
): number | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < bounds.min || number > bounds.max) {
    throw new AppError(
      'invalid_input',
      `${name} must be a whole number from ${bounds.min} to ${bounds.max}.`,
      { reason: 'bad_type' },
    );
  }
  return number;
}

export function instantQuery(call: Call, name: string): number | undefined {
  const text = call.query(name);
  return text === undefined ? undefined : instant(name, text);
}

/** A text from the query in the form that keys and tags are kept in. */
export function composedQuery(call: Call, name: string): string | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  const normal = composed(text, FACT_POLICY.maxKeyBytes);
  if (normal === undefined)
    throw new AppError('invalid_input', `${name} is too long.`, { reason: 'key_too_long' });
  return normal;
}

export function choiceQuery<T extends string>(
  call: Call,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = call.query(name);
  if (text === undefined) return undefined;
  const choice = choices.find((each) => each === text);
  if (!choice)
    throw new AppError('invalid_input', `${name} must be one of ${choices.join(', ')}.`, {
      reason: 'bad_type',
    });
  return choice;
}

/** The key in the path after `base`: percent-encoded as one segment, or with plain slashes. */
export function keyInPath(c: Context, base: string, suffix = ''): string {
  const path = rawPath(c.req.url);
  const encoded = path.slice(path.indexOf(base) + base.length, suffix ? -suffix.length : undefined);
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new AppError('invalid_input', 'The key in the path is not valid percent-encoded UTF-8.', {
      reason: 'bad_key',
    });
  }
}

/** The path as it was sent: frameworks decode some of it, and a key's slashes would be lost. */
export function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.search(/[?#]/);
  return url.slice(start, end < 0 ? undefined : end);
}

const ETAG = /^"?(\d{1,15})"?$/;

/** `If-Match`, or `if_version` in the body: the version that must be there. */
export function wantedVersion(c: Context, inBody?: number): number | undefined {
  const header = requestHeader(c, 'if-match');
  if (header === undefined) return inBody;
  const match = ETAG.exec(header.trim());
  if (!match)
    throw new AppError('invalid_input', 'If-Match must be a version such as "3".', { reason: 'bad_type' });
  const version = Number(match[1]);
  if (inBody !== undefined && inBody !== version)
    throw new AppError('invalid_input', 'If-Match and if_version disagree.');
  return version;
}

/** The `Idempotency-Key` header, if given. */
export function idempotencyKey(c: Context): string | undefined {
  const key = requestHeader(c, 'idempotency-key');
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('invalid_input', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      reason: 'bad_type',
    });
  }
  return key;
}
