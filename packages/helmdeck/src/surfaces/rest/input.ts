import type { Context } from 'hono';
import { AppError } from '../../errors.ts';
import type { FactFilter } from '../../memory/facts/read-facts.ts';
import { composed, FACT_POLICY } from '../../memory/facts/validate-fact.ts';
import { instant } from '../../memory/import-export.ts';
import { requestHeader } from '../http/request-context.ts';
import { rawPath } from '../http/router.ts';
import type { Call } from './route.ts';

/** Parses and checks the query, path and headers of a request. */

/** An integer query parameter within bounds. */
export function integerQuery(
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

/** A query parameter that is an RFC 3339 time, in milliseconds. */
export function timestampQuery(call: Call, name: string): number | undefined {
  const text = call.query(name);
  return text === undefined ? undefined : instant(name, text);
}

const MAX_SECONDS = 3_153_600_000;

/** The filter that lists, searches and counts of facts have in common; `factFilterQuery` documents it. */
export function factFilter(call: Call): FactFilter {
  const tags = call.c.req.queries('tag');
  if (tags && tags.length > FACT_POLICY.maxTags) {
    throw new AppError('invalid_input', `At most ${FACT_POLICY.maxTags} tags at once.`, {
      reason: 'too_many_tags',
    });
  }
  return {
    prefix: normalizedQuery(call, 'prefix'),
    category: call.query('category'),
    tag: tags?.map((tag) => normalized('tag', tag)),
    project: normalizedQuery(call, 'project'),
    source: call.query('source'),
    expiringWithinSeconds: integerQuery(call, 'expiring_within', { min: 0, max: MAX_SECONDS }),
    due: choiceQuery(call, 'due', ['0', '1']) === '1' || undefined,
    updatedSinceMs: timestampQuery(call, 'updated_since'),
  };
}

/** A query parameter in NFC, the form in which keys and tags are stored. */
function normalizedQuery(call: Call, name: string): string | undefined {
  const text = call.query(name);
  return text === undefined ? undefined : normalized(name, text);
}

function normalized(name: string, text: string): string {
  const inNfc = composed(text, FACT_POLICY.maxKeyBytes);
  if (inNfc === undefined)
    throw new AppError('invalid_input', `${name} is too long.`, { reason: 'key_too_long' });
  return inNfc;
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

const ETAG = /^"?(\d{1,15})"?$/;

/** The version that the write expects to replace: from `If-Match`, or `if_version` in the body. */
export function expectedVersion(c: Context, inBody?: number): number | undefined {
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

export function idempotencyKeyOf(c: Context): string | undefined {
  const key = requestHeader(c, 'idempotency-key');
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('invalid_input', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', {
      reason: 'bad_type',
    });
  }
  return key;
}
