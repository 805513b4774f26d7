import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PipelineRun, RunEvent } from '../api/generated/rest.ts';
import { readRun, runEventsUrl } from '../api/pipeline-api.ts';
import { MEMORY, RUNS } from '../memory/fact-queries.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { hasEnded, PIPELINE_RUNS } from './pipeline-queries.ts';
import { withEvent } from './with-event.ts';

const EVENTS: readonly RunEvent['type'][] = ['run', 'step', 'progress'];
/** Used only while the event stream is not open. */
const POLL_MS = 1_500;

/** A run, updated live from its event stream. */
export function useLiveRun(id: string | undefined) {
  const queryClient = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    queryKey: [PIPELINE_RUNS, 'run', id],
    queryFn: ({ signal }) => readRun(id!, signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) =>
      streaming || !state.data || hasEnded(state.data.status) ? false : POLL_MS,
  });
  const { data: run } = query;
  const goingOn = run !== undefined && !hasEnded(run.status);
  useEffect(() => {
    if (id === undefined || !goingOn) return;
    const stream = new EventSource(runEventsUrl(id));
    stream.onopen = () => setStreaming(true);
    stream.onerror = () => setStreaming(false);
    const onEvent = (message: MessageEvent<string>) => applyEvent(queryClient, id, JSON.parse(message.data));
    for (const type of EVENTS) stream.addEventListener(type, onEvent);
    return () => {
      stream.close();
      setStreaming(false);
    };
  }, [id, goingOn, queryClient]);
  useRunEnd(run);
  return query;
}

/** Applies an event at once; outputs and times are refetched, because events do not carry them. */
function applyEvent(queryClient: QueryClient, id: string, event: RunEvent): void {
  const queryKey = [PIPELINE_RUNS, 'run', id];
  queryClient.setQueryData<PipelineRun>(queryKey, (before) => before && withEvent(before, event));
  if (event.type !== 'progress') void queryClient.invalidateQueries({ queryKey });
}

/** Announces the end of a run that was in progress, and refetches what it changed. */
function useRunEnd(run: PipelineRun | undefined): void {
  const queryClient = useQueryClient();
  const before = useRef<PipelineRun>(undefined);
  useEffect(() => {
    const seen = before.current;
    before.current = run;
    if (!run || seen?.id !== run.id || hasEnded(seen.status) || !hasEnded(run.status)) return;
    announce(strings.pipelines.ended[run.status] ?? run.status);
    for (const queryKey of [[PIPELINE_RUNS], [RUNS], [MEMORY]])
      void queryClient.invalidateQueries({ queryKey });
  }, [run, queryClient]);
}
