import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/call-api.ts';
import type { Job, Pack, PackResult } from '../api/generated/rest.ts';
import { cancelJob, listJobs, readJob, runPack } from '../api/pack-api.ts';
import { RUNS } from '../memory/fact-queries.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import type { Fields } from './form/first-input.ts';
import { sendingDraft } from './form/kept-input.ts';

const POLL_MS = 600;
const JOBS = 'jobs';

export type PackRun =
  | { phase: 'idle' }
  | { phase: 'running'; sinceMs: number; progress?: Job['progress']; isJob: boolean }
  | { phase: 'done'; result: PackResult; ofJob?: string }
  | { phase: 'failed'; error: unknown }
  | { phase: 'cancelled' };

export interface PackRunner {
  run: PackRun;
  start(input: Fields, noCache: boolean): void;
  cancel(): void;
}

/** Runs a pack and follows it to its end, including a job that continued after the page was left. A run that was accepted discards its draft. */
export function usePackRun(pack: Pack, draft: string): PackRunner {
  const queryClient = useQueryClient();
  const stop = useRef<AbortController>(undefined);
  const [sinceMs, setSinceMs] = useState(0);
  const { job, follow } = useJob(pack);
  const started = useMutation({
    mutationFn: async ({ input, noCache }: { input: Fields; noCache: boolean }) => {
      const { name, version } = pack;
      const discardDraft = sendingDraft(draft);
      const answer = await runPack({ pack: name, version, input, noCache, signal: stop.current!.signal });
      discardDraft();
      return answer;
    },
    onSuccess: ({ job: begun }) => {
      follow(begun);
      if (begun) void queryClient.invalidateQueries({ queryKey: [JOBS, 'list'] });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [RUNS] }),
  });
  const cancelled = useMutation({
    mutationFn: cancelJob,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [JOBS] }),
  });
  const aborted = stop.current?.signal.aborted === true;
  const run = stateOf(started, job, sinceMs, aborted);
  useAnnouncement(run);
  return {
    run,
    start(input, noCache) {
      stop.current = new AbortController();
      setSinceMs(Date.now());
      follow(undefined);
      started.mutate({ input, noCache });
    },
    cancel() {
      if (job?.status === 'running') cancelled.mutate(job.job_id);
      else stop.current?.abort();
    },
  };
}

/** The job that this page started, or else the newest known job of the pack. */
function useJob(pack: Pack): { job: Job | undefined; follow(job: Job | undefined): void } {
  const queryClient = useQueryClient();
  const [mine, setMine] = useState<Job | null>();
  const list = useQuery({
    queryKey: [JOBS, 'list'],
    queryFn: ({ signal }) => listJobs(signal),
    enabled: pack.async && pack.allowed,
  });
  const earlier = list.data?.jobs.find((each) => each.pack === pack.name);
  const id = mine === undefined ? earlier?.job_id : mine?.job_id;
  const query = useQuery({
    queryKey: [JOBS, id],
    queryFn: ({ signal }) => readJob(id!, signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
  const job = id === undefined ? undefined : (query.data ?? mine ?? undefined);
  const ended = job !== undefined && job.status !== 'running';
  useEffect(() => {
    if (ended) void queryClient.invalidateQueries({ queryKey: [RUNS] });
  }, [ended, queryClient]);
  return { job, follow: (begun) => setMine(begun ?? null) };
}

function stateOf(
  started: { isPending: boolean; error: unknown; data?: { result?: PackResult } },
  job: Job | undefined,
  sinceMs: number,
  aborted: boolean,
): PackRun {
  if (started.isPending) return { phase: 'running', sinceMs, isJob: false };
  if (started.error) return aborted ? { phase: 'cancelled' } : { phase: 'failed', error: started.error };
  if (started.data?.result) return { phase: 'done', result: started.data.result };
  if (!job) return { phase: 'idle' };
  if (job.status === 'running')
    return { phase: 'running', sinceMs: Date.parse(job.created_at), progress: job.progress, isJob: true };
  if (job.status === 'cancelled') return { phase: 'cancelled' };
  if (job.result) return { phase: 'done', result: job.result, ofJob: job.ended_at };
  return { phase: 'failed', error: new ApiError(500, job.error ?? {}) };
}

/** Announces to screen readers how a run ended, unless it had ended before the page was opened. */
function useAnnouncement({ phase }: PackRun): void {
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === 'running' && phase in strings.packRun.ended)
      announce(strings.packRun.ended[phase as keyof typeof strings.packRun.ended]);
    before.current = phase;
  }, [phase]);
}
