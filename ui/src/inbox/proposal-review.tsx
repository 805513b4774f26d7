import { useState } from 'react';
import { Icon } from '../kit/icon.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import type { Decision } from './deciding.ts';
import type { InboxFilter } from './inbox-queries.ts';
import { ProposalCard } from './proposal-card.tsx';
import { ProposalList } from './proposal-list.tsx';
import { useReview } from './use-review.ts';

const text = strings.inbox;
const FILTERS: { status: InboxFilter; label: string }[] = [
  { status: undefined, label: text.all },
  { status: 'proposed', label: text.proposed },
  { status: 'quarantined', label: text.quarantined },
];

/** One proposal at a time, beside the list of those that wait. */
export function ProposalReview() {
  const [status, setStatus] = useState<InboxFilter>();
  const [isEditing, setEditing] = useState(false);
  const review = useReview(status);
  const { proposals, shown, counts, selected } = review;
  const decide = (verdict: Decision['verdict'], edits?: Decision['edits']) => {
    setEditing(false);
    review.decide(verdict, edits);
  };
  const choose = (filter: InboxFilter) => {
    setEditing(false);
    review.clear();
    setStatus(filter);
  };
  const canAccept = selected.size > 0 || !shown?.blocked;
  useHotkeys(
    {
      arrowleft: () => decide('reject'),
      ...(canAccept ? { arrowright: () => decide('accept') } : {}),
      ...(shown ? { e: () => setEditing(true), x: () => review.toggle(shown.id) } : {}),
      j: () => review.move(1),
      k: () => review.move(-1),
      arrowdown: () => review.move(1),
      arrowup: () => review.move(-1),
      escape: review.clear,
    },
    shown !== undefined && !isEditing,
  );
  return (
    <>
      {counts && counts.quarantined > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in all browsers
        <div className="seg inbox-filter" role="group" aria-label={text.show}>
          {FILTERS.map((filter) => (
            <button
              key={filter.label}
              type="button"
              aria-pressed={filter.status === status}
              onClick={() => choose(filter.status)}
            >
              {filter.label}
            </button>
          ))}
        </div>
      )}
      {review.isError && <p className="note note-warn">{text.loadFailed}</p>}
      {review.isLoaded && !shown && <NothingWaits />}
      {shown && (
        <div className="inbox">
          <ProposalCard
            key={shown.id}
            proposal={shown}
            place={text.position(proposals.indexOf(shown) + 1, proposals.length)}
            isEditing={isEditing}
            onEdit={() => setEditing(true)}
            onCancel={() => setEditing(false)}
            onDecide={decide}
          />
          <ProposalList
            review={review}
            onShow={(id) => {
              setEditing(false);
              review.show(id);
            }}
            onDecide={decide}
          />
        </div>
      )}
    </>
  );
}

function NothingWaits() {
  return (
    <div className="empty inbox-empty">
      <Icon name="check" />
      <h2>{text.emptyTitle}</h2>
      <p>{text.empty}</p>
      <Link to="/" search={{}} className="btn">
        {text.toMemory}
      </Link>
    </div>
  );
}
