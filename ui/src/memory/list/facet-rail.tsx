import { useState } from 'react';
import type { FactFilter } from '../../api/fact-api.ts';
import type { NamedCount } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import type { MemorySearch } from './memory-search.ts';
import { nameOfSource } from './source-name.ts';

type Choose = (change: Partial<MemorySearch>) => void;

const SHOWN = 8;
const text = strings.memory;

/** The filters of the list, with counts. */
export function FacetRail({ search, onChoose }: { search: FactFilter; onChoose: Choose }) {
  const all = useFacets('').data;
  const here = useFacets(search.prefix ?? '').data ?? all;
  if (!all || !here) return null;
  const total = totalOf(all.categories);
  if (total === 0) return null;
  return (
    <>
      <section className="facet" aria-label={text.keys}>
        <h2>
          {text.keys} <span className="num">{total.toLocaleString('en')}</span>
        </h2>
        <Prefixes prefixes={all.prefixes} chosen={search.prefix} depth={0} onChoose={onChoose} />
      </section>
      <Facet
        label={text.category}
        counts={here.categories}
        chosen={search.category}
        onChoose={(category) => onChoose({ category })}
      />
      <Facet label={text.tag} counts={here.tags} chosen={search.tag} onChoose={(tag) => onChoose({ tag })} />
      <Facet
        label={text.source}
        counts={here.sources}
        chosen={search.source}
        nameOf={nameOfSource}
        onChoose={(source) => onChoose({ source })}
      />
    </>
  );
}

export const totalOf = (counts: readonly NamedCount[]) => counts.reduce((sum, { count }) => sum + count, 0);

interface PrefixesProps {
  prefixes: NamedCount[];
  chosen: string | undefined;
  depth: number;
  onChoose: Choose;
}

function Prefixes({ prefixes, chosen, depth, onChoose }: PrefixesProps) {
  const byName = [...prefixes].slice(0, 200).sort((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <ul className="tree">
      {byName.map((prefix) => (
        <PrefixNode key={prefix.name} prefix={prefix} chosen={chosen} depth={depth} onChoose={onChoose} />
      ))}
    </ul>
  );
}

interface PrefixNodeProps extends Omit<PrefixesProps, 'prefixes'> {
  prefix: NamedCount;
}

/** A key prefix. A click filters the list by it and expands it; a second click removes the filter. */
function PrefixNode({ prefix, chosen, depth, onChoose }: PrefixNodeProps) {
  const { name, count } = prefix;
  const on = chosen === name;
  const [opened, setOpened] = useState(false);
  const open = opened || (chosen?.startsWith(name) ?? false);
  const children = useFacets(name, open).data?.prefixes ?? [];
  const own = children.filter((child) => child.name.startsWith(name) && child.name !== name);
  const label = name.slice(name.lastIndexOf('/', name.length - 2) + 1);
  return (
    <li>
      <button
        type="button"
        className={`tree-row depth-${Math.min(depth, 3)} ${on ? 'on' : ''}`}
        aria-pressed={on}
        aria-label={`${name} ${count}`}
        onClick={() => {
          setOpened(!on);
          onChoose({ prefix: on ? parentOf(name) : name });
        }}
      >
        <Icon name="chevron" className={`tw ${open ? 'open' : ''}`} />
        <span className="name">{label}</span>
        <span className="n">{count.toLocaleString('en')}</span>
      </button>
      {open && own.length > 0 && (
        <Prefixes prefixes={own} chosen={chosen} depth={depth + 1} onChoose={onChoose} />
      )}
    </li>
  );
}

function parentOf(prefix: string): string | undefined {
  const slash = prefix.lastIndexOf('/', prefix.length - 2);
  return slash < 0 ? undefined : prefix.slice(0, slash + 1);
}

interface FacetProps {
  label: string;
  counts: NamedCount[];
  chosen: string | undefined;
  nameOf?(name: string): string;
  onChoose(name: string | undefined): void;
}

function Facet({ label, counts, chosen, nameOf = (name) => name, onChoose }: FacetProps) {
  if (counts.length === 0) return null;
  const top = counts.slice(0, SHOWN);
  const picked = counts.find(({ name }) => name === chosen);
  const shown = picked && !top.includes(picked) ? [...top, picked] : top;
  return (
    <section className="facet" aria-label={label}>
      <h2>{label}</h2>
      <ul className="tree">
        {shown.map(({ name, count }) => (
          <li key={name}>
            <button
              type="button"
              className={`tree-row ${name === chosen ? 'on' : ''}`}
              aria-pressed={name === chosen}
              onClick={() => onChoose(name === chosen ? undefined : name)}
            >
              <span className="name plain">{nameOf(name)}</span>
              <span className="n">{count.toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
