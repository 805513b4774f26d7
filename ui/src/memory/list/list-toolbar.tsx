import { useState } from 'react';
import type { FactSort } from '../../api/fact-api.ts';
import { Icon } from '../../kit/icon.tsx';
import { MemorySwitcher } from '../../spaces/memory-switcher.tsx';
import { strings } from '../../strings.ts';
import { SaveViewDialog } from '../lazy-parts.ts';
import { defaultSort, isFiltered, type MemorySearch, tagParameter, tagsOf } from './memory-search.ts';
import { nameOfSource } from './source-name.ts';

interface ListToolbarProps {
  search: MemorySearch;
  /** How many of the listed facts expire within a week. */
  soon: number;
  onChange(change: Partial<MemorySearch>): void;
  onFilters(): void;
  onRenewAll: (() => void) | undefined;
  /** Which of the rows are selected; undefined while there are none to select. */
  rowsSelected: 'none' | 'some' | 'all' | undefined;
  onSelectRows(select: boolean): void;
}

const text = strings.memory;
const SORTS = Object.entries(text.sorts) as [FactSort, string][];

/** The active filters, each with a button to remove it, and the sort order. */
export function ListToolbar(props: ListToolbarProps) {
  const { search, soon, onChange, onFilters, onRenewAll, rowsSelected, onSelectRows } = props;
  const tags = tagsOf(search);
  const [saving, setSaving] = useState(false);
  const chosen: { label: string | undefined; without: Partial<MemorySearch> }[] = [
    { label: search.prefix, without: { prefix: undefined } },
    { label: search.category, without: { category: undefined } },
    ...tags.map((tag) => ({
      label: `#${tag}`,
      without: { tag: tagParameter(tags.filter((each) => each !== tag)) },
    })),
    { label: search.project, without: { project: undefined } },
    { label: search.source && nameOfSource(search.source), without: { source: undefined } },
    { label: search.since && sinceLabel(search.since), without: { since: undefined } },
  ];
  return (
    <div className="toolbar">
      {rowsSelected !== undefined && (
        <input
          type="checkbox"
          className="pick-all"
          aria-label={strings.memory.selectRows}
          title={strings.memory.selectRows}
          checked={rowsSelected === 'all'}
          ref={(box) => {
            if (box) box.indeterminate = rowsSelected === 'some';
          }}
          onChange={() => onSelectRows(rowsSelected !== 'all')}
        />
      )}
      <button type="button" className="filter only-phone" onClick={onFilters}>
        <Icon name="filter" small />
        {text.filters}
      </button>
      {chosen.map(
        ({ label, without }) =>
          label !== undefined && (
            <button
              key={label}
              type="button"
              className="filter on"
              aria-label={text.remove(label)}
              onClick={() => onChange(without)}
            >
              {label}
              <Icon name="close" small />
            </button>
          ),
      )}
      {(soon > 0 || search.expiring) && (
        <button
          type="button"
          className={`filter ${search.expiring ? 'on' : ''}`}
          aria-pressed={search.expiring === true}
          onClick={() => onChange({ expiring: search.expiring ? undefined : true })}
        >
          <Icon name="clock" small />
          <span>
            {text.expiring(soon)} <span className="opt-soon">{text.thisWeek}</span>
          </span>
        </button>
      )}
      {search.expiring && onRenewAll && (
        <button type="button" className="btn btn-s" onClick={onRenewAll}>
          <Icon name="renew" small />
          {text.renewAll}
        </button>
      )}
      {(isFiltered(search) || search.q !== undefined) && (
        <button type="button" className="btn btn-ghost btn-s nowrap" onClick={() => setSaving(true)}>
          {text.saveView}
        </button>
      )}
      {saving && <SaveViewDialog search={search} onClose={() => setSaving(false)} />}
      <span className="grow" />
      <MemorySwitcher />
      {search.q === undefined ? (
        <select
          className="sort"
          aria-label={text.sort}
          value={search.sort ?? defaultSort(search)}
          onChange={(event) => {
            const sort = event.target.value as FactSort;
            onChange({ sort: sort === defaultSort(search) ? undefined : sort });
          }}
        >
          {SORTS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <span className="small faint nowrap">{text.bestMatch}</span>
      )}
    </div>
  );
}

const sinceLabel = (since: string) => text.since[since] ?? text.sinceOf(since);
