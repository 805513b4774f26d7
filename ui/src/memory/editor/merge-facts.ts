import type { Fact, FactInput } from '../../api/generated/rest.ts';

const MAX_TAGS = 32;
const MIN_TTL_SECONDS = 3_600;
const MAX_TTL_SECONDS = 31_536_000;

/** Both values as one text to start from; a value that contains the other is used alone. */
export function mergedValue(kept: string, other: string): string {
  const [mine, theirs] = [kept.trim(), other.trim()];
  if (mine.includes(theirs)) return mine;
  if (theirs.includes(mine)) return theirs;
  return `${mine}\n\n${theirs}`;
}

/** The fact that stays: its own key and category, the tags of both, and the longer lifetime. */
export function mergedInput(kept: Fact, other: Fact, value: string, nowMs: number): FactInput {
  const endMs = Math.max(Date.parse(kept.expires_at), Date.parse(other.expires_at));
  const seconds = Math.round((endMs - nowMs) / 1000);
  return {
    key: kept.key,
    value,
    category: kept.category,
    tags: [...new Set([...kept.tags, ...other.tags])].slice(0, MAX_TAGS),
    ttl_seconds: Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, seconds)),
    if_version: kept.version,
  };
}
