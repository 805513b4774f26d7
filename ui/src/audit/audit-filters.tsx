import { useId } from 'react';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import type { AuditSearch } from './audit-search.ts';

const text = strings.audit;

/** Filters by actor, target and action, kept in the URL. */
export function AuditFilters({ names }: { names: readonly string[] }) {
  const { actor, target, action } = useSearch({ from: '/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const actionId = useId();
  const set = (name: keyof AuditSearch) => (value: string) =>
    void navigate({ search: (before) => ({ ...before, [name]: value === '' ? undefined : value }) });
  const filtered = actor !== undefined || target !== undefined || action !== undefined;
  return (
    <search className="row audit-filters" aria-label={text.filters}>
      <NameField label={text.actor} value={actor} names={names} onChange={set('actor')} />
      <NameField label={text.target} value={target} names={names} onChange={set('target')} />
      <div className="field">
        <label htmlFor={actionId}>{text.action}</label>
        <select
          id={actionId}
          className="select"
          value={action ?? ''}
          onChange={(event) => set('action')(event.target.value)}
        >
          <option value="">{text.anything}</option>
          {Object.entries(text.actions).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {filtered && (
        <button type="button" className="btn btn-s" onClick={() => void navigate({ search: {} })}>
          {text.clear}
        </button>
      )}
    </search>
  );
}

interface NameFieldProps {
  label: string;
  value: string | undefined;
  /** Suggestions; any other name can be typed, such as that of a caller who was erased. */
  names: readonly string[];
  onChange(name: string): void;
}

function NameField({ label, value = '', names, onChange }: NameFieldProps) {
  const id = useId();
  const commit = (name: string) => {
    if (name.trim() !== value) onChange(name.trim());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        key={value}
        id={id}
        className="input"
        list={`${id}-names`}
        placeholder={text.anyone}
        defaultValue={value}
        onBlur={(event) => commit(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(event.currentTarget.value);
        }}
      />
      <datalist id={`${id}-names`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
