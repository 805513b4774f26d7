import type { Fact } from '../../api/generated/rest.ts';
import { dayOf, exactly } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import { confirmLater, useConfirmed } from '../confirming.ts';
import { shortAge } from '../list/time-left.ts';

const text = strings.detail;

/** When the fact was last confirmed, and a button to confirm it, as a row of its list of properties. */
export function FactConfirmation({ fact, mayConfirm }: { fact: Fact; mayConfirm: boolean }) {
  const isPending = useConfirmed().has(fact.key);
  const isStale = fact.stale && !isPending;
  const confirmedAt = isPending ? new Date().toISOString() : fact.confirmed_at;
  return (
    <>
      <dt>{isStale ? text.unconfirmed : text.confirmed}</dt>
      <dd className="row wrap gap-1">
        <span className={isStale ? 'warn-text' : undefined} title={exactly(confirmedAt)}>
          {isStale ? text.since(dayOf(confirmedAt)) : shortAge(confirmedAt, Date.now())}
        </span>
        {mayConfirm && !isPending && (
          <button type="button" className="btn btn-ghost btn-s" onClick={() => confirmLater(fact)}>
            {text.stillTrue}
          </button>
        )}
      </dd>
    </>
  );
}
