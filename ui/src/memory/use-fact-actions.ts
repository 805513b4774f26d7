import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { readFact, renewFact, storeFact } from '../api/fact-api.ts';
import type { Fact, FactVersion } from '../api/generated/rest.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { saveAdvice } from './detail/advice-store.ts';
import type { FactActions } from './detail/fact-detail.tsx';
import { MEMORY, type Row, useCaller } from './fact-queries.ts';
import { forgetLater } from './forget/forgetting.ts';
import { renewalSeconds } from './list/time-left.ts';

/** The actions on facts. Forgetting several sets `confirming` first; the page shows the dialog. */
export function useFactActions(rows: readonly Row[], onForgotten: (keys: readonly string[]) => void) {
  const queryClient = useQueryClient();
  const navigate = useNavigate({ from: '/' });
  const caller = useCaller();
  const [confirming, setConfirming] = useState<readonly string[]>();
  const [problem, setProblem] = useState<unknown>();
  const reload = () => queryClient.invalidateQueries({ queryKey: [MEMORY] });

  const forgetNow = (keys: readonly string[]) => {
    setConfirming(undefined);
    forgetLater(keys, caller);
    announce(keys.length === 1 ? `${strings.undo.one} ${keys[0]}` : strings.undo.many(keys.length));
    onForgotten(keys);
  };
  const actions: FactActions = {
    async renew(keys) {
      setProblem(undefined);
      const results = await Promise.allSettled(keys.map((key) => renewOne(key, rows)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) setProblem(failed.reason);
      const done = results.filter((result) => result.status === 'fulfilled').length;
      if (done > 0) announce(strings.memory.renewed(done));
      await reload();
    },
    edit: (key) => void navigate({ search: (before) => ({ ...before, key, mode: 'edit' }) }),
    merge: (key, other) =>
      void navigate({ search: (before) => ({ ...before, key, mode: 'merge', with: other }) }),
    forget: (keys) => (keys.length === 1 ? forgetNow(keys) : setConfirming(keys)),
    async restore(fact, version) {
      setProblem(undefined);
      try {
        saveAdvice(fact.key, await storeFact(restored(fact, version)));
        announce(strings.detail.restored(version.version));
      } catch (thrown) {
        setProblem(thrown);
      }
      await reload();
    },
  };
  return { actions, forgetNow, confirming, setConfirming, problem };
}

async function renewOne(key: string, rows: readonly Row[]): Promise<Fact> {
  const known = rows.find((row) => row.key === key) ?? (await readFact(key, {}));
  return renewFact(key, renewalSeconds(known, Date.now()));
}

/** An old version as the input of a new one: its value, category and tags. The fact keeps its lifetime. */
function restored(fact: Fact, { value, category, tags }: FactVersion) {
  return { key: fact.key, value, category, tags, if_version: fact.version };
}
