import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { PipelineRun, RunStatus } from '../api/generated/rest.ts';
import { listPipelines, listRuns } from '../api/pipeline-api.ts';
import { may } from '../api/session-api.ts';
import { useCaller } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';

export const PIPELINES = 'pipelines';
export const PIPELINE_RUNS = 'pipeline-runs';
const PAGE = 20;
const WATCH_MS = 5_000;

export const hasEnded = (status: RunStatus) => status !== 'pending' && status !== 'running';

/** The built-in pipelines and the caller's own; not queried without the scope to see them. */
export function usePipelines() {
  const session = useSession();
  return useQuery({
    queryKey: [PIPELINES],
    queryFn: ({ signal }) => listPipelines(signal),
    enabled: may(session, 'pipelines:run'),
    staleTime: 30_000,
  });
}

/** The runs in progress, of any pipeline. */
export function useLiveRuns(enabled = true): PipelineRun[] {
  const session = useSession();
  const { data } = useQuery({
    queryKey: [PIPELINE_RUNS, 'latest'],
    queryFn: ({ signal }) => listRuns(undefined, { limit: PAGE }, signal),
    enabled: enabled && may(session, 'pipelines:run'),
    refetchInterval: ({ state }) => (state.data?.runs.some(isLive) ? WATCH_MS : false),
  });
  return (data?.runs ?? []).filter(isLive);
}

const isLive = ({ status }: PipelineRun) => !hasEnded(status);

export const useRuns = (pipeline: string) =>
  useInfiniteQuery({
    queryKey: [PIPELINE_RUNS, 'of', pipeline],
    queryFn: ({ pageParam, signal }) => listRuns(pipeline, { limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });

/** The display name: of a pipeline its name, of a pack its id. Only the ids of another caller's pipelines are known. */
export function useNameOf(): (kind: 'pack' | 'pipeline', id: string) => string {
  const { data } = usePipelines();
  const caller = useCaller();
  return (kind, id) => {
    if (kind === 'pack') return id;
    const name = data?.find((each) => each.id === id)?.name;
    return name ?? (data && caller === undefined ? strings.pipelines.deletedName : id);
  };
}
