import { Icon } from '../kit/icon.tsx';
import { KeyName } from '../memory/list/key-name.tsx';
import { sourceName } from '../memory/list/source-name.ts';
import { shortAge } from '../memory/list/time-left.ts';
import { strings } from '../strings.ts';
import type { Decision } from './deciding.ts';
import type { Review } from './use-review.ts';

const text = strings.inbox;

interface ProposalListProps {
  review: Review;
  onShow(id: string): void;
  onDecide(verdict: Decision['verdict']): void;
}

/** What waits, with the choice to decide about several at once. */
export function ProposalList({ review, onShow, onDecide }: ProposalListProps) {
  const { proposals, shown, selected, loadMore } = review;
  const nowMs = Date.now();
  return (
    <section className="card" aria-label={text.list}>
      <div className="card-head">
        <h2>{text.list}</h2>
        {selected.size === 0 ? (
          <button type="button" className="link" onClick={review.selectAll}>
            {text.selectAll}
          </button>
        ) : (
          <span className="row">
            <span className="small num">{text.selected(selected.size)}</span>
            <button type="button" className="btn btn-s" onClick={() => onDecide('reject')}>
              {text.reject}
            </button>
            <button type="button" className="btn btn-s" onClick={() => onDecide('accept')}>
              {text.accept}
            </button>
            <button
              type="button"
              className="btn btn-ghost btn-s btn-icon"
              aria-label={text.clear}
              title={text.clear}
              onClick={review.clear}
            >
              <Icon name="close" small />
            </button>
          </span>
        )}
      </div>
      <ul className="inbox-rows">
        {proposals.map(({ id, key, value, status, source, proposed_at }) => (
          <li key={id} className="inbox-row">
            <input
              type="checkbox"
              aria-label={text.select(key)}
              checked={selected.has(id)}
              onChange={() => review.toggle(id)}
            />
            <button
              type="button"
              className="inbox-open"
              aria-current={id === shown?.id ? 'true' : undefined}
              onClick={() => onShow(id)}
            >
              <span className="mono cut">
                {status === 'quarantined' && <Icon name="warn" small />} <KeyName name={key} />
              </span>
              <span className="small faint">
                {sourceName(source)} · {shortAge(proposed_at, nowMs)}
              </span>
              <span className="small muted cut" dir="auto">
                {value.slice(0, 200)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {loadMore && (
        <button type="button" className="btn inbox-more" onClick={loadMore}>
          {text.more}
        </button>
      )}
    </section>
  );
}
