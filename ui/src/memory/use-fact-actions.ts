import { useState } from 'react';
import { patchFact, readFact, storeFact } from '../api/fact-api.ts';
import type { Fact, FactVersion } from '../api/generated/rest.ts';
import { dayOf } from '../kit/dates.ts';
import type { Notice } from '../kit/notices.ts';
import { useNavigate, useWhose } from '../navigation/navigation.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { bulkWrites } from './bulk-writes.ts';
import type { FactActions } from './detail/fact-detail.tsx';
import type { Row } from './fact-queries.ts';
import { forgetLater } from './forget/forgetting.ts';
import type { MemorySearch } from './list/memory-search.ts';
import { renewalSeconds } from './list/time-left.ts';
import { putBack, refiled, restoreFiling } from './undo-writes.ts';
import { runWrite } from './write-notice.ts';

/** The actions on facts. Forgetting several sets `confirming` first; the page shows the dialog. */
export function useFactActions(rows: readonly Row[], onForgotten: (keys: readonly string[]) => void) {
  const navigate = useNavigate({ from: '/' });
  const whose = useWhose();
  const [confirming, setConfirming] = useState<readonly string[]>();

  const forgetNow = (keys: readonly string[]) => {
    setConfirming(undefined);
    forgetLater(keys, whose);
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

/** Renews facts: one says until when, several how many there were. */
async function renewAll(keys: readonly string[], rows: readonly Row[]): Promise<void> {
  const writes = bulkWrites();
  const known = (key: string) => rows.find((row) => row.key === key) ?? readFact(key, {});
  await runWrite(async () => {
    const facts = await Promise.all(keys.map(known));
    const [before] = facts;
    if (!before || facts.length > 1) return writes.renew(facts);
    const ttl_seconds = renewalSeconds(before, Date.now());
    const after = await patchFact(before.key, { ttl_seconds });
    return {
      text: strings.memory.renewedUntil(dayOf(after.expires_at)),
      undo: () => restoreFiling([refiled(before, after)]),
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
