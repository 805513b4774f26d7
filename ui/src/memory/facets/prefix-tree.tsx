import { useState } from 'react';
import type { FacetQuery } from '../../api/fact-api.ts';
import type { NamedCount } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { useRoving } from '../../kit/use-roving.ts';
import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import { firstAnd } from './facet-counts.ts';

const text = strings.memory;
const SHOWN = 8;
const MAX_SHOWN = 200;

interface Tree {
  /** The filter that the counts are of; its prefix is the chosen one. */
  query: FacetQuery;
  onChoose(change: { prefix: string | undefined }): void;
}

interface PrefixTreeProps extends Tree {
  prefixes: readonly NamedCount[];
  total: number;
}

/** The key prefixes as folders; the largest ones until all are asked for. */
export function PrefixTree({ prefixes, total, ...tree }: PrefixTreeProps) {
  const [showAll, setShowAll] = useState(false);
  const { ref, onKeyDown } = useRoving<HTMLElement>();
  const { prefix } = tree.query;
  const root = prefix?.slice(0, prefix.indexOf('/') + 1);
  const shown = firstAnd(prefixes, showAll ? MAX_SHOWN : SHOWN, root ? [root] : []);
  return (
    <section className="facet" aria-label={text.keys} ref={ref} onKeyDown={onKeyDown}>
      <h2>
        {text.keys} <span className="num">{total.toLocaleString('en')}</span>
      </h2>
      <Branch prefixes={shown} depth={0} {...tree} />
      {prefixes.length > SHOWN && (
        <button type="button" className="tree-row tree-more" onClick={() => setShowAll(!showAll)}>
          {showAll ? text.showFewer : text.showAll(prefixes.length)}
        </button>
      )}
    </section>
  );
}

interface BranchProps extends Tree {
  prefixes: readonly NamedCount[];
  depth: number;
}

function Branch({ prefixes, depth, ...tree }: BranchProps) {
  const byName = prefixes.slice(0, MAX_SHOWN).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <ul className="tree">
      {byName.map((prefix) => (
        <PrefixNode key={prefix.name} prefix={prefix} depth={depth} {...tree} />
      ))}
    </ul>
  );
}

interface PrefixNodeProps extends Tree {
  prefix: NamedCount;
  depth: number;
}

/** A key prefix. A click filters the list by it and expands it; a second click removes the filter. */
function PrefixNode({ prefix, depth, query, onChoose }: PrefixNodeProps) {
  const { name, count } = prefix;
  const on = query.prefix === name;
  const [opened, setOpened] = useState(false);
  const open = opened || (query.prefix?.startsWith(name) ?? false);
  const children = useFacets({ ...query, prefix: name }, open).data?.prefixes ?? [];
  const own = children.filter((child) => child.name.startsWith(name) && child.name !== name);
  const label = name.slice(name.lastIndexOf('/', name.length - 2) + 1);
  return (
    <li>
      <button
        type="button"
        className={`tree-row depth-${Math.min(depth, 3)} ${on ? 'on' : ''}`}
        aria-pressed={on}
        aria-label={`${name} ${count}`}
        disabled={count === 0 && !on}
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
        <Branch prefixes={own} depth={depth + 1} query={query} onChoose={onChoose} />
      )}
    </li>
  );
}

function parentOf(prefix: string): string | undefined {
  const slash = prefix.lastIndexOf('/', prefix.length - 2);
  return slash < 0 ? undefined : prefix.slice(0, slash + 1);
}
