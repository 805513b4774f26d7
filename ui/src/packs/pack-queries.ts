import { useQuery } from '@tanstack/react-query';
import { listPacks, readPack } from '../api/pack-api.ts';
import { type Learned, readDefaults } from '../api/routing-api.ts';
import { may } from '../api/session-api.ts';
import { RUNS } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';
import { dependable } from './dependable.ts';

export const usePacks = () =>
  useQuery({ queryKey: ['packs'], queryFn: ({ signal }) => listPacks(signal), staleTime: 60_000 });

export const usePack = (name: string, version: string | undefined) =>
  useQuery({
    queryKey: ['packs', name, version],
    queryFn: ({ signal }) => readPack(name, version, signal),
    staleTime: 60_000,
  });

/** What was learned from runs; for admins also of another caller. `everyMs`: poll while it is on the screen. */
export function useDefaults(caller?: string, everyMs?: number) {
  const session = useSession();
  return useQuery({
    queryKey: [RUNS, 'defaults', caller],
    queryFn: ({ signal }) => readDefaults({ caller, signal }),
    enabled: may(session, 'memory:read'),
    refetchInterval: everyMs ?? false,
  });
}

/** What was learned about one pack or pipeline. Forms wait for it: values must not change while someone types. */
export function useLearned(kind: 'packs' | 'pipelines', id: string): { ready: boolean; learned?: Learned } {
  const session = useSession();
  const { data, isPending } = useDefaults();
  const learned = data?.[kind].find((each) => each.id === id);
  return { ready: !isPending || !may(session, 'memory:read'), learned: learned && dependable(learned) };
}
