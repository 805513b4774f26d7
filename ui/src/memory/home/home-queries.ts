import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { listFacts } from '../../api/fact-api.ts';
import type { Disagreement, Fact } from '../../api/generated/rest.ts';
import { listDisagreements, listRecalls } from '../../api/review-api.ts';
import { useWhose } from '../../navigation/navigation.tsx';
import { useSession } from '../../session/session-context.ts';
import { MEMORY } from '../fact-queries.ts';
import { noteVisit } from './last-visit.ts';
import { useSettled } from './settling.ts';

const MAX_NEWEST = 100;
const SEEN_MS = 60_000;
/** The clients of a person; everything else is an agent. */
const OWN_CLIENTS = ['browser', 'login'];

/** When the previous visit ended; looks are noted while the page is visible. */
export function useSince(): number {
  const { caller } = useSession();
  const [sinceMs] = useState(() => noteVisit(localStorage, caller, Date.now()));
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) noteVisit(localStorage, caller, Date.now());
    }, SEEN_MS);
    return () => clearInterval(timer);
  }, [caller]);
  return sinceMs;
}

export interface News {
  learned: Fact[];
  changed: Fact[];
  /** There are more than were asked for. */
  more: boolean;
}

/** Facts that agents stored or changed since the given time. */
export function useNews(sinceMs: number) {
  const whose = useWhose();
  return useQuery({
    queryKey: [MEMORY, 'news', whose],
    queryFn: ({ signal }) => listFacts({ sort: 'updated', limit: MAX_NEWEST }, { ...whose, signal }),
    select: ({ facts }): News => {
      const recent = facts.filter(
        ({ updated_at, source }) =>
          Date.parse(updated_at) >= sinceMs && !OWN_CLIENTS.includes(source.client ?? ''),
      );
      const isNew = (fact: Fact) => Date.parse(fact.created_at) >= sinceMs;
      return {
        learned: recent.filter(isNew),
        changed: recent.filter((fact) => !isNew(fact)),
        more: recent.length === MAX_NEWEST,
      };
    },
  });
}

/** Facts that contradict each other, without those that the user has settled. */
export function useDisagreements(): Disagreement[] {
  const whose = useWhose();
  const settled = useSettled();
  const { data } = useQuery({
    queryKey: [MEMORY, 'disagreements', whose],
    queryFn: ({ signal }) => listDisagreements({ ...whose, signal }),
  });
  return (data?.disagreements ?? []).filter(({ id }) => !settled.has(id));
}

/** The questions that agents asked, newest first; with a key only those that returned this fact. A space keeps none. */
export function useRecalls(limit: number, key?: string) {
  const whose = useWhose();
  return useQuery({
    queryKey: [MEMORY, 'recalls', whose, limit, key],
    queryFn: ({ signal }) => listRecalls({ limit, key }, { caller: whose.caller, signal }),
    enabled: whose.space === undefined,
  });
}
