import { useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { UndoToast } from '../memory/forget/undo-toast.tsx';
import { useLocation, useNavigate, useSearch } from '../navigation/navigation.tsx';
import { PipelineDetail } from '../pipelines/pipeline-detail.tsx';
import { PipelineEditor } from '../pipelines/pipeline-editor.tsx';
import { useLiveRuns, useNameOf, usePipelines } from '../pipelines/pipeline-queries.ts';
import { isQuestion } from '../routing/run-figures.ts';
import { strings } from '../strings.ts';
import { AskBar } from './ask-bar.tsx';
import { catalogueGroups, idOf } from './catalogue/catalogue-groups.ts';
import { CataloguePlace } from './catalogue/catalogue-place.tsx';
import { DetailSkeleton } from './detail-skeleton.tsx';
import { PackDetail } from './pack-detail.tsx';
import { useDefaults, usePacks } from './pack-queries.ts';
import type { PacksSearch } from './packs-search.ts';

const text = strings.packs;

export function PacksPage() {
  const open = useSearch({ from: '/packs' });
  const packs = usePacks();
  const pipelines = usePipelines();
  const running = new Set(useLiveRuns().map(({ pipeline_id }) => pipeline_id));
  const filter = useRef<HTMLInputElement>(null);
  const question = useRef<HTMLInputElement>(null);
  const [intent, setIntent] = useState('');
  const nameOf = useNameOf();
  const name = open.pipeline === undefined ? open.pack : nameOf('pipeline', open.pipeline);
  useEffect(() => {
    document.title = `${name ?? text.title} · ${strings.product}`;
  }, [name]);
  const { data: defaults } = useDefaults();
  const recent = (defaults?.recent ?? []).filter((run) => !isQuestion(run));
  const known = defaults !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows must not move under the pointer because something ran
  const groups = useMemo(
    () => catalogueGroups(packs.data ?? [], pipelines.data, recent),
    [packs.data, pipelines.data, known],
  );
  const order: PacksSearch[] = groups.flatMap(({ items }) =>
    items.map((item) => ({ [item.kind]: idOf(item) })),
  );
  const example = (words: string) => {
    setIntent(words);
    question.current?.focus();
  };
  useMoves(open, order, () => filter.current?.focus());
  return (
    <>
      <AskBar intent={intent} setIntent={setIntent} input={question} />
      <div className="packs">
        <CataloguePlace groups={groups} running={running} open={open} filter={filter} />
        <div className="page">
          <div className="page-in packs-in">
            {packs.error && (
              <ProblemNote error={packs.error} title={text.loadFailed} onRetry={() => void packs.refetch()} />
            )}
            {packs.isPending && <DetailSkeleton />}
            {packs.data && <Opened open={open} onExample={example} />}
          </div>
        </div>
      </div>
      <UndoToast />
    </>
  );
}

function Opened({ open, onExample }: { open: PacksSearch; onExample(words: string): void }) {
  const { suggested } = useLocation().state;
  const again = JSON.stringify(suggested ?? null);
  if (open.mode === 'new') return <PipelineEditor key={`new ${open.pipeline}`} from={open.pipeline} />;
  if (open.mode === 'edit' && open.pipeline !== undefined)
    return <PipelineEditor key={`edit ${open.pipeline}`} id={open.pipeline} from={open.pipeline} />;
  if (open.pipeline !== undefined)
    return (
      <PipelineDetail
        key={`${open.pipeline} ${again}`}
        id={open.pipeline}
        runId={open.run}
        suggested={suggested}
      />
    );
  if (open.pack === undefined) return <NothingOpen onExample={onExample} />;
  return (
    <PackDetail key={`${open.pack} ${again}`} name={open.pack} version={open.version} suggested={suggested} />
  );
}

/** `j` and `k` move through the catalogue, `/` focuses its filter. */
function useMoves(open: PacksSearch, order: readonly PacksSearch[], onFilter: () => void): void {
  const navigate = useNavigate();
  const at = order.findIndex(({ pack, pipeline }) => pack === open.pack && pipeline === open.pipeline);
  const move = (step: 1 | -1) => () => {
    const next = order[Math.min(order.length - 1, Math.max(0, at + step))];
    if (next) void navigate({ to: '/packs', search: next });
  };
  useHotkeys({ '/': onFilter, j: move(1), k: move(-1) });
}

/** The empty state, with a few example questions. */
function NothingOpen({ onExample }: { onExample(words: string): void }) {
  return (
    <div className="empty m-auto">
      <Icon name="cube" className="art-icon" />
      <h1>{text.title}</h1>
      <p>{text.emptyText}</p>
      <div className="row wrap justify-center mt-2">
        {text.examples.map((words) => (
          <button key={words} type="button" className="filter" onClick={() => onExample(words)}>
            {words}
          </button>
        ))}
      </div>
    </div>
  );
}
