import { changeFacts, type FactsChange, type FiledFact, MAX_CHANGED_FACTS } from '../api/fact-api.ts';
import type { Notice } from '../kit/notices.ts';
import { strings } from '../strings.ts';
import { renewalSeconds } from './list/time-left.ts';
import { restoreFiling } from './undo-writes.ts';

export type Refiling = Pick<FactsChange, 'category' | 'ttl_seconds' | 'add_tags' | 'remove_tags'>;

/**
 * Changes of several facts, a few calls for all of them. It may be run again after a failure: facts that were changed
 * already are left out.
 */
export function bulkWrites() {
  const before = new Map<string, FiledFact>();
  const notice = (text: string): Notice =>
    before.size === 0 ? { text } : { text, undo: () => restoreFiling([...before.values()]) };

  /** Returns how many could not be changed. */
  async function changeAll(all: readonly string[], change: Refiling): Promise<number> {
    const keys = all.filter((key) => !before.has(key));
    let failed = 0;
    for (let at = 0; at < keys.length; at += MAX_CHANGED_FACTS) {
      const answer = await changeFacts({ ...change, keys: keys.slice(at, at + MAX_CHANGED_FACTS) });
      failed += answer.failed.length;
      for (const fact of answer.before ?? []) before.set(fact.key, fact);
    }
    return failed;
  }

  return {
    async change(keys: readonly string[], change: Refiling): Promise<Notice> {
      const failed = await changeAll(keys, change);
      return notice(strings.undo.changed(before.size, failed));
    },
    /** A renewal never shortens the lifetime that a fact has. */
    async renew(facts: readonly { key: string; expires_at: string }[]): Promise<Notice> {
      const nowMs = Date.now();
      const groups = Map.groupBy(facts, (fact) => renewalSeconds(fact, nowMs));
      let failed = 0;
      for (const [ttl_seconds, same] of groups) {
        const keys = same.map(({ key }) => key);
        failed += await changeAll(keys, { ttl_seconds });
      }
      return notice(strings.undo.renewed(before.size, failed));
    },
  };
}
