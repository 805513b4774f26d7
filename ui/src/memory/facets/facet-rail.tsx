import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import {
  type FilterSearch,
  filterOf,
  type MemorySearch,
  tagParameter,
  tagsOf,
} from '../list/memory-search.ts';
import { nameOfSource } from '../list/source-name.ts';
import { ChangedSince } from './changed-since.tsx';
import { Facet } from './facet.tsx';
import { withZeros } from './facet-counts.ts';
import { PrefixTree } from './prefix-tree.tsx';
import { ViewList } from './view-list.tsx';

const text = strings.memory;

interface FacetRailProps {
  search: FilterSearch;
  onChoose(change: Partial<MemorySearch>): void;
}

/** The filters of the list. Each count is what choosing it would list, with the other filters and the search. */
export function FacetRail({ search, onChoose }: FacetRailProps) {
  const query = { ...filterOf(search), q: search.q };
  const all = useFacets({}).data;
  const here = useFacets(query).data ?? all;
  const inTree = useFacets({ ...query, prefix: undefined }).data ?? all;
  if (!all || !here || !inTree || all.total === 0) return null;
  const { category, project, source } = search;
  const tags = tagsOf(search);
  const toggleTag = (tag: string) =>
    onChoose({
      tag: tagParameter(tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag]),
    });
  return (
    <>
      <ViewList onChoose={onChoose} />
      <PrefixTree
        prefixes={withZeros(inTree.prefixes, all.prefixes)}
        total={inTree.total}
        query={query}
        onChoose={onChoose}
      />
      <Facet
        label={text.category}
        counts={withZeros(here.categories, all.categories)}
        chosen={category === undefined ? [] : [category]}
        onToggle={(name) => onChoose({ category: name === category ? undefined : name })}
      />
      <Facet
        label={text.tag}
        counts={withZeros(here.tags, all.tags)}
        chosen={tags}
        several
        onToggle={toggleTag}
      />
      <Facet
        label={text.project}
        counts={withZeros(here.projects, all.projects)}
        chosen={project === undefined ? [] : [project]}
        onToggle={(name) => onChoose({ project: name === project ? undefined : name })}
      />
      <Facet
        label={text.source}
        counts={withZeros(here.sources, all.sources)}
        chosen={source === undefined ? [] : [source]}
        nameOf={nameOfSource}
        onToggle={(name) => onChoose({ source: name === source ? undefined : name })}
      />
      <ChangedSince chosen={search.since} onChoose={(since) => onChoose({ since })} />
    </>
  );
}
