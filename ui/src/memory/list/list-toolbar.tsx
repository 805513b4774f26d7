import type { FactSort } from '../../api/fact-api.ts';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import type { MemorySearch } from './memory-search.ts';
import { nameOfSource } from './source-name.ts';

interface ListToolbarProps {
  search: MemorySearch;
  soon: { count: number; more: boolean };
  onChange(change: Partial<MemorySearch>): void;
  onFilters(): void;
  onRenewAll: (() => void) | undefined;
}

const text = strings.memory;
const SORTS = Object.entries(text.sorts) as [FactSort, string][];

/** The active filters, each with a button to remove it, and the sort order. */
export function ListToolbar({ search, soon, onChange, onFilters, onRenewAll }: ListToolbarProps) {
  const chosen: [keyof MemorySearch, string | undefined][] = [
    ['prefix', search.prefix],
    ['category', search.category],
    ['tag', search.tag && `#${search.tag}`],
    ['source', search.source && nameOfSource(search.source)],
  ];
  return (
    <div className="toolbar">
      <button type="button" className="filter only-phone" onClick={onFilters}>
        <Icon name="filter" small />
        {text.filters}
      </button>
      {chosen.map(
        ([name, label]) =>
          label !== undefined && (
            <button
              key={name}
              type="button"
              className="filter on"
              aria-label={text.remove(label)}
              onClick={() => onChange({ [name]: undefined })}
            >
              {label}
              <Icon name="close" small />
            </button>
          ),
      )}
      {(soon.count > 0 || search.expiring) && (
        <button
          type="button"
          className={`filter ${search.expiring ? 'on' : ''}`}
          aria-pressed={search.expiring === true}
          onClick={() => onChange({ expiring: search.expiring ? undefined : true })}
        >
          <Icon name="clock" small />
          {text.expiring(soon.count, soon.more)}
        </button>
      )}
      {search.expiring && onRenewAll && (
        <button type="button" className="btn btn-s" onClick={onRenewAll}>
          <Icon name="renew" small />
          {text.renewAll}
        </button>
      )}
      <span className="grow" />
      {search.q === undefined ? (
        <select
          className="sort"
          aria-label={text.sort}
          value={search.sort ?? 'updated'}
          onChange={(event) => {
            const sort = event.target.value as FactSort;
            onChange({ sort: sort === 'updated' ? undefined : sort });
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
