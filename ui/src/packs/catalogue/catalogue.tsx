import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Pack, Pipeline } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { Link } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import type { PacksSearch } from '../packs-search.ts';
import type { CatalogueGroup, CatalogueItem } from './catalogue-groups.ts';
import { fits, textsOfPack, textsOfPipeline } from './families.ts';

const text = strings.packs;

interface CatalogueProps {
  groups: readonly CatalogueGroup[];
  /** Pipelines with a run in progress. */
  running: ReadonlySet<string>;
  open: PacksSearch;
  filter: RefObject<HTMLInputElement | null>;
  /** Called when something is chosen, so that a sheet can close. */
  onChoose?(): void;
}

/** The packs and pipelines, filtered by a few words; what is open is scrolled to. */
export function Catalogue({ groups, running, open, filter, onChoose }: CatalogueProps) {
  const [words, setWords] = useState('');
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when something else is opened or the list changed
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [open.pack, open.pipeline, groups]);
  const shown = groups
    .map((group) => ({ ...group, items: group.items.filter((item) => fits(words, textsOf(item))) }))
    .filter(({ items, canAdd }) => items.length > 0 || canAdd);
  return (
    <nav ref={list} className="catalogue" aria-label={text.catalogue}>
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
            else {
              event.preventDefault();
              setWords('');
            }
          }}
        />
      </div>
      {shown.map(({ label, items, canAdd }) => (
        <div key={label} className="contents">
          <GroupHead label={label} canAdd={canAdd} onChoose={onChoose} />
          {items.map((item) =>
            item.kind === 'pack' ? (
              <PackLink
                key={item.pack.name}
                pack={item.pack}
                selected={item.pack.name === open.pack}
                onChoose={onChoose}
              />
            ) : (
              <PipelineLink
                key={item.pipeline.id}
                pipeline={item.pipeline}
                running={running.has(item.pipeline.id)}
                selected={item.pipeline.id === open.pipeline}
                onChoose={onChoose}
              />
            ),
          )}
        </div>
      ))}
      {shown.every(({ items }) => items.length === 0) && <p className="catalogue-none">{text.noneFits}</p>}
    </nav>
  );
}

const textsOf = (item: CatalogueItem) =>
  item.kind === 'pack' ? textsOfPack(item.pack) : textsOfPipeline(item.pipeline);

interface GroupHeadProps {
  label: string;
  canAdd: boolean | undefined;
  onChoose: (() => void) | undefined;
}

function GroupHead({ label, canAdd, onChoose }: GroupHeadProps) {
  if (!canAdd) return <h2>{label}</h2>;
  return (
    <div className="catalogue-head">
      <h2>{label}</h2>
      <Link to="/packs" search={{ mode: 'new' }} className="btn btn-ghost btn-s" onClick={onChoose}>
        <Icon name="plus" small />
        {text.newPipeline}
      </Link>
    </div>
  );
}

interface ItemLinkProps {
  search: PacksSearch;
  selected: boolean;
  off?: boolean;
  onChoose: (() => void) | undefined;
  children: ReactNode;
}

function ItemLink({ search, selected, off, onChoose, children }: ItemLinkProps) {
  return (
    <Link
      to="/packs"
      search={search}
      className={`pack ${selected ? 'sel' : ''} ${off ? 'off' : ''}`}
      aria-current={selected ? 'page' : undefined}
      onClick={onChoose}
    >
      {children}
    </Link>
  );
}

interface PackLinkProps {
  pack: Pack;
  selected: boolean;
  onChoose: (() => void) | undefined;
}

function PackLink({ pack, selected, onChoose }: PackLinkProps) {
  return (
    <ItemLink search={{ pack: pack.name }} selected={selected} off={!pack.allowed} onChoose={onChoose}>
      <span className="mono cut">{pack.name}</span>
      {!pack.allowed && (
        <span className="chip">
          <Icon name="lock" />
          {text.locked}
        </span>
      )}
      {pack.allowed && pack.versions.length > 1 && <span className="chip">{pack.latest}</span>}
      <p className="cut">{pack.allowed ? pack.description : text.lockedLine}</p>
    </ItemLink>
  );
}

interface PipelineLinkProps {
  pipeline: Pipeline;
  running: boolean;
  selected: boolean;
  onChoose: (() => void) | undefined;
}

function PipelineLink({ pipeline, running, selected, onChoose }: PipelineLinkProps) {
  return (
    <ItemLink search={{ pipeline: pipeline.id }} selected={selected} onChoose={onChoose}>
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
    </ItemLink>
  );
}
