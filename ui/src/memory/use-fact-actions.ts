import { useState } from 'react';
import { patchFact, readFact, storeFact } from '../api/fact-api.ts';
import type { Fact, FactVersion } from '../api/generated/rest.ts';
import { dayOf } from '../kit/dates.ts';
import type { Notice } from '../kit/notices.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import type { FactActions } from './detail/fact-detail.tsx';
import { type Row, useCaller } from './fact-queries.ts';
import { forgetLater } from './forget/forgetting.ts';
import type { MemorySearch } from './list/memory-search.ts';
import { renewalSeconds } from './list/time-left.ts';
import { patchBack, putBack } from './undo-writes.ts';
import { runWrite } from './write-notice.ts';

/** The actions on facts. Forgetting several sets `confirming` first; the page shows the dialog. */
export function useFactActions(rows: readonly Row[], onForgotten: (keys: readonly string[]) => void) {
  const navigate = useNavigate({ from: '/' });
  const caller = useCaller();
  const [confirming, setConfirming] = useState<readonly string[]>();

  const forgetNow = (keys: readonly string[]) => {
    setConfirming(undefined);
    forgetLater(keys, caller);
    announce(keys.length === 1 ? `${strings.undo.one} ${keys[0]}` : strings.undo.many(keys.length));
    onForgotten(keys);
  };
  const form = (search: Partial<MemorySearch>) =>
    void navigate({ search: (before) => ({ ...before, ...search }), state: { over: true } });
  const actions: FactActions = {
    renew: (keys) => renewAll(keys, rows),
    edit: (key) => form({ key, mode: 'edit', with: undefined }),
    merge: (key, other) => form({ key, mode: 'merge', with: other }),
    create: ({ key, from }) => form({ key, mode: 'new', with: from }),
    forget: (keys) => (keys.length === 1 ? forgetNow(keys) : setConfirming(keys)),
    restore: (fact, version) => runWrite(() => restoreVersion(fact, version), strings.memory.restoreFailed),
  };
  return { actions, forgetNow, confirming, setConfirming };
}

type Renewable = Pick<Fact, 'key' | 'category' | 'tags' | 'expires_at'>;

/** Renews facts. After a failure only those that are left are tried again. */
async function renewAll(keys: readonly string[], rows: readonly Row[]): Promise<void> {
  const renewed: { before: Renewable; expires_at: string }[] = [];
  let waiting = keys;
  await runWrite(async () => {
    const results = await Promise.allSettled(
      waiting.map(async (key) => {
        const before = rows.find((row) => row.key === key) ?? (await readFact(key, {}));
        const ttl_seconds = renewalSeconds(before, Date.now());
        renewed.push({ before, expires_at: (await patchFact(key, { ttl_seconds })).expires_at });
      }),
    );
    waiting = waiting.filter((_, index) => results[index]!.status === 'rejected');
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return {
      text:
        renewed.length === 1
          ? strings.memory.renewedUntil(dayOf(renewed[0]!.expires_at))
          : strings.memory.renewed(renewed.length),
      undo: () => Promise.all(renewed.map(({ before }) => patchBack(before, { ttl_seconds: 0 }))),
    };
  }, strings.memory.renewFailed(keys.length));
}

/** Stores the value, category and tags of an old version as a new one. The fact keeps its lifetime. */
async function restoreVersion(fact: Fact, old: FactVersion): Promise<Notice> {
  const { value, category, tags } = old;
  const answer = await storeFact({ key: fact.key, value, category, tags, if_version: fact.version });
  return {
    text: strings.memory.restored(old.version, answer.version),
    undo: () => putBack(fact, answer.version),
  };
}
