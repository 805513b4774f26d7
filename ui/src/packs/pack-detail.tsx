import type { ReactNode } from 'react';
import type { Pack, Scope } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { AboutLines } from './about-lines.tsx';
import { DetailSkeleton } from './detail-skeleton.tsx';
import { quantile, shortDuration } from './durations.ts';
import type { Fields } from './form/first-input.ts';
import { InputCard } from './form/input-card.tsx';
import { keptInput } from './form/kept-input.ts';
import { formSchema } from './form/schema.ts';
import { useDefaults, useLearned, usePack } from './pack-queries.ts';
import { PackRuns } from './pack-runs.tsx';
import { ResultCard } from './result-card.tsx';
import { usePackRun } from './use-pack-run.ts';

const text = strings.packs;

interface PackDetailProps {
  name: string;
  version: string | undefined;
  suggested: Fields | undefined;
}

export function PackDetail({ name, version, suggested }: PackDetailProps) {
  const { data: pack, error, refetch } = usePack(name, version);
  const { ready } = useLearned('packs', name);
  // An open form stays when a later refresh fails.
  if (error && !pack)
    return <ProblemNote error={error} title={text.packFailed} onRetry={() => void refetch()} />;
  if (!pack || !ready) return <DetailSkeleton />;
  return <OpenPack key={`${pack.name} ${pack.version}`} pack={pack} suggested={suggested} />;
}

function OpenPack({ pack, suggested }: { pack: Pack; suggested: Fields | undefined }) {
  const { learned } = useLearned('packs', pack.name);
  const kept = keptInput(`${pack.name} ${pack.version}`, suggested, [pack]);
  const { run, start, cancel } = usePackRun(pack, kept.name);
  const recent = useRecent(pack.name);
  const locked = useLock(pack);
  const caches =
    recent.some(({ cached }) => cached) || (run.phase === 'done' && run.result.cache !== undefined);
  return (
    <>
      <PackHead pack={pack} />
      <div className="g2 items-stretch">
        <InputCard
          schema={formSchema(pack.input_schema)}
          learned={learned}
          suggested={suggested}
          kept={kept}
          locked={locked}
          busy={run.phase === 'running'}
          onRun={(input) => start(input, false)}
          more={(validInput) =>
            caches && (
              <button
                type="button"
                className="btn btn-ghost"
                title={text.skipCacheTitle}
                onClick={() => {
                  const input = validInput();
                  if (input) start(input, true);
                }}
              >
                {text.skipCache}
              </button>
            )
          }
        />
        <ResultCard run={run} isJob={pack.async} onCancel={cancel} />
      </div>
      <PackRuns pack={pack.name} runs={recent} caches={caches} />
    </>
  );
}

function useRecent(name: string) {
  const { data } = useDefaults();
  return (data?.recent ?? []).filter(({ kind, id }) => kind === 'pack' && id === name);
}

/** Why this token may not run the pack, and the way to one that may; undefined if it may. */
function useLock(pack: Pack): ReactNode {
  const session = useSession();
  if (pack.allowed) return undefined;
  const right = ['packs:run', ...pack.scopes].find((scope) => !may(session, scope as Scope));
  if (right === undefined) return text.lockedText;
  return (
    <>
      {text.needsRight(right)}{' '}
      <Link to="/connect" search={{ right }}>
        {text.getRight}
      </Link>
    </>
  );
}

function PackHead({ pack }: { pack: Pack }) {
  const navigate = useNavigate();
  const recent = useRecent(pack.name);
  const { learned } = useLearned('packs', pack.name);
  const calls = learned && 'calls' in learned ? (learned.calls as number) : recent.length;
  const typical = quantile(
    recent
      .filter(({ outcome, cached }) => outcome === 'ok' && !cached)
      .flatMap((run) => run.duration_ms ?? []),
  );
  return (
    <header className="page-head items-start">
      <div>
        <h1 className="mono id-title">{pack.name}</h1>
        <p>{pack.description}</p>
        <AboutLines metadata={pack.metadata} />
      </div>
      <div className="row">
        {!pack.allowed && (
          <span className="chip">
            <Icon name="lock" />
            {text.locked}
          </span>
        )}
        {pack.async && <span className="chip">{text.job}</span>}
        {pack.versions.length > 1 && (
          <select
            className="sort"
            aria-label={text.version}
            value={pack.version}
            onChange={(event) =>
              void navigate({ to: '/packs', search: { pack: pack.name, version: event.target.value } })
            }
          >
            {pack.versions.toReversed().map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        )}
        {calls > 0 && (
          <Link to="/routing" search={{ of: pack.name }} className="chip">
            {text.runCount(calls)}
          </Link>
        )}
        {typical !== undefined && (
          <span className="chip no-phone">{text.median(shortDuration(typical))}</span>
        )}
      </div>
    </header>
  );
}
