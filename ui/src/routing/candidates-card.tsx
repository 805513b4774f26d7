import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProcedureCandidate } from '../api/generated/rest.ts';
import { dismissCandidate, listCandidates, promoteCandidate } from '../api/routing-api.ts';
import { may } from '../api/session-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { RUNS, useCaller } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { agoOf } from '../packs/durations.ts';
import { useSession } from '../session/session-context.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { useOpenPipeline } from './use-open-pipeline.ts';

const text = strings.routing.candidates;

/** Sequences of packs that ran several times, each with its evidence; promoting one makes it a pipeline. */
export function CandidatesCard() {
  const caller = useCaller();
  const { data, error, refetch } = useQuery({
    queryKey: [RUNS, 'candidates', caller],
    queryFn: ({ signal }) => listCandidates({ caller, signal }),
  });
  if (error) return <ProblemNote error={error} title={text.loadFailed} onRetry={() => void refetch()} />;
  if (!data || data.candidates.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.title}</h2>
        <span className="small faint hide-s">{text.lead}</span>
      </div>
      {data.candidates.map((candidate) => (
        <CandidateItem key={candidate.id} candidate={candidate} />
      ))}
    </section>
  );
}

function CandidateItem({ candidate }: { candidate: ProcedureCandidate }) {
  const { id, steps, count, of, last_unix, example_runs, draft } = candidate;
  const caller = useCaller();
  const mayDecide = may(useSession(), 'pipelines:run') && caller === undefined;
  const queryClient = useQueryClient();
  const openPipeline = useOpenPipeline();
  const promote = useMutation({ mutationFn: () => promoteCandidate(id), onSuccess: openPipeline });
  const dismiss = useMutation({
    mutationFn: () => dismissCandidate(id),
    onSuccess: async () => {
      announce(text.dismissed);
      await queryClient.invalidateQueries({ queryKey: [RUNS, 'candidates'] });
    },
  });
  const error = promote.error ?? dismiss.error;
  const isBusy = promote.isPending || dismiss.isPending;
  return (
    <article className="learn candidate" aria-label={draft.name}>
      <div className="row wrap">
        <ol className="candidate-steps">
          {steps.map((pack, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pack may come twice
            <li key={at} className="mono">
              {pack}
            </li>
          ))}
        </ol>
        {mayDecide && (
          <div className="row">
            <button
              type="button"
              className="btn btn-s btn-primary"
              disabled={isBusy}
              onClick={() => promote.mutate()}
            >
              {text.promote}
            </button>
            <button type="button" className="btn btn-s" disabled={isBusy} onClick={() => dismiss.mutate()}>
              {text.dismiss}
            </button>
          </div>
        )}
      </div>
      <p className="small muted">
        {text.evidence(count, of, steps[0]!)} · {agoOf(last_unix, Date.now())}
      </p>
      {error && <ProblemNote error={error} title={text.failed} />}
      <details>
        <summary className="small">{text.draft}</summary>
        <dl className="candidate-draft">
          {draft.steps.map((step) => (
            <div key={step.id}>
              <dt className="mono">{step.id}</dt>
              <dd>
                <pre className="mono small pre-wrap">{JSON.stringify(step.input, null, 2)}</pre>
              </dd>
            </div>
          ))}
          <div>
            <dt>{text.inputs}</dt>
            <dd className="mono small">{Object.keys(draft.inputs ?? {}).join(', ') || text.noInputs}</dd>
          </div>
          <div>
            <dt>{text.examples}</dt>
            <dd className="row wrap small">
              {example_runs.flat().map((key) => (
                <Link key={key} to="/routing" search={(before) => ({ ...before, run: key })} className="mono">
                  {packOf(key)}
                </Link>
              ))}
            </dd>
          </div>
        </dl>
      </details>
    </article>
  );
}

/** The pack in the key of a run record: `pack_history/<pack>/<time>`. */
const packOf = (key: string) => key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'));
