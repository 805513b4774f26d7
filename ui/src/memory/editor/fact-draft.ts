import type { Fact, FactInput } from '../../api/generated/rest.ts';
import { DAY_MS } from '../list/time-left.ts';
import type { Draft } from './fact-rules.ts';

const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;

/** The draft that the editor starts with: a fact, or an empty one, with `start` on top. */
export function draftOf(fact: Fact | undefined, start: Partial<Draft>): Draft {
  const { key = '', value = '', category = '', tags = [] } = fact ?? {};
  return { key, value, category, tags, ttlDays: fact ? lifetimeDays(fact) : DEFAULT_DAYS, ...start };
}

function lifetimeDays(fact: Fact): number {
  const days = Math.round((Date.parse(fact.expires_at) - Date.parse(fact.updated_at)) / DAY_MS);
  return Math.max(1, Math.min(MAX_DAYS, days));
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
    ...(keepsLifetime ? {} : { ttl_seconds: Math.round(draft.ttlDays * 86_400) }),
    if_version: ifVersion ?? 0,
  };
}
