import { useEffect, useState } from 'react';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { UndoToast } from '../memory/forget/undo-toast.tsx';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { DetailSkeleton } from '../packs/detail-skeleton.tsx';
import { useDefaults } from '../packs/pack-queries.ts';
import { strings } from '../strings.ts';
import { ActivityCard } from './activity-card.tsx';
import { CandidatesCard } from './candidates-card.tsx';
import { ConfirmForgetRuns, useMayForget } from './confirm-forget-runs.tsx';
import { DefaultsCard } from './defaults-card.tsx';
import { FigureRow } from './figure-row.tsx';
import { NothingLearned } from './nothing-learned.tsx';
import { ProblemsCard } from './problems-card.tsx';
import { RANGES, type Range } from './routing-search.ts';
import { RunDialog } from './run-dialog.tsx';
import { isQuestion } from './run-figures.ts';
import { RunsPerDay } from './runs-per-day.tsx';
import { useActivity } from './use-activity.ts';

const text = strings.routing;
/** The page polls, because agents keep running packs. */
const WATCH_MS = 15_000;

export function RoutingPage() {
  const search = useSearch({ from: '/routing' });
  const { range = '30d', run } = search;
  const navigate = useNavigate();
  const closeRun = () =>
    void navigate({ to: '/routing', search: ({ run: _, ...rest }) => rest, replace: true });
  const caller = useCaller();
  const defaults = useDefaults(caller, WATCH_MS);
  const activity = useActivity(range, caller);
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  const error = defaults.error ?? activity.error;
  const retry = () => {
    void defaults.refetch();
    void activity.refetch();
  };
  const recent = defaults.data?.recent.filter((each) => !isQuestion(each)) ?? [];
  const empty = defaults.data !== undefined && recent.length === 0;
  return (
    <div className="page">
      <div className="page-in">
        <Position range={range} empty={empty} />
        {error && <ProblemNote error={error} title={text.loadFailed} onRetry={retry} />}
        {!error && (!defaults.data || !activity.data) && <DetailSkeleton />}
        {empty && activity.data && <NothingLearned />}
        {defaults.data && activity.data && !empty && (
          <div className={`stack gap-5 ${activity.isPlaceholderData ? 'old' : ''}`}>
            <FigureRow range={range} buckets={activity.data} recent={recent} />
            <div className="g-side">
              <RunsPerDay range={range} buckets={activity.data} />
              <ProblemsCard range={range} buckets={activity.data} />
            </div>
            <CandidatesCard />
            <div className="g2">
              <DefaultsCard defaults={defaults.data} />
              <ActivityCard search={search} />
            </div>
          </div>
        )}
        {run !== undefined && <RunDialog key={run} runKey={run} onClose={closeRun} />}
        <UndoToast />
      </div>
    </div>
  );
}

function Position({ range, empty }: { range: Range; empty: boolean }) {
  const navigate = useNavigate();
  const caller = useCaller();
  const mayForget = useMayForget();
  const [asking, setAsking] = useState(false);
  const choose = (next: Range) =>
    void navigate({
      to: '/routing',
      search: ({ at: _, ...before }) => ({ ...before, range: next }),
      replace: true,
    });
  return (
    <header className="page-head">
      <div>
        <h1>{text.title}</h1>
        <p>{text.lead}</p>
      </div>
      <div className="row">
        <fieldset className="seg" aria-label={text.range}>
          {RANGES.map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => choose(each)}>
              {text.ranges[each]}
            </button>
          ))}
        </fieldset>
        {mayForget && !empty && (
          <button type="button" className="btn btn-danger" onClick={() => setAsking(true)}>
            {caller === undefined ? text.forgetAll : text.forgetAllOf(caller)}
          </button>
        )}
      </div>
      {asking && <ConfirmForgetRuns what={{ kind: 'all' }} onClose={() => setAsking(false)} />}
    </header>
  );
}
