import type { Fact, FactInput, FactPatch } from '../../api/generated/rest.ts';
import { DAY_MS } from '../list/time-left.ts';
import type { Draft } from './fact-rules.ts';

const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;
const FIELDS: readonly (keyof Draft)[] = ['key', 'value', 'category', 'tags', 'ttlDays'];

/** Unsaved changes of a fact: only the fields that were changed, over the version they were made on. */
export interface FactChanges {
  changes: Partial<Draft>;
  version?: number;
}

/** The name of a draft: of an existing fact, of a new one, or of two that are being merged. */
export const draftName = {
  fact: (key: string) => `fact:${key}`,
  /** A new fact with this key; without one, the new fact that is not about any other. */
  newFact: (key?: string) => (key === undefined ? 'new' : `new:${key}`),
  copy: (key: string) => `copy:${key}`,
  merge: (key: string, other: string) => `merge:${JSON.stringify([key, other])}`,
};

/** The search parameters that tell the forms of facts from each other. */
export const FORM_ADDRESS = ['mode', 'key', 'with'];

/** The draft that the editor starts with: a fact, or an empty one, with `start` on top. */
export function draftOf(fact: Fact | undefined, start: Partial<Draft>): Draft {
  const { key = '', value = '', category = '', tags = [] } = fact ?? {};
  return { key, value, category, tags, ttlDays: fact ? lifetimeDays(fact) : DEFAULT_DAYS, ...start };
}

function lifetimeDays(fact: Fact): number {
  const days = Math.round((Date.parse(fact.expires_at) - Date.parse(fact.updated_at)) / DAY_MS);
  return Math.max(1, Math.min(MAX_DAYS, days));
}

/** The fields that differ from the start. An emptied number is no change that could be kept. */
export function changesOf(draft: Draft, start: Draft): Partial<Draft> {
  const changed = FIELDS.filter(
    (field) => String(draft[field]) !== String(start[field]) && !Number.isNaN(draft[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, draft[field]]));
}

/**
 * The draft as a request. Without `ifVersion` it must be a new fact, so that it cannot overwrite one silently. A lifetime
 * that was not changed is omitted: the server keeps it to the second, the form rounds to days.
 */
export function inputOf(draft: Draft, start: Draft, ifVersion: number | undefined): FactInput {
  const keepsLifetime = ifVersion !== undefined && draft.ttlDays === start.ttlDays;
  return {
    key: draft.key,
    value: draft.value,
    category: draft.category.trim(),
    tags: draft.tags,
    ...(keepsLifetime ? {} : { ttl_seconds: ttlSecondsOf(draft.ttlDays) }),
    if_version: ifVersion ?? 0,
  };
}

/** The change as a patch if the text is the same: then it is neither a new version nor by another author. */
export function patchOf({ value, category, tags, ttlDays }: Partial<Draft>): FactPatch | undefined {
  if (value !== undefined) return undefined;
  return {
    ...(category === undefined ? {} : { category: category.trim() }),
    ...(tags === undefined ? {} : { tags }),
    ...(ttlDays === undefined ? {} : { ttl_seconds: ttlSecondsOf(ttlDays) }),
  };
}

const ttlSecondsOf = (days: number) => Math.round(days * 86_400);
