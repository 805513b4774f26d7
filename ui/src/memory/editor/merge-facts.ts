import type { Fact, FactInput } from '../../api/generated/rest.ts';
import { secondsLeft } from '../list/time-left.ts';

const MAX_TAGS = 32;

/** Both values as one text to start from; a value that contains the other is used alone. */
export function mergedValue(kept: string, other: string): string {
  const [mine, theirs] = [kept.trim(), other.trim()];
  if (mine.includes(theirs)) return mine;
  if (theirs.includes(mine)) return theirs;
  return `${mine}\n\n${theirs}`;
}

/** The fact that stays: its own key and category, the tags of both, and the longer lifetime. */
export function mergedInput(kept: Fact, other: Fact, value: string, nowMs: number): FactInput {
  return {
    key: kept.key,
    value,
    category: kept.category,
    tags: [...new Set([...kept.tags, ...other.tags])].slice(0, MAX_TAGS),
    ttl_seconds: Math.max(secondsLeft(kept, nowMs), secondsLeft(other, nowMs)),
    if_version: kept.version,
  };
}
