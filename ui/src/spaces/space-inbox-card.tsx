import { useQuery } from '@tanstack/react-query';
import { decideProposals, listInbox, type Proposal } from '../api/inbox-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { DiffView } from '../memory/detail/diff-view.tsx';
import { sourceName } from '../memory/list/source-name.ts';
import { strings } from '../strings.ts';
import { SPACES, useChangeSpace } from './space-queries.ts';

const text = strings.spaces;
const SHOWN = 50;

interface Verdict {
  id: string;
  accept: boolean;
}

/** What waits for the writers of a space. */
export function SpaceInboxCard({ slug }: { slug: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [SPACES, 'inbox', slug],
    queryFn: ({ signal }) => listInbox({ space: slug, limit: SHOWN }, { signal }),
    staleTime: 0,
  });
  const decide = useChangeSpace(async ({ id, accept }: Verdict) => {
    const failed = await decideProposals(
      { accept: accept ? [id] : [], reject: accept ? [] : [id] },
      { space: slug },
    );
    for (const failure of failed.values()) throw failure;
  });
  if (error) return <ProblemNote error={error} title={text.inboxFailed} onRetry={() => void refetch()} />;
  if (!data || data.proposals.length === 0) return null;
  const count = data.counts.proposed + data.counts.quarantined;
  return (
    <section className="card" aria-label={text.inbox}>
      <div className="card-head">
        <h2>{text.inbox}</h2>
        <span className="small faint num">{text.waiting(count)}</span>
      </div>
      <div className="card-body stack gap-3">
        {decide.isError && <ProblemNote error={decide.error} />}
        <ul className="stack gap-3">
          {data.proposals.map((proposal) => (
            <ProposalItem
              key={proposal.id}
              proposal={proposal}
              isBusy={decide.isPending}
              onDecide={(accept) => decide.mutate({ id: proposal.id, accept })}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

interface ProposalItemProps {
  proposal: Proposal;
  isBusy: boolean;
  onDecide(accept: boolean): void;
}

function ProposalItem({ proposal, isBusy, onDecide }: ProposalItemProps) {
  const { key, value, current, blocked, source, status, explanation } = proposal;
  const isSuspicious = status === 'quarantined';
  return (
    <li className="stack gap-2" aria-label={key}>
      <p className="row wrap">
        <span className="mono">{key}</span>
        <span className="small faint">{text.proposedBy(sourceName(source))}</span>
      </p>
      {(blocked || isSuspicious) && (
        <p className="note note-danger">
          {blocked ? strings.inbox.blocked : (explanation ?? strings.inbox.screened)}
        </p>
      )}
      {!blocked &&
        (current ? (
          <DiffView before={current.value} after={value} />
        ) : (
          <p className="inbox-value" dir="auto">
            {value}
          </p>
        ))}
      <p className="row wrap">
        <button type="button" className="btn" disabled={isBusy} onClick={() => onDecide(false)}>
          {strings.inbox.reject} <span className="sr">{key}</span>
        </button>
        <button
          type="button"
          className={`btn ${isSuspicious ? '' : 'btn-primary'}`}
          disabled={isBusy || blocked !== undefined}
          onClick={() => onDecide(true)}
        >
          {isSuspicious ? strings.inbox.acceptAnyway : strings.inbox.accept} <span className="sr">{key}</span>
        </button>
      </p>
    </li>
  );
}
