import { type RefObject, useState } from 'react';
import type { Pack, Pipeline } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { familiesOf, fits, textsOfPack, textsOfPipeline } from './families.ts';
import type { PacksSearch } from './packs-search.ts';

const text = strings.packs;

interface CatalogueProps {
  packs: readonly Pack[];
  /** Undefined if the token may not see them. */
  pipelines: readonly Pipeline[] | undefined;
  /** Pipelines with a run in progress. */
  running: ReadonlySet<string>;
  open: PacksSearch;
  filter: RefObject<HTMLInputElement | null>;
}

/** The packs and pipelines, filtered by a few words. */
export function Catalogue({ packs, pipelines, running, open, filter }: CatalogueProps) {
  const [words, setWords] = useState('');
  const shownPacks = packs.filter((pack) => fits(words, textsOfPack(pack)));
  const shownPipelines = (pipelines ?? []).filter((pipeline) => fits(words, textsOfPipeline(pipeline)));
  return (
    <nav className="catalogue" aria-label={text.catalogue}>
      <div className="catalogue-filter">
        <input
          ref={filter}
          type="search"
          className="input"
          aria-label={text.filter}
          placeholder={text.filter}
          value={words}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            if (words === '') event.currentTarget.blur();
            else setWords('');
          }}
        />
      </div>
      {pipelines && (
        <>
          <div className="catalogue-head">
            <h2>{text.pipelines}</h2>
            <Link to="/packs" search={{ mode: 'new' }} className="btn btn-ghost btn-s">
              <Icon name="plus" small />
              {text.newPipeline}
            </Link>
          </div>
          {shownPipelines.map((pipeline) => (
            <PipelineLink
              key={pipeline.id}
              pipeline={pipeline}
              running={running.has(pipeline.id)}
              selected={pipeline.id === open.pipeline}
            />
          ))}
        </>
      )}
      {familiesOf(shownPacks).map((family) => (
        <div key={family.label} className="contents">
          <h2>{family.label}</h2>
          {family.packs.map((pack) => (
            <PackLink key={pack.name} pack={pack} selected={pack.name === open.pack} />
          ))}
        </div>
      ))}
      {shownPacks.length + shownPipelines.length === 0 && <p className="catalogue-none">{text.noneFits}</p>}
    </nav>
  );
}

function PackLink({ pack, selected }: { pack: Pack; selected: boolean }) {
  return (
    <Link
      to="/packs"
      search={{ pack: pack.name }}
      className={`pack ${selected ? 'sel' : ''} ${pack.allowed ? '' : 'off'}`}
      aria-current={selected ? 'page' : undefined}
    >
      <span className="mono cut">{pack.name}</span>
      {pack.allowed ? (
        <span className="chip">{pack.latest}</span>
      ) : (
        <span className="chip">
          <Icon name="lock" />
          {text.locked}
        </span>
      )}
      <p className="cut">{pack.allowed ? pack.description : text.lockedLine}</p>
    </Link>
  );
}

interface PipelineLinkProps {
  pipeline: Pipeline;
  running: boolean;
  selected: boolean;
}

function PipelineLink({ pipeline, running, selected }: PipelineLinkProps) {
  return (
    <Link
      to="/packs"
      search={{ pipeline: pipeline.id }}
      className={`pack ${selected ? 'sel' : ''}`}
      aria-current={selected ? 'page' : undefined}
    >
      <span className="cut">{pipeline.name}</span>
      {running ? (
        <span className="chip chip-accent">
          <span className="spin" />
          {text.running}
        </span>
      ) : (
        <span className="chip">{pipeline.builtin ? text.builtIn : text.yours}</span>
      )}
      <p className="cut">{pipeline.description ?? text.stepCount(pipeline.steps.length)}</p>
    </Link>
  );
}
