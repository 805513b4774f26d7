import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RecentRun } from '../api/generated/rest.ts';
import { forgetRuns } from '../api/routing-api.ts';
import { exactly } from '../kit/dates.ts';
import { RUNS } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { agoOf, shortDuration } from './durations.ts';
import { OutcomeCell } from './outcome-cell.tsx';
import { RunTable } from './run-table.tsx';

const text = strings.packs;
const SHOWN = 6;

interface PackRunsProps {
  pack: string;
  runs: readonly RecentRun[];
  /** Whether the pack caches results, so that they can be forgotten. */
  caches: boolean;
}

/** The last few runs of a pack. */
export function PackRuns({ pack, runs, caches }: PackRunsProps) {
  if (runs.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.runsOfPack}</h2>
        {caches && <ClearCache pack={pack} />}
        {runs.length > SHOWN && (
          <Link to="/routing" search={{ of: pack }} className="small">
            {text.seeAll}
          </Link>
        )}
      </div>
      <RunTable withCache>
        {runs.slice(0, SHOWN).map((run) => (
          <RunRow key={run.key} run={run} />
        ))}
      </RunTable>
    </section>
  );
}

function RunRow({ run }: { run: RecentRun }) {
  const instant = new Date(run.at_unix * 1000).toISOString();
  return (
    <tr>
      <td className="nowrap">
        <Link to="/routing" search={{ run: run.key }} className="row run-link">
          <OutcomeCell outcome={run.outcome} />
        </Link>
      </td>
      <td className="muted cut">{Object.values(run.learn_inputs ?? {}).join(', ')}</td>
      <td className="hide-s">{run.cached && <span className="chip">{text.cacheHit}</span>}</td>
      <td className="r num muted nowrap hide-s">
        {run.duration_ms === undefined ? '' : shortDuration(run.duration_ms)}
      </td>
      <td className="r faint nowrap" title={exactly(instant)}>
        {agoOf(run.at_unix, Date.now())}
      </td>
    </tr>
  );
}

function ClearCache({ pack }: { pack: string }) {
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => forgetRuns(`cache:${pack}`, undefined),
    onSuccess: () => {
      announce(text.cacheCleared);
      void queryClient.invalidateQueries({ queryKey: [RUNS] });
    },
  });
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s"
      disabled={clear.isPending}
      onClick={() => clear.mutate()}
    >
      {clear.isSuccess ? text.cacheCleared : text.clearCache}
    </button>
  );
}
