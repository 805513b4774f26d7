import { useState } from 'react';
import { ApiError } from '../api/call-api.ts';
import type { PackResult } from '../api/generated/rest.ts';
import { saveFile } from '../health/save-file.ts';
import { copyText } from '../kit/copy-text.ts';
import { minuteOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { ArtifactRows } from './artifact-rows.tsx';
import { CacheChip } from './cache-chip.tsx';
import { shortDuration } from './durations.ts';
import { OutputView } from './output-view.tsx';
import { useElapsed } from './use-elapsed.ts';
import type { PackRun } from './use-pack-run.ts';

const text = strings.packRun;

interface ResultCardProps {
  run: PackRun;
  isJob: boolean;
  onCancel(): void;
}

/** The state of a run: idle, running, done, failed or cancelled. */
export function ResultCard({ run, isJob, onCancel }: ResultCardProps) {
  return (
    <section className="card result-card" aria-label={text.result} aria-busy={run.phase === 'running'}>
      <div className="card-head">
        <h2>{text.result}</h2>
        <ResultChips run={run} />
        {run.phase === 'running' && (
          <button type="button" className="btn btn-s" onClick={onCancel}>
            {text.cancel}
          </button>
        )}
      </div>
      <div className="card-body stack gap-3">
        {run.phase === 'idle' && <Idle isJob={isJob} />}
        {run.phase === 'running' && <Running run={run} />}
        {run.phase === 'failed' && <Failed error={run.error} />}
        {run.phase === 'cancelled' && <p className="muted">{text.cancelledText}</p>}
        {run.phase === 'done' && <Done result={run.result} />}
      </div>
    </section>
  );
}

function ResultChips({ run }: { run: PackRun }) {
  if (run.phase === 'done')
    return (
      <>
        <span className="chip chip-accent">
          <Icon name="check" />
          {text.ok}
        </span>
        <CacheChip cache={run.result.cache} />
        <span className="small faint num nowrap">
          {run.ofJob === undefined ? shortDuration(run.result.duration_ms) : minuteOf(run.ofJob)}
        </span>
      </>
    );
  if (run.phase === 'failed') return <span className="chip chip-danger">{text.failed}</span>;
  return run.phase === 'cancelled' ? <span className="chip">{text.cancelled}</span> : null;
}

function Idle({ isJob }: { isJob: boolean }) {
  return <p className="muted">{isJob ? text.idleJob : text.idle}</p>;
}

function Running({ run }: { run: Extract<PackRun, { phase: 'running' }> }) {
  const elapsedMs = useElapsed(run.sinceMs);
  const { percent, message } = run.progress ?? {};
  return (
    <div className="stack gap-2">
      <div className="row">
        <span className="spin" />
        <span className="grow">{message ?? text.running}</span>
        <span className="num muted">{shortDuration(elapsedMs)}</span>
      </div>
      {percent !== undefined && (
        <progress className="run-progress" max={100} value={percent} aria-label={text.progress}>
          {percent} %
        </progress>
      )}
      {run.isJob && <p className="small faint">{text.jobContinues}</p>}
    </div>
  );
}

/** The error of the server, with a link to the page that resolves it, if there is one. */
function Failed({ error }: { error: unknown }) {
  const code = error instanceof ApiError ? error.code : undefined;
  return (
    <>
      <ProblemNote error={error} title={text.failedTitle} />
      {code === 'insufficient_scope' && (
        <Link to="/connect" className="btn self-start">
          {text.toConnect}
        </Link>
      )}
    </>
  );
}

function Done({ result }: { result: PackResult }) {
  return (
    <>
      <OutputView output={result.output} pack={result.pack} />
      {result.artifacts && result.artifacts.length > 0 && <ArtifactRows artifacts={result.artifacts} />}
      <ResultActions result={result} />
    </>
  );
}

function ResultActions({ result }: { result: PackResult }) {
  const [copied, setCopied] = useState(false);
  const json = () => JSON.stringify(result.output, null, 2);
  const copy = async () => {
    setCopied(await copyText(json()));
  };
  const save = () => saveFile(new Blob([json()], { type: 'application/json' }), `${result.pack}.json`);
  return (
    <div className="row">
      <button type="button" className="btn btn-s" onClick={() => void copy()}>
        <Icon name={copied ? 'check' : 'copy'} small />
        {copied ? text.copied : text.copy}
      </button>
      <button type="button" className="btn btn-s btn-ghost" onClick={save}>
        <Icon name="down" small />
        {text.saveJson}
      </button>
    </div>
  );
}
