import type { FormEvent } from 'react';
import type { Space } from '../api/generated/rest.ts';
import { changeSpace } from '../api/space-api.ts';
import { byteSize } from '../health/byte-size.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { useChangeSpace } from './space-queries.ts';

const text = strings.spaces;

interface SpaceQuotaCardProps {
  space: Space;
  /** Only admins set quotas. */
  mayChange: boolean;
}

/** How much a space holds, of how much. */
export function SpaceQuotaCard({ space: { slug, usage, quota }, mayChange }: SpaceQuotaCardProps) {
  const change = useChangeSpace((next: Parameters<typeof changeSpace>[1]) => changeSpace(slug, next));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    // An empty field means the quota of the server.
    const quotaIn = (name: string) => (fields.get(name) === '' ? null : Number(fields.get(name)));
    change.mutate({ quota_facts: quotaIn('facts'), quota_bytes: quotaIn('bytes') });
  };
  const field = (name: 'facts' | 'bytes', label: string) => (
    <div className="field">
      <label htmlFor={`space-quota-${name}`}>{label}</label>
      <input
        id={`space-quota-${name}`}
        name={name}
        className="input"
        type="number"
        min={1}
        step={1}
        defaultValue={quota[name] ?? ''}
      />
    </div>
  );
  return (
    <section className="card" aria-label={text.holds}>
      <div className="card-head">
        <h2>{text.holds}</h2>
        <span className="small faint">{`${text.factCount(usage.facts)} · ${byteSize(usage.bytes)}`}</span>
      </div>
      {mayChange && (
        <form className="card-body stack gap-3" onSubmit={submit}>
          <p className="muted">{text.quotaText}</p>
          <div className="space-fields">
            {field('facts', text.quotaFacts)}
            {field('bytes', text.quotaBytes)}
            <button type="submit" className="btn" disabled={change.isPending}>
              {text.save}
            </button>
          </div>
          {change.isError && <ProblemNote error={change.error} />}
          {change.isSuccess && (
            <p className="small faint" role="status">
              {text.saved}
            </p>
          )}
        </form>
      )}
    </section>
  );
}
