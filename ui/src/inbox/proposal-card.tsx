import type { ReactNode } from 'react';
import type { Proposal } from '../api/inbox-api.ts';
import { dayOf, exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { DiffView } from '../memory/detail/diff-view.tsx';
import { KeyName } from '../memory/list/key-name.tsx';
import { sourceName } from '../memory/list/source-name.ts';
import { shortAge } from '../memory/list/time-left.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import type { Decision } from './deciding.ts';
import { ProposalForm } from './proposal-form.tsx';

const text = strings.inbox;

interface ProposalCardProps {
  proposal: Proposal;
  /** `2 of 7` */
  place: string;
  isEditing: boolean;
  onEdit(): void;
  onCancel(): void;
  onDecide(verdict: Decision['verdict'], edits?: Decision['edits']): void;
}

/** One proposal with everything a person needs to decide about it. */
export function ProposalCard({ proposal, place, isEditing, onEdit, onCancel, onDecide }: ProposalCardProps) {
  const { key, value, category, tags, current, blocked } = proposal;
  const isSuspicious = proposal.status === 'quarantined';
  return (
    <section className="card inbox-card" aria-label={text.card}>
      <div className="card-head">
        <h2 className="mono cut">
          <KeyName name={key || text.card} />
        </h2>
        <span className="small faint num">{place}</span>
      </div>
      <div className="card-body stack">
        <Reason proposal={proposal} />
        {isEditing ? (
          <ProposalForm
            proposal={proposal}
            onCancel={onCancel}
            onAccept={(edits) => onDecide('accept', edits)}
          />
        ) : (
          <>
            {current ? (
              <div>
                <p className="small muted">
                  {text.current(current.version, text.trust[current.trust] ?? '')}
                </p>
                <DiffView before={current.value} after={value} />
              </div>
            ) : (
              !blocked && (
                <p className="inbox-value" dir="auto">
                  {value}
                </p>
              )
            )}
            <Quote proposal={proposal} />
            <Others proposal={proposal} />
            <p className="row wrap">
              <span className="chip">{category}</span>
              {tags.map((tag) => (
                <span key={tag} className="chip chip-line">
                  #{tag}
                </span>
              ))}
            </p>
            <Origin proposal={proposal} />
            <div className="inbox-verdict">
              <button type="button" className="btn" onClick={() => onDecide('reject')}>
                <kbd>←</kbd> {text.reject}
              </button>
              <button type="button" className="btn" onClick={onEdit}>
                {text.edit} <kbd>E</kbd>
              </button>
              <button
                type="button"
                className={`btn ${isSuspicious ? '' : 'btn-primary'}`}
                disabled={blocked !== undefined}
                onClick={() => onDecide('accept')}
              >
                {isSuspicious ? text.acceptAnyway : text.accept} <kbd>→</kbd>
              </button>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** Why it waits. */
function Reason({ proposal: { reason, explanation, status, blocked } }: { proposal: Proposal }) {
  if (blocked) {
    return (
      <Note tone="danger" icon="lock">
        {text.blocked}
      </Note>
    );
  }
  if (status === 'quarantined') {
    return (
      <Note tone="danger" icon="warn">
        {explanation ?? text.screened} <span className="mono small">{reason.replace('screen:', '')}</span>
      </Note>
    );
  }
  return (
    <Note tone="accent" icon="help">
      {text.why[reason] ?? reason}
    </Note>
  );
}

function Note({
  tone,
  icon,
  children,
}: {
  tone: string;
  icon: 'lock' | 'warn' | 'help';
  children: ReactNode;
}) {
  return (
    <div className={`note note-${tone}`}>
      <Icon name={icon} />
      <div className="grow">{children}</div>
    </div>
  );
}

/** The sentence that it was taken from. */
function Quote({ proposal: { quote } }: { proposal: Proposal }) {
  if (quote === undefined) return null;
  return (
    <figure className="inbox-quote">
      <figcaption className="small faint">{text.quote}</figcaption>
      <blockquote dir="auto">{quote}</blockquote>
    </figure>
  );
}

/** Facts that it would take the place of, that contradict it or say nearly the same. */
function Others({ proposal: { replaces = [], conflicts = [], similar = [] } }: { proposal: Proposal }) {
  const links = (title: string, keys: readonly string[]) =>
    keys.length > 0 && (
      <p className="small">
        {title}{' '}
        {keys.map((key) => (
          <Link key={key} to="/" search={{ key }} className="mono">
            {key}
          </Link>
        ))}
      </p>
    );
  return (
    <>
      {links(text.replaces, replaces)}
      {links(
        text.conflicts,
        conflicts.map(({ key }) => key),
      )}
      {links(
        text.similar,
        similar.map(({ key }) => key),
      )}
    </>
  );
}

function Origin({ proposal: { source, trust, proposed_at, expires_at } }: { proposal: Proposal }) {
  return (
    <dl className="inbox-origin small">
      <dt className="faint">{text.from}</dt>
      <dd>
        {sourceName(source)}, {text.trust[trust] ?? trust}
      </dd>
      <dt className="faint">{text.age}</dt>
      <dd title={exactly(proposed_at)}>{shortAge(proposed_at, Date.now())}</dd>
      <dt className="faint">{text.ends}</dt>
      <dd>{dayOf(expires_at)}</dd>
    </dl>
  );
}
