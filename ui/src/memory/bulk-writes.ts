import { changeFacts, type FactsChange, type FiledFact, MAX_CHANGED_FACTS } from '../api/fact-api.ts';
import type { Notice } from '../kit/notices.ts';
import { strings } from '../strings.ts';
import { renewalSeconds } from './list/time-left.ts';
import { restoreFiling } from './undo-writes.ts';

export type Refiling = Pick<FactsChange, 'category' | 'ttl_seconds' | 'add_tags' | 'remove_tags'>;

/**
 * Changes of several facts, a few calls for all of them. It may be run again after a failure: what can be undone is
 * what each fact was before the first change.
 */
export function bulkWrites() {
  const before = new Map<string, FiledFact>();
  const notice = (text: string): Notice =>
    before.size === 0 ? { text } : { text, undo: () => restoreFiling([...before.values()]) };

  async function changeAll(keys: readonly string[], change: Refiling) {
    let [changed, failed] = [0, 0];
    for (let at = 0; at < keys.length; at += MAX_CHANGED_FACTS) {
      const answer = await changeFacts({ ...change, keys: keys.slice(at, at + MAX_CHANGED_FACTS) });
      changed += answer.changed;
      failed += answer.failed.length;
      for (const fact of answer.before ?? []) if (!before.has(fact.key)) before.set(fact.key, fact);
    }
    return { changed, failed };
  }

  return {
    async change(keys: readonly string[], change: Refiling): Promise<Notice> {
      const { changed, failed } = await changeAll(keys, change);
      return notice(strings.undo.changed(changed, failed));
    },
    /** A renewal never shortens the lifetime that a fact has. */
    async renew(facts: readonly { key: string; expires_at: string }[]): Promise<Notice> {
      const nowMs = Date.now();
      const groups = Map.groupBy(facts, (fact) => renewalSeconds(fact, nowMs));
      let [renewed, failed] = [0, 0];
      for (const [ttl_seconds, same] of groups) {
        const keys = same.map(({ key }) => key);
        const result = await changeAll(keys, { ttl_seconds });
        renewed += result.changed;
        failed += result.failed;
      }
      return notice(strings.undo.renewed(renewed, failed));
    },
  };
}
