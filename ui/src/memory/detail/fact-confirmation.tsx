import type { Fact } from '../../api/generated/rest.ts';
import { confirmFact } from '../../api/review-api.ts';
import { dayOf, exactly } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import { shortAge } from '../list/time-left.ts';
import { runWrite } from '../write-notice.ts';

const text = strings.detail;

/** When the fact was last confirmed, and a button to confirm it, as a row of its list of properties. */
export function FactConfirmation({ fact, mayConfirm }: { fact: Fact; mayConfirm: boolean }) {
  const confirm = () =>
    runWrite(async () => {
      const { review_by } = await confirmFact(fact.key, fact.version);
      return { text: text.confirmedUntil(review_by && dayOf(review_by)), key: fact.key };
    }, text.confirmFailed);
  return (
    <>
      <dt>{fact.stale ? text.unconfirmed : text.confirmed}</dt>
      <dd className="row wrap gap-1">
        <span className={fact.stale ? 'warn-text' : undefined} title={exactly(fact.confirmed_at)}>
          {fact.stale ? text.since(dayOf(fact.confirmed_at)) : shortAge(fact.confirmed_at, Date.now())}
        </span>
        {mayConfirm && (
          <button type="button" className="btn btn-ghost btn-s" onClick={() => void confirm()}>
            {text.stillTrue}
          </button>
        )}
      </dd>
    </>
  );
}
