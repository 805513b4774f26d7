import { AppError } from '../../errors.ts';
import { detectCredential } from '../credential-detector/credential-detector.ts';
import type { EntryContent } from '../entry.ts';
import { TRUST_CLASSES, type Trust } from '../gate/trust.ts';
import { asciiLookAlike, hasHiddenCharacters } from './hidden-characters.ts';

/** The limits, defaults and reserved names of facts. */
export const FACT_POLICY = Object.freeze({
  maxKeyBytes: 512,
  defaultMaxValueBytes: 65_536,
  defaultCategory: 'user_facts',
  maxCategoryChars: 64,
  maxTags: 32,
  maxTagBytes: 64,
  maxProjectChars: 200,
  defaultTtlSeconds: 7_776_000,
  minTtlSeconds: 3_600,
  maxTtlSeconds: 31_536_000,
  defaultReviewSeconds: 2_592_000,
  minReviewSeconds: 3_600,
  maxReviewSeconds: 31_536_000,
  maxVersions: 20,
  maxReplaced: 20,
  reservedCategories: ['pack_history', 'pipeline_history', 'plan_history', 'cache', 'working'],
  reservedPrefixes: ['pack_history/', 'pipeline_history/', 'plan_history/'],
});

/** The parts of the policy that an operator can configure. */
export interface FactRules {
  maxValueBytes: number;
  secretGuard: boolean;
}

export const DEFAULT_FACT_RULES: FactRules = {
  maxValueBytes: FACT_POLICY.defaultMaxValueBytes,
  secretGuard: true,
};

/** A fact that passed the policy. What the request omitted is undefined: an update keeps it, a new fact gets the default. */
export interface ValidFact {
  key: string;
  value: string;
  category?: string;
  tags?: string[];
  /** '' takes the fact out of its project. */
  project?: string;
  ttlSeconds?: number;
  /** 0: as configured. */
  reviewAfterSeconds?: number;
  ifVersion?: number;
  /** The most that this text is trusted, if the request lowers it. */
  trust?: Trust;
  /** The request asks to put it into the inbox. */
  propose?: boolean;
  /** The sentence that it was taken from; set by `withQuote`, never by a request. */
  quote?: string;
  /** The keys of other facts that become this one. */
  replaces?: string[];
}

/** Why a fact is refused, as it appears on the wire. */
export type FactReason =
  | 'missing_key'
  | 'missing_value'
  | 'reserved_category'
  | 'reserved_key'
  | 'ttl_too_short'
  | 'ttl_too_long'
  | 'bad_review_after'
  | 'key_too_long'
  | 'bad_key'
  | 'value_too_long'
  | 'bad_category'
  | 'too_many_tags'
  | 'bad_tag'
  | 'too_many_replaced'
  | 'bad_project'
  | 'bad_type'
  | 'unknown_field';

const KEY_TOO_LONG = `key is longer than ${FACT_POLICY.maxKeyBytes} bytes.`;
const FACT_FIELDS = [
  'key',
  'value',
  'category',
  'tags',
  'project',
  'ttl_seconds',
  'review_after_seconds',
  'if_version',
  'trust',
  'propose',
  'replaces',
];
const CATEGORY = /^[A-Za-z0-9_.-]{1,64}$/;
const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const CONTROL = /\p{Cc}/u;
// Soft hyphen, zero-width and direction marks, line separators: invisible, so two keys could look the same.
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;

/** The one policy for every surface: turns untrusted input into a fact, or throws an error that says what is wrong. */
export function validateFact(input: unknown, rules: FactRules): ValidFact {
  const fields = asObject(input, FACT_FIELDS);
  const fact: ValidFact = {
    key: newKey(fields.key),
    value: validValue(fields.value, rules.maxValueBytes),
    category: given(fields.category, validCategory),
    tags: given(fields.tags, validTags),
    project: given(fields.project, validProject),
    ttlSeconds: given(fields.ttl_seconds, validTtl),
    reviewAfterSeconds: given(fields.review_after_seconds, validReviewAfter),
    ifVersion: validIfVersion(fields.if_version),
    trust: given(fields.trust, validTrust),
    propose: given(fields.propose, validPropose),
    replaces: given(fields.replaces, (keys) => validReplaces(keys, fields.key)),
  };
  if (rules.secretGuard) assertNoSecret({ ...fact, tags: fact.tags ?? [] });
  return fact;
}

/** `null` counts as omitted: clients send it for optional fields that they leave empty. */
function given<T>(input: unknown, parse: (input: unknown) => T): T | undefined {
  return input === undefined || input === null ? undefined : parse(input);
}

/** The fields that `PATCH` may change: everything but the value. */
export interface FactPatch {
  category?: string;
  tags?: string[];
  /** To the tags that the fact has. */
  addTags?: string[];
  removeTags?: string[];
  /** '' takes the fact out of its project. */
  project?: string;
  ttlSeconds?: number;
  /** Restores an expiry; in place of `ttlSeconds`. */
  expiresMs?: number;
  /** Patches the fact only if it still has these times. A confirmation changes only the second. */
  ifStill?: { updatedMs: number; expiresMs: number };
}

const PATCH_FIELDS = {
  one: ['category', 'tags', 'project', 'ttl_seconds'],
  // Several facts have different tags, so a change adds to them or takes some away.
  several: ['category', 'add_tags', 'remove_tags', 'ttl_seconds'],
} as const;

export function validatePatch(input: unknown, rules: FactRules, of: 'one' | 'several' = 'one'): FactPatch {
  const fields = asObject(input, PATCH_FIELDS[of]);
  const patch: FactPatch = {};
  if (fields.category !== undefined) patch.category = validCategory(fields.category);
  if (fields.tags !== undefined) patch.tags = validTags(fields.tags);
  if (fields.add_tags !== undefined) patch.addTags = validTags(fields.add_tags);
  if (fields.remove_tags !== undefined) patch.removeTags = validTags(fields.remove_tags);
  if (fields.ttl_seconds !== undefined) patch.ttlSeconds = validTtl(fields.ttl_seconds);
  if (fields.project !== undefined) patch.project = validProject(fields.project);
  if (Object.keys(patch).length === 0)
    throw new AppError('invalid_input', `Nothing to change: give one of ${PATCH_FIELDS[of].join(', ')}.`);
  const { tags = patch.addTags ?? [], project } = patch;
  if (rules.secretGuard) assertNoSecret({ key: '', value: '', tags, project });
  return patch;
}

/** What a confirmation may say besides the key. */
export type Confirmation = Pick<ValidFact, 'ttlSeconds' | 'ifVersion'>;

export function validateConfirmation(input: unknown): Confirmation {
  const fields = asObject(input, ['ttl_seconds', 'if_version']);
  return {
    ttlSeconds: given(fields.ttl_seconds, validTtl),
    ifVersion: validIfVersion(fields.if_version),
  };
}

export function assertStill(
  { ifStill }: FactPatch,
  fact: { updatedMs: number; expiresMs: number | null },
): void {
  if (!ifStill || (ifStill.updatedMs === fact.updatedMs && ifStill.expiresMs === fact.expiresMs)) return;
  throw new AppError('precondition_failed', 'The fact was changed since.');
}

/** The sealed fields of a fact that a patch changes. */
export function patchedContent(before: EntryContent, patch: FactPatch) {
  return {
    category: patch.category ?? before.category ?? FACT_POLICY.defaultCategory,
    tags: patchedTags(before.tags ?? [], patch),
    project: (patch.project ?? before.project) || undefined,
    // After a restored expiry it is derived from that: see `ttlSecondsOf`.
    ttlSeconds: patch.expiresMs === undefined ? (patch.ttlSeconds ?? before.ttlSeconds) : undefined,
  };
}

function patchedTags(before: readonly string[], patch: FactPatch): string[] {
  if (patch.tags) return patch.tags;
  const kept = before.filter((tag) => !patch.removeTags?.includes(tag));
  return validTags([...new Set([...kept, ...(patch.addTags ?? [])])]);
}

/** The parts of a fact that may not hold credentials. */
interface GuardedText {
  key: string;
  value: string;
  tags: readonly string[];
  project?: string;
}

/** Refuses credentials; the error contains the name of the matching rule, never the text. */
export function assertNoSecret({ key, value, tags, project = '' }: GuardedText): void {
  // One scan over key and value together: under `wifi/password` even an ordinary word is a credential.
  const found = detectCredential([`${key}: ${value}`, ...tags, ...(project ? [project] : [])].join('\n'));
  if (!found) return;
  const parts = { key: [key], tags, project: [project] };
  const field = Object.entries(parts).find(([, texts]) => texts.some((text) => detectCredential(text)))?.[0];
  throw new AppError(
    'secret_detected',
    `The ${field ?? 'value'} looks like a credential (rule ${found.rule}); it was not stored.`,
    {
      reason: found.rule,
      hint: 'Keep credentials in the vault, and store here only where to find them.',
    },
  );
}

/** A key to store a fact under. Older facts may have keys that are no longer allowed; `validKey` still finds those. */
function newKey(input: unknown): string {
  const key = validKey(input);
  if (hasHiddenCharacters(key)) refuse('bad_key', 'key contains invisible characters.');
  assertNotReserved(asciiLookAlike(key));
  return key;
}

function assertNotReserved(folded: string): void {
  const prefix = FACT_POLICY.reservedPrefixes.find((reserved) => folded.startsWith(reserved));
  if (prefix) refuse('reserved_key', `Keys that begin with "${prefix}" belong to Helmdeck; choose another.`);
}

/** A key in its stored form: trimmed, NFC-normalised, without invisible characters. */
export function validKey(input: unknown): string {
  const text = asText('key', input, 'missing_key').trim();
  // Fast path: a key of printable ASCII is already normalised and needs fewer checks.
  const isPlain = PLAIN_TEXT.test(text);
  const key = isPlain
    ? text
    : (composed(text, FACT_POLICY.maxKeyBytes) ?? refuse('key_too_long', KEY_TOO_LONG));
  if (key === '') refuse('missing_key', 'key is required.');
  if (Buffer.byteLength(key) > FACT_POLICY.maxKeyBytes) refuse('key_too_long', KEY_TOO_LONG);
  if (!isPlain) assertVisible(key);
  // Look-alikes, such as full-width letters, are folded before the comparison with reserved names.
  const folded = (isPlain ? key : key.normalize('NFKC')).toLowerCase();
  if (folded === '.' || folded === '..') refuse('bad_key', 'key must not be "." or "..".');
  assertNotReserved(folded);
  return key;
}

function assertVisible(key: string): void {
  if (!key.isWellFormed()) refuse('bad_key', 'key is not well-formed Unicode text.');
  if (CONTROL.test(key)) refuse('bad_key', 'key contains control characters.');
  if (INVISIBLE.test(key)) refuse('bad_key', 'key contains invisible characters.');
}

/** The NFC form of a text; `undefined` if it is far too long, because normalising combining marks is quadratic. */
export function composed(text: string, maxBytes: number): string | undefined {
  return text.length > 4 * maxBytes ? undefined : text.normalize('NFC');
}

export function validValue(input: unknown, maxBytes: number): string {
  const value = asText('value', input, 'missing_value').trim();
  if (value === '') refuse('missing_value', 'value is required.');
  if (!value.isWellFormed()) refuse('bad_type', 'value is not well-formed Unicode text.');
  if (Buffer.byteLength(value) > maxBytes)
    refuse('value_too_long', `value is longer than ${maxBytes} bytes.`);
  return value;
}

export function validCategory(input: unknown): string {
  if (input === undefined || input === null) return FACT_POLICY.defaultCategory;
  if (typeof input !== 'string') refuse('bad_type', 'category must be a string.');
  const category = (input as string).trim();
  if (category === '') return FACT_POLICY.defaultCategory;
  if (!CATEGORY.test(category)) refuse('bad_category', 'category must be 1 to 64 of A–Z a–z 0–9 _ . -');
  if (FACT_POLICY.reservedCategories.includes(category.toLowerCase())) {
    refuse(
      'reserved_category',
      `The category "${category}" belongs to Helmdeck; try "preferences" or "project_conventions".`,
    );
  }
  return category;
}

export function validTags(input: unknown): string[] {
  if (input === undefined || input === null) return [];
  if (!Array.isArray(input)) return refuse('bad_type', 'tags must be an array of strings.');
  const tags = new Set<string>();
  for (const item of input) {
    if (typeof item !== 'string') return refuse('bad_type', 'tags must be an array of strings.');
    const tag = composed(item.trim(), FACT_POLICY.maxTagBytes) ?? '';
    const bytes = Buffer.byteLength(tag);
    if (bytes < 1 || bytes > FACT_POLICY.maxTagBytes || CONTROL.test(tag) || !tag.isWellFormed()) {
      refuse('bad_tag', `Each tag must be 1 to ${FACT_POLICY.maxTagBytes} bytes without control characters.`);
    }
    if (hasHiddenCharacters(tag)) {
      refuse('bad_tag', 'A tag contains invisible characters.');
    }
    tags.add(tag);
  }
  if (tags.size > FACT_POLICY.maxTags) refuse('too_many_tags', `At most ${FACT_POLICY.maxTags} tags.`);
  return [...tags];
}

/** A project in its stored form; '' for none. */
export function validProject(input: unknown): string {
  if (typeof input !== 'string') return refuse('bad_type', 'project must be a string.');
  const { maxProjectChars } = FACT_POLICY;
  const project = composed(input.trim(), maxProjectChars);
  if (project === undefined || [...project].length > maxProjectChars)
    return refuse('bad_project', `project must be 1 to ${maxProjectChars} characters.`);
  if (CONTROL.test(project) || !project.isWellFormed() || hasHiddenCharacters(project))
    return refuse('bad_project', 'project contains control or invisible characters.');
  return project;
}

function validTtl(input: unknown): number {
  if (input === undefined || input === null || input === 0) return FACT_POLICY.defaultTtlSeconds;
  if (typeof input !== 'number' || !Number.isInteger(input))
    return refuse('bad_type', 'ttl_seconds must be a whole number.');
  if (input < FACT_POLICY.minTtlSeconds) {
    refuse('ttl_too_short', `ttl_seconds must be at least ${FACT_POLICY.minTtlSeconds} (one hour).`);
  }
  if (input > FACT_POLICY.maxTtlSeconds) {
    refuse('ttl_too_long', `ttl_seconds must be at most ${FACT_POLICY.maxTtlSeconds} (one year).`);
  }
  return input;
}

function validReviewAfter(input: unknown): number {
  if (typeof input !== 'number' || !Number.isInteger(input))
    return refuse('bad_type', 'review_after_seconds must be a whole number.');
  const { minReviewSeconds, maxReviewSeconds } = FACT_POLICY;
  if (input !== 0 && (input < minReviewSeconds || input > maxReviewSeconds)) {
    refuse(
      'bad_review_after',
      `review_after_seconds must be from ${minReviewSeconds} (one hour) to ${maxReviewSeconds} (one year), or 0 for the period that is configured.`,
    );
  }
  return input;
}

function validIfVersion(input: unknown): number | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input !== 'number' || !Number.isSafeInteger(input) || input < 0) {
    return refuse('bad_type', 'if_version must be a whole number, 0 for "must be new".');
  }
  return input;
}

export function validTrust(input: unknown): Trust {
  const trust = TRUST_CLASSES.find((name) => name === input);
  return trust ?? refuse('bad_type', `trust must be one of ${TRUST_CLASSES.join(', ')}.`);
}

/** The keys to replace, without the fact's own; undefined if none is left. */
function validReplaces(input: unknown, ownKey: unknown): string[] | undefined {
  if (!Array.isArray(input)) return refuse('bad_type', 'replaces must be an array of keys.');
  if (input.length > FACT_POLICY.maxReplaced)
    return refuse('too_many_replaced', `At most ${FACT_POLICY.maxReplaced} facts can be replaced at once.`);
  const keys = new Set(input.map(validKey));
  keys.delete(validKey(ownKey));
  return keys.size > 0 ? [...keys] : undefined;
}

function validPropose(input: unknown): boolean {
  return typeof input === 'boolean' ? input : refuse('bad_type', 'propose must be true or false.');
}

/** Checks that the input is an object with known fields only. */
export function asObject(input: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refuse('bad_type', 'The body must be a JSON object.');
  }
  for (const name of Object.keys(input)) {
    if (!known.includes(name)) {
      refuse(
        'unknown_field',
        `Unknown field ${JSON.stringify(name.slice(0, 64))}; known: ${known.join(', ')}.`,
      );
    }
  }
  return input as Record<string, unknown>;
}

function asText(field: string, input: unknown, missing: FactReason): string {
  if (input === undefined || input === null) return refuse(missing, `${field} is required.`);
  if (typeof input !== 'string') return refuse('bad_type', `${field} must be a string.`);
  return input;
}

function refuse(reason: FactReason, message: string): never {
  throw new AppError('invalid_input', message, { reason });
}
