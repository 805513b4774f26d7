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

/** Gives facts back the category, the tags and the expiry that they had. Their texts and versions stay. */
export async function restoreFiling(facts: readonly FiledFact[]): Promise<void> {
  let failed = 0;
  for (let at = 0; at < facts.length; at += MAX_CHANGED_FACTS) {
    const restore = facts.slice(at, at + MAX_CHANGED_FACTS).map(filingOf);
    failed += (await changeFacts({ restore })).failed.length;
  }
  if (failed > 0) throw new ApiError(412, { message: strings.undo.notRestored(failed, facts.length) });
}

const filingOf = ({ key, category, tags, expires_at }: FiledFact) => ({ key, category, tags, expires_at });

/** Forgets a fact that was just stored, unless another client has written to it since. */
export async function forgetStored(key: string): Promise<void> {
  const { version } = await readFact(key, {});
  if (version !== 1) throw new ApiError(412, { message: strings.undo.changedSince });
  await forgetFact(key, {});
}
