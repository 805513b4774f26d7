import { ApiError } from '../api/call-api.ts';
import { forgetFact, patchFact, readFact, storeFact } from '../api/fact-api.ts';
import type { Fact, FactPatch } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import { secondsLeft } from './list/time-left.ts';

/** Puts a fact back as it was, as a new version over `version`. If another client wrote since, it is refused. */
export async function putBack(before: Fact, version: number): Promise<void> {
  const { key, value, category, tags } = before;
  const ttl_seconds = secondsLeft(before, Date.now());
  await storeFact({ key, value, category, tags, ttl_seconds, if_version: version });
}

/** Takes back what a patch has changed. */
export async function patchBack(
  before: Pick<Fact, 'key' | 'category' | 'tags' | 'expires_at'>,
  patch: FactPatch,
): Promise<void> {
  await patchFact(before.key, {
    ...(patch.category === undefined ? {} : { category: before.category }),
    ...(patch.tags === undefined ? {} : { tags: before.tags }),
    ...(patch.ttl_seconds === undefined ? {} : { ttl_seconds: secondsLeft(before, Date.now()) }),
  });
}

/** Forgets a fact that was just stored, unless another client has written to it since. */
export async function forgetStored(key: string): Promise<void> {
  const { version } = await readFact(key, {});
  if (version !== 1) throw new ApiError(412, { message: strings.undo.changedSince });
  await forgetFact(key, {});
}
