import { ApiError } from '../api/call-api.ts';
import {
  changeFacts,
  type FiledFact,
  forgetFact,
  MAX_CHANGED_FACTS,
  readFact,
  storeFact,
} from '../api/fact-api.ts';
import type { Fact } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import { secondsLeft } from './list/time-left.ts';

/** Puts a fact back as it was, as a new version over `version`. If another client wrote since, it is refused. */
export async function putBack(before: Fact, version: number): Promise<void> {
  const { key, value, category, tags } = before;
  const ttl_seconds = secondsLeft(before, Date.now());
  await storeFact({ key, value, category, tags, ttl_seconds, if_version: version });
}

/** What the server answers for a fact that another client has written or forgotten since. */
const CHANGED_SINCE = ['precondition_failed', 'not_found'];

/**
 * Gives facts back the category, the tags and the expiry that they had. Their texts and versions stay, and so do facts
 * that another client has changed since. Returns what to say about it.
 */
export async function restoreFiling(facts: readonly FiledFact[]): Promise<string> {
  const failures: string[] = [];
  for (let at = 0; at < facts.length; at += MAX_CHANGED_FACTS) {
    const { failed } = await changeFacts({ restore: facts.slice(at, at + MAX_CHANGED_FACTS) });
    failures.push(...failed.map(({ error }) => error));
  }
  const leftAlone = failures.filter((error) => CHANGED_SINCE.includes(error)).length;
  if (failures.length > leftAlone)
    throw new ApiError(412, { message: strings.undo.notRestored(failures.length, facts.length) });
  return strings.undo.restored(facts.length - leftAlone, leftAlone);
}

/** A fact before and after it was re-filed or renewed, as `restoreFiling` takes it. */
export const refiled = (before: Omit<FiledFact, 'after'>, after: Fact): FiledFact => {
  const { key, category, tags, expires_at } = before;
  return {
    key,
    category,
    tags,
    expires_at,
    after: { updated_at: after.updated_at, expires_at: after.expires_at },
  };
};

/** Forgets a fact that was just stored, unless another client has written to it since. */
export async function forgetStored(key: string): Promise<void> {
  const { version } = await readFact(key, {});
  if (version !== 1) throw new ApiError(412, { message: strings.undo.changedSince });
  await forgetFact(key, {});
}
